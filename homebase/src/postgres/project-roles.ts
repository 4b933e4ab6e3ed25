/** Owns which roles of a server are a project's own. */

/** A condition on `pg_roles`: neither Postgres's nor Supabase's roles, nor those of a few minutes. */
export const PROJECT_ROLES = `rolname !~ '^(pg_|supabase_|cli_login_|homebase)' and rolname not in ('anon', 'authenticated',
  'authenticator', 'dashboard_user', 'pgbouncer', 'pgsodium_keyholder', 'pgsodium_keyiduser', 'pgsodium_keymaker',
  'pgtle_admin', 'postgres', 'service_role')`;
