-- The powers that hosted lends to role `postgres`, and what extensions of hosted expect to be there. The functions and
-- event triggers of bootstrap/powers.sql are renewed with every version, so they are not here.

alter role supabase_admin set event_triggers = off;
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
    'pgaudit.role', 'plan_filter.statement_cost_limit', 'plan_filter.limit_select_only', 'safeupdate.enabled'
  ] loop
    execute format('grant set on parameter %I to postgres', name);
  end loop;
end
$$;

create schema if not exists graphql authorization supabase_admin;
create schema if not exists pgsodium authorization supabase_admin;
grant usage on schema graphql to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema graphql
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema graphql
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema graphql
  grant all on sequences to postgres, anon, authenticated, service_role;

-- Postgres has no statement that gives an extension another owner.
update pg_catalog.pg_extension set extowner = 'postgres'::regrole
where extname in ('pgcrypto', 'uuid-ossp', 'pg_stat_statements');
update pg_catalog.pg_shdepend set refobjid = 'postgres'::regrole
where classid = 'pg_extension'::regclass and deptype = 'o' and dbid = (select oid from pg_database where datname = current_database())
  and objid in (select oid from pg_catalog.pg_extension
    where extname in ('pgcrypto', 'uuid-ossp', 'pg_stat_statements'));

create or replace function pg_catalog.homebase_move_extension(extension name, schema name) returns void
language plpgsql security definer set search_path = pg_catalog set event_triggers = off as $$
begin
  if not exists (select from pg_extension where extname = extension and pg_has_role(session_user, extowner, 'usage')) then
    raise exception using errcode = '42501', message = format('must be owner of extension %s', extension);
  elsif to_regnamespace(quote_ident(schema)) is null then
    raise exception using errcode = '3F000', message = format('schema "%s" does not exist', schema);
  elsif not has_schema_privilege(session_user, quote_ident(schema), 'create') then
    raise exception using errcode = '42501', message = format('permission denied for schema %s', schema);
  end if;
  execute format('alter extension %I set schema %I', extension, schema);
end
$$;

create or replace function extensions.grant_pg_cron_access() returns event_trigger language plpgsql as $$ begin null; end $$;
create or replace function extensions.grant_pg_net_access() returns event_trigger language plpgsql as $$ begin null; end $$;

create or replace function extensions.grant_pg_graphql_access() returns event_trigger
language plpgsql security definer set search_path = pg_catalog set event_triggers = off as $$
begin
  if not exists (
    select from pg_event_trigger_ddl_commands() command join pg_extension on pg_extension.oid = command.objid
    where command.classid = 'pg_extension'::regclass and extname = 'pg_graphql'
  ) then return; end if;
  create or replace function graphql_public.graphql(
    "operationName" text default null, query text default null,
    variables jsonb default null, extensions jsonb default null
  ) returns jsonb language sql as $body$
    select graphql.resolve(
      query := query, variables := coalesce(variables, '{}'), "operationName" := "operationName", extensions := extensions)
  $body$;
end
$$;

create or replace function extensions.set_graphql_placeholder() returns event_trigger
language plpgsql security definer set search_path = pg_catalog set event_triggers = off as $$
begin
  if not exists (
    select from pg_event_trigger_dropped_objects() where object_type = 'extension' and object_name = 'pg_graphql'
  ) then return; end if;
  create or replace function graphql_public.graphql(
    "operationName" text default null, query text default null,
    variables jsonb default null, extensions jsonb default null
  ) returns jsonb language sql as $body$
    select jsonb_build_object('errors',
      jsonb_build_array(jsonb_build_object('message', 'pg_graphql extension is not enabled.')))
  $body$;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['issue_pg_cron_access', 'issue_pg_net_access', 'issue_pg_graphql_access', 'issue_graphql_placeholder'] loop
    execute format('drop event trigger if exists %I', name);
  end loop;
end
$$;
create event trigger issue_pg_cron_access on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.grant_pg_cron_access();
create event trigger issue_pg_net_access on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.grant_pg_net_access();
create event trigger issue_pg_graphql_access on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.grant_pg_graphql_access();
create event trigger issue_graphql_placeholder on sql_drop when tag in ('DROP EXTENSION')
  execute function extensions.set_graphql_placeholder();
