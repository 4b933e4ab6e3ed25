-- Roles of a hosted Supabase project, with its memberships and settings (docs/compat/platform.md 1.1).
-- Cluster-wide: run once, by the bootstrap superuser supabase_admin, right after initdb.
-- Not set: authenticator's session_preload_libraries (supautils, safeupdate), which are not in the npm
-- build of Postgres; what they do stands in REST (unfiltered writes) and in the grants below.
-- Nor REPLICATION: a decoding plugin may be any library by its path, one in the project's repository too.

create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
alter role anon inherit;
alter role authenticated inherit;
alter role service_role inherit;
create role authenticator login noinherit password 'postgres';
create role postgres login createdb createrole bypassrls inherit password 'postgres';
create role supabase_auth_admin login noinherit createrole password 'postgres';
create role supabase_storage_admin login noinherit createrole password 'postgres';
create role supabase_functions_admin login noinherit createrole password 'postgres';
create role supabase_realtime_admin nologin noinherit;
create role supabase_read_only_user login bypassrls password 'postgres';
create role supabase_replication_admin login password 'postgres';
create role supabase_etl_admin login password 'postgres';
create role dashboard_user nologin createdb createrole;
create role pgbouncer login password 'postgres';

grant anon, authenticated, service_role to authenticator;
grant authenticator to supabase_storage_admin;
grant pg_read_all_data to supabase_read_only_user, supabase_etl_admin;
grant anon, authenticated, service_role, authenticator, pg_monitor, pg_read_all_data, pg_signal_backend
  to postgres with admin option;
grant pg_create_subscription to postgres;

-- Hosted lets postgres manage policies and triggers on the services' tables through the supautils
-- library; here membership does, and event triggers refuse what it would allow beyond that (powers.sql).
grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin to postgres;

-- The login of explanations (logins.sql), which every cluster has already.
grant postgres to homebase_explain;

alter role supabase_admin set search_path = "$user", public, auth, extensions;
alter role supabase_admin set log_statement = 'none';
-- A project's event triggers do not fire for the superuser: their functions would run with all its rights.
alter role supabase_admin set event_triggers = off;
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
do $$
declare
  name text;
begin
  foreach name in array array[
    'log_lock_waits', 'log_parameter_max_length', 'log_replication_commands', 'log_temp_files',
    'auto_explain.log_analyze', 'auto_explain.log_buffers', 'auto_explain.log_format', 'auto_explain.log_level',
    'auto_explain.log_min_duration', 'auto_explain.log_nested_statements',
    'auto_explain.log_parameter_max_length', 'auto_explain.log_settings', 'auto_explain.log_timing',
    'auto_explain.log_triggers', 'auto_explain.log_verbose', 'auto_explain.log_wal', 'auto_explain.sample_rate',
    'pg_net.batch_size', 'pg_net.ttl',
    'pg_stat_statements.save', 'pg_stat_statements.track', 'pg_stat_statements.track_planning',
    'pg_stat_statements.track_utility',
    'pgaudit.log', 'pgaudit.log_catalog', 'pgaudit.log_client', 'pgaudit.log_level', 'pgaudit.log_parameter',
    'pgaudit.log_relation', 'pgaudit.log_rows', 'pgaudit.log_statement', 'pgaudit.log_statement_once',
    'pgaudit.role', 'plan_filter.statement_cost_limit', 'plan_filter.limit_select_only', 'safeupdate.enabled',
    -- Of libraries that a session may not have loaded: functions set them for their searches.
    'hnsw.ef_search', 'hnsw.iterative_scan', 'hnsw.max_scan_tuples', 'hnsw.scan_mem_multiplier',
    'ivfflat.probes', 'ivfflat.iterative_scan', 'ivfflat.max_probes',
    'pg_trgm.similarity_threshold', 'pg_trgm.word_similarity_threshold', 'pg_trgm.strict_word_similarity_threshold'
  ] loop
    execute format('grant set on parameter %I to postgres', name);
  end loop;
end
$$;
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
