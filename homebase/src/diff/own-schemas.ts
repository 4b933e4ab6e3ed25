/** Owns which schemas under the platform's names are the project's own, e.g. a `cron` without pg_cron. */
import type pg from "pg";

/** Schemas of the platform that belong to role `postgres`, as the project's do. */
const POSTGRES_OWNS = new Set(["extensions", "supabase_migrations"]);
/** A pattern of the roles that the platform's schemas and tables belong to. */
export const PLATFORM_OWNERS = "^(supabase_|homebase_|pg|dashboard_user$|authenticator$)";

/** Those of `names` that a role of the project has made: the platform's belong to its roles or to an extension. */
export async function readOwnSchemas(
  client: pg.ClientBase | pg.Pool,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname as name from pg_catalog.pg_namespace n
     where n.nspname = any ($1) and pg_catalog.pg_get_userbyid(n.nspowner) !~ $2
       and not exists (select from pg_catalog.pg_extension e where e.extnamespace = n.oid)
       and not exists (select from pg_catalog.pg_depend d where d.objid = n.oid and d.deptype = 'e'
         and d.classid = 'pg_catalog.pg_namespace'::pg_catalog.regclass)`,
    [names.filter((name) => !POSTGRES_OWNS.has(name)), PLATFORM_OWNERS],
  );
  return rows.map(({ name }) => name);
}

/**
 * The owner of schema public, whose change pg-delta does not state: `pg_database_owner`, or `postgres` in projects of earlier
 * years. The rights of the schema follow from it.
 */
export async function readPublicOwner(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ owner: string }>(
    "select pg_catalog.pg_get_userbyid(nspowner)::text as owner from pg_catalog.pg_namespace where nspname = 'public'",
  );
  return rows[0]?.owner ?? "pg_database_owner";
}

export async function readSchemaNames(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    "select nspname::text as name from pg_catalog.pg_namespace",
  );
  return new Set(rows.map(({ name }) => name));
}
