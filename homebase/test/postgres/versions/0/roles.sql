-- Roles of a hosted Supabase project, with its memberships and settings (docs/compat/platform.md 1.1).
-- Cluster-wide: run once, by the bootstrap superuser supabase_admin, right after initdb.
-- Not set: authenticator's session_preload_libraries (supautils, safeupdate), which are not in the npm
-- build of Postgres; what they do stands in REST (unfiltered writes) and in the grants below.

create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
alter role anon inherit;
alter role authenticated inherit;
alter role service_role inherit;
create role authenticator login noinherit password 'postgres';
create role postgres login createdb createrole replication bypassrls inherit password 'postgres';
create role supabase_auth_admin login noinherit createrole password 'postgres';
create role supabase_storage_admin login noinherit createrole password 'postgres';
create role supabase_functions_admin login noinherit createrole password 'postgres';
create role supabase_realtime_admin nologin noinherit;
create role supabase_read_only_user login bypassrls password 'postgres';
create role supabase_replication_admin login replication password 'postgres';
create role supabase_etl_admin login replication password 'postgres';
create role dashboard_user nologin createdb createrole replication;
create role pgbouncer login password 'postgres';
alter role supabase_admin password 'postgres';

grant anon, authenticated, service_role to authenticator;
grant authenticator to supabase_storage_admin;
grant pg_read_all_data to supabase_read_only_user, supabase_etl_admin;
grant anon, authenticated, service_role, authenticator, pg_monitor, pg_read_all_data, pg_signal_backend
  to postgres with admin option;
grant pg_create_subscription to postgres;

-- Hosted lets postgres manage policies and triggers on the services' tables through the supautils
-- library; here membership does, which allows more (ALTER TABLE on those tables succeeds too).
grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin to postgres;

alter role supabase_admin set search_path = "$user", public, auth, extensions;
alter role supabase_admin set log_statement = 'none';
alter role postgres set search_path = "$user", public, extensions;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = 60000;
alter role supabase_auth_admin set log_statement = 'none';
alter role supabase_storage_admin set search_path = storage;
alter role supabase_storage_admin set log_statement = 'none';
alter role supabase_functions_admin set search_path = supabase_functions;

-- Settings that hosted lets postgres change though it is no superuser.
grant set on parameter session_replication_role to postgres;
grant set on parameter log_statement to postgres;
grant set on parameter log_min_messages to postgres;
grant set on parameter log_min_duration_statement to postgres;
grant set on parameter track_io_timing to postgres;
grant set on parameter wal_compression to postgres;
grant set on parameter "pgrst.db_schemas" to postgres;
grant set on parameter "pgrst.db_anon_role" to postgres;
grant set on parameter "pgrst.db_extra_search_path" to postgres;
grant set on parameter "pgrst.db_max_rows" to postgres;
grant set on parameter "pgrst.db_aggregates_enabled" to postgres;
grant set on parameter "pgrst.db_plan_enabled" to postgres;
grant set on parameter "pgrst.db_pre_request" to postgres;
grant set on parameter "pgrst.db_root_spec" to postgres;
grant set on parameter "pgrst.db_tx_end" to postgres;
grant set on parameter "pgrst.db_hoisted_tx_settings" to postgres;
grant set on parameter "pgrst.db_prepared_statements" to postgres;
grant set on parameter "pgrst.db_pre_config" to postgres;
grant set on parameter "pgrst.jwt_aud" to postgres;
grant set on parameter "pgrst.jwt_secret" to postgres;
grant set on parameter "pgrst.jwt_secret_is_base64" to postgres;
grant set on parameter "pgrst.jwt_role_claim_key" to postgres;
grant set on parameter "pgrst.jwt_cache_max_entries" to postgres;
grant set on parameter "pgrst.jwt_cache_max_lifetime" to postgres;
grant set on parameter "pgrst.openapi_mode" to postgres;
grant set on parameter "pgrst.openapi_security_active" to postgres;
grant set on parameter "pgrst.openapi_server_proxy_uri" to postgres;
grant set on parameter "pgrst.server_cors_allowed_origins" to postgres;
grant set on parameter "pgrst.server_timing_enabled" to postgres;
grant set on parameter "pgrst.server_trace_header" to postgres;
grant set on parameter "pgrst.url_use_legacy_target_names" to postgres;
grant set on parameter "pgrst.client_error_verbosity" to postgres;
