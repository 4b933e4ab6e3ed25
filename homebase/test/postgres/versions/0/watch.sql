-- The API's event triggers (docs/compat/platform.md 1.5). Run last: from then on each DDL command pays for them.

-- Tells the REST service that the schema cache is stale. Fires at commit, once a transaction.
create function extensions.pgrst_ddl_watch() returns event_trigger language plpgsql as $$
declare
  command record;
begin
  for command in select * from pg_event_trigger_ddl_commands() loop
    if command.command_tag in (
      'CREATE SCHEMA', 'ALTER SCHEMA', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
      'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'CREATE VIEW', 'ALTER VIEW',
      'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW', 'CREATE FUNCTION', 'ALTER FUNCTION',
      'CREATE TRIGGER', 'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT'
    ) and command.schema_name is distinct from 'pg_temp'
      and coalesce(command.schema_name, '') not in ('auth', 'realtime', '_realtime', 'storage') then
      notify pgrst, 'reload schema';
      return;
    end if;
  end loop;
end
$$;

create function extensions.pgrst_drop_watch() returns event_trigger language plpgsql as $$
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
