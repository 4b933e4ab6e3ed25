-- Rights that cannot be lent: what a superuser owns is in schemas of a superuser, has a search path of pg_catalog and
-- pg_temp, and names nothing that a project could replace. The functions of extensions are replaced after this file.

do $$
begin
  if to_regrole('homebase_http') is null then create role homebase_http login noinherit; end if;
end
$$;

-- The owner of a schema may rename it and drop what is in it.
alter schema extensions owner to supabase_admin;
grant all on schema extensions to postgres with grant option;
grant usage on schema extensions to postgres, anon, authenticated, service_role;
grant all on schema extensions to dashboard_user;

create or replace function pg_catalog.homebase_own_schema(schema name) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  found pg_catalog.pg_namespace;
  grantee oid;
begin
  select * into found from pg_catalog.pg_namespace n where n.nspname = schema;
  if (select r.rolsuper from pg_catalog.pg_roles r where r.oid = found.nspowner) then return; end if;
  if exists (
    select from pg_catalog.pg_depend d where d.refclassid = 'pg_namespace'::regclass and d.refobjid = found.oid
      and d.classid not in ('pg_extension'::regclass, 'pg_default_acl'::regclass)
  ) then
    raise 'schema "%" is not empty', schema using errcode = '42501',
      hint = 'The code of the extension belongs in it. Create the extension before other objects of this schema.';
  end if;
  execute pg_catalog.format('alter schema %I owner to supabase_admin', schema);
  for grantee in
    select distinct a.grantee from pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
    where n.oid = found.oid and a.grantee <> n.nspowner
  loop
    execute pg_catalog.format('revoke all on schema %I from %s cascade', schema,
      case grantee when 0 then 'public' else grantee::regrole::text end);
  end loop;
end
$$;
revoke all on function pg_catalog.homebase_own_schema(name) from public;

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
      'CREATE TRIGGER', 'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT'
    ) and command.schema_name is distinct from 'pg_temp'
      and coalesce(command.schema_name, '') not in ('auth', 'realtime', '_realtime', 'storage') then
      notify pgrst, 'reload schema';
      return;
    end if;
  end loop;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger
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

create or replace function extensions.grant_pg_cron_access() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$ begin null; end $$;

create or replace function extensions.grant_pg_net_access() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$ begin null; end $$;

create or replace function extensions.grant_pg_graphql_access() returns event_trigger
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

create or replace function extensions.set_graphql_placeholder() returns event_trigger
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

-- A function that a project had made under one of these names would still be its own.
do $$
declare
  own regprocedure;
begin
  for own in
    select p.oid from pg_event_trigger t join pg_roles o on o.oid = t.evtowner and o.rolsuper
    join pg_proc p on p.oid = t.evtfoid join pg_roles r on r.oid = p.proowner and not r.rolsuper
  loop
    execute format('alter function %s owner to supabase_admin', own);
  end loop;
end
$$;

-- Schema pgtle belongs to the superuser. What a project has made there under the names of today's functions goes.
do $$
declare
  own regprocedure;
begin
  if not exists (select from pg_extension where extname = 'pg_tle') then return; end if;
  alter schema pgtle owner to supabase_admin;
  for own in
    select p.oid from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.pronamespace = 'pgtle'::regnamespace and not r.rolsuper
      and p.proname = any (array['_is_installed', '_scripts', '_run', '_add_members', 'create_extension', 'update_extension'])
  loop
    execute format('drop function %s cascade', own);
  end loop;
  if to_regprocedure('pgtle._place_files()') is not null then
    alter extension pg_tle drop event trigger pg_tle_place_files;
    alter extension pg_tle drop event trigger pg_tle_remove_files;
    alter extension pg_tle drop function pgtle._place_files();
    drop function pgtle._place_files() cascade;
  end if;
end
$$;

-- http dials in by functions of pg_catalog.
do $$
declare
  place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'http');
  own text;
begin
  if place is null then return; end if;
  foreach own in array array['_http_connect(text,text)', '_http_disconnect(text)', '_http_query(text,text)',
    '_http_exchange(text,text,jsonb,bytea,int)']
  loop
    continue when to_regprocedure(place || '.' || own) is null;
    execute format('alter extension http drop function %s.%s', place, own);
    execute format('drop function %s.%s cascade', place, own);
  end loop;
end
$$;

-- Vault encrypts without the extension pgcrypto, which a project may move or drop.
do $$
begin
  if not exists (select from pg_extension where extname = 'supabase_vault') then return; end if;
  if to_regprocedure('vault._random_bytes(int)') is null then
    create function vault._random_bytes(int) returns bytea language c strict as '$libdir/pgcrypto', 'pg_random_bytes';
    revoke all on function vault._random_bytes(int) from public;
    alter extension supabase_vault add function vault._random_bytes(int);
  end if;
  alter table vault.secrets alter column nonce set default vault._random_bytes(16);
  delete from pg_depend d using pg_extension v, pg_extension c
  where d.classid = 'pg_extension'::regclass and d.objid = v.oid and v.extname = 'supabase_vault'
    and d.refclassid = 'pg_extension'::regclass and d.refobjid = c.oid and c.extname = 'pgcrypto';
end
$$;

-- The functions that no script names with their schema: vector's, and event triggers' of extensions without their library.
do $$
declare
  own record;
  body text;
begin
  for own in
    select p.oid::regprocedure as signature, p.oid, p.prosrc, n.nspname
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_roles r on r.oid = p.proowner and r.rolsuper
    join pg_language l on l.oid = p.prolang and l.lanname in ('plpgsql', 'sql')
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
    left join pg_extension e on e.oid = d.refobjid
    where p.oid >= 16384 and p.prosqlbody is null and (
      n.nspname = 'pg_catalog' and p.proname ~ '^homebase_'
      or p.prosecdef and e.extname is not null
      or p.prorettype = 'event_trigger'::regtype and e.extname is not null)
  loop
    if strpos(own.prosrc, $x$'\x00000080'$x$) > 0 then
      execute replace(pg_get_functiondef(own.oid), $x$'\x00000080'$x$, $x$decode('00000080', 'hex')$x$);
    elsif own.nspname = 'pg_catalog' and strpos(own.prosrc, chr(92)) > 0 then
      execute format('alter function %s set standard_conforming_strings = on', own.signature);
    end if;
    execute format('alter function %s set search_path = pg_catalog, pg_temp', own.signature);
  end loop;
  if to_regprocedure('supabase_functions.http_request()') is not null then
    alter function supabase_functions.http_request() set search_path = pg_catalog, pg_temp;
  end if;
end
$$;
