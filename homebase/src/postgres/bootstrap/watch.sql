-- The API's event triggers (docs/compat/platform.md 1.5). Run last: from then on each DDL command pays for them.

-- Tells the REST service that the schema cache is stale. Fires at commit, once a transaction.
create function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  command record;
begin
  for command in select * from pg_event_trigger_ddl_commands() loop
    if command.command_tag in (
      'CREATE SCHEMA', 'ALTER SCHEMA', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
      'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'CREATE VIEW', 'ALTER VIEW',
      'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW', 'CREATE FUNCTION', 'ALTER FUNCTION',
      'CREATE TRIGGER', 'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT',
      -- No event trigger fires for the commands in their scripts.
      'CREATE EXTENSION', 'ALTER EXTENSION'
    ) and command.schema_name is distinct from 'pg_temp'
      and coalesce(command.schema_name, '') not in ('auth', 'realtime', '_realtime', 'storage') then
      notify pgrst, 'reload schema';
      return;
    end if;
  end loop;
end
$$;

create function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  dropped record;
begin
  for dropped in select * from pg_event_trigger_dropped_objects() loop
    if dropped.object_type in (
      'schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'trigger', 'type', 'rule'
    ) and not dropped.is_temporary then
      notify pgrst, 'reload schema';
      return;
    end if;
  end loop;
end
$$;

create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();

-- The event triggers that hosted has for extensions, under its names. The scripts of pg_cron and pg_net grant
-- what is needed themselves.
create function extensions.grant_pg_cron_access() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$ begin null; end $$;
create function extensions.grant_pg_net_access() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$ begin null; end $$;

create function extensions.grant_pg_graphql_access() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
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

create function extensions.set_graphql_placeholder() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
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

create event trigger issue_pg_cron_access on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.grant_pg_cron_access();
create event trigger issue_pg_net_access on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.grant_pg_net_access();
create event trigger issue_pg_graphql_access on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.grant_pg_graphql_access();
create event trigger issue_graphql_placeholder on sql_drop when tag in ('DROP EXTENSION')
  execute function extensions.set_graphql_placeholder();
