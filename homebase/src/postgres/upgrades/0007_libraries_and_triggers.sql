-- A decoding plugin may be any library by its path, so no role of the project has REPLICATION.
do $$
declare
  name text;
begin
  for name in
    select r.rolname from pg_catalog.pg_roles r
    where r.rolreplication and not r.rolsuper and r.rolname <> 'homebase_replication'
  loop
    execute pg_catalog.format('alter role %I noreplication', name);
  end loop;
end
$$;

-- A write to a table of the superuser's runs its triggers as the superuser.
do $$
declare
  made record;
begin
  if to_regclass('pgsodium.key') is null then return; end if;
  for made in
    select t.tgname from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
    join pg_catalog.pg_roles r on r.oid = p.proowner
    where t.tgrelid = 'pgsodium.key'::regclass and not r.rolsuper
  loop
    execute pg_catalog.format('drop trigger %I on pgsodium.key', made.tgname);
  end loop;
  revoke trigger on pgsodium.key from postgres cascade;
end
$$;

-- An extension's script fires no event triggers any more.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
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
