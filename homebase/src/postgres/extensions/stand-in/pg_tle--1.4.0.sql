-- pg_tle 1.4.0 without its library. As upstream, an installed extension is kept in functions of schema pgtle that
-- return its files, so that dumps carry it. Upstream hooks into CREATE EXTENSION; here pgtle.create_extension() does its
-- work, without files: the script runs as its caller, and what it makes is added to the extension.

-- Whatever schemas are looked in: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;
select pg_catalog.homebase_own_schema('pgtle');

-- Roles belong to the server: two databases that create the extension at once would both find this one missing.
select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('homebase pgtle_admin'));
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'pgtle_admin') then
    create role pgtle_admin nologin;
    grant pgtle_admin to postgres;
  end if;
exception when duplicate_object or unique_violation then null;
end
$$;
grant usage, create on schema pgtle to pgtle_admin;

-- The files of installed extensions: read from the functions' source, which is never executed.
create view pgtle._files as
select p.proname::text as file, pg_catalog.split_part(pg_catalog.regexp_replace(p.proname, '\.(control|sql)$', ''), '--', 1) as extension,
  pg_catalog.split_part(pg_catalog.regexp_replace(p.proname, '\.sql$', ''), '--', 2) as version,
  nullif(pg_catalog.split_part(pg_catalog.regexp_replace(p.proname, '\.sql$', ''), '--', 3), '') as target,
  p.proname ~ '\.control$' as is_control,
  pg_catalog.substring(p.prosrc, '^\s*SELECT\s+\$_pgtle_i_\$(.*)\$_pgtle_i_\$\s*$') as text
from pg_catalog.pg_proc p
where p.pronamespace = 'pgtle'::regnamespace and p.pronargs = 0 and p.prorettype = 'text'::regtype
  and p.proname ~ '^[A-Za-z0-9_@][A-Za-z0-9_@-]*(--[A-Za-z0-9_.+]+){0,2}\.(control|sql)$'
  and p.prosrc ~ '^\s*SELECT\s+\$_pgtle_i_\$.*\$_pgtle_i_\$\s*$';

create function pgtle._setting(control text, key text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select pg_catalog.replace((pg_catalog.regexp_match(control, '(?n)^\s*' || key || '\s*=\s*''?((?:[^''\n]|'''')*)'))[1], '''''', '''')
$$;

create function pgtle._control(description text, version text, requires text[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select pg_catalog.format(E'default_version = %L\ncomment = %L\nrelocatable = false\nsuperuser = false\ntrusted = false\nrequires = %L\n',
    version, pg_catalog.regexp_replace(coalesce(description, ''), '\s+', ' ', 'g'),
    pg_catalog.array_to_string(coalesce(requires, '{}') || case when 'pg_tle' = any (requires) then '{}'::text[] else '{pg_tle}' end, ','))
$$;

create function pgtle._keep(file text, content text, replaced boolean default false) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if pg_catalog.strpos(content, '$_pgtle_') > 0 then
    raise 'invalid character in extension definition' using errcode = '22P02',
      detail = 'Use of string delimiters "$_pgtle_o_$" and "$_pgtle_i_$" are forbidden in extension definitions.';
  end if;
  execute pg_catalog.format('create %s function pgtle.%I() returns text language sql as %L',
    case when replaced then 'or replace' else '' end, file, 'SELECT $_pgtle_i_$' || content || '$_pgtle_i_$');
end
$$;

create function pgtle._check(name text, variadic versions text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  version text;
begin
  if name is null or name !~ '^[A-Za-z0-9_@][A-Za-z0-9_@-]*$' or name ~ '--|-$' then
    raise 'invalid extension name: "%"', name using errcode = '22023';
  end if;
  foreach version in array versions loop
    if version is null or version !~ '^[A-Za-z0-9_.+]+$' then
      raise 'invalid extension version name: "%"', version using errcode = '22023';
    end if;
  end loop;
  if exists (select from pg_catalog.pg_available_extensions a where a.name = $1::name) then
    raise 'control file already exists for the % extension', name using errcode = '42710';
  end if;
end
$$;

create function pgtle.install_extension(name text, version text, description text, ext text, requires text[] default null)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pgtle._check(name, version);
  if exists (select from pgtle._files f where f.extension = install_extension.name) then
    raise 'extension "%" already installed', name using errcode = '42710';
  end if;
  perform pgtle._keep(name || '--' || version || '.sql', ext);
  perform pgtle._keep(name || '.control', pgtle._control(description, version, requires));
  return true;
end
$$;

create function pgtle.install_extension_version_sql(name text, version text, ext text)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pgtle._check(name, version);
  if not exists (select from pgtle._files f where f.is_control and f.extension = install_extension_version_sql.name) then
    raise 'could not find extension %', name using errcode = '58P01';
  end if;
  perform pgtle._keep(name || '--' || version || '.sql', ext);
  return true;
end
$$;

create function pgtle.install_update_path(name text, fromvers text, tovers text, ext text)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pgtle._check(name, fromvers, tovers);
  perform pgtle._keep(name || '--' || fromvers || '--' || tovers || '.sql', ext);
  return true;
exception when duplicate_function then
  raise 'extension "%" update path "%-%" already installed', name, fromvers, tovers using errcode = '42710',
    hint = 'To update this specific install path, first use "pgtle.uninstall_update_path".';
end
$$;

create function pgtle.set_default_version(name text, version text)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  control text := (select f.text from pgtle._files f where f.is_control and f.extension = set_default_version.name);
begin
  perform pgtle._check(name, version);
  if control is null or not exists (
    select from pgtle.available_extension_versions() v where v.name = $1::name and v.version = $2) then
    raise 'extension and version do not exist' using errcode = '42704',
      hint = 'Try installing the extension with "pgtle.install_extension".';
  end if;
  perform pgtle._keep(name || '.control', pgtle._control(pgtle._setting(control, 'comment'), version,
    pg_catalog.string_to_array(pgtle._setting(control, 'requires'), ',')), replaced => true);
  return true;
end
$$;

create function pgtle.uninstall_extension(extname text)
returns boolean language plpgsql strict set search_path = pg_catalog, pg_temp as $$
declare
  kept text;
begin
  for kept in select f.file from pgtle._files f where f.extension = extname loop
    execute pg_catalog.format('drop function pgtle.%I()', kept);
  end loop;
  if kept is null then raise 'Extension % does not exist', extname using errcode = 'no_data_found'; end if;
  return true;
end
$$;

create function pgtle.uninstall_extension(extname text, version text)
returns boolean language plpgsql strict set search_path = pg_catalog, pg_temp as $$
declare
  control text := (select f.text from pgtle._files f where f.is_control and f.extension = extname);
  is_default boolean := pgtle._setting(control, 'default_version') = version;
  kept text;
begin
  if (select pg_catalog.count(*) > 1 from pgtle.available_extension_versions() v where v.name = extname::name) then
    if is_default then
      raise 'Can not uninstall default version of extension %, use set_default_version to update the default to another available version and retry', extname;
    end if;
    for kept in select f.file from pgtle._files f where f.extension = extname and version in (f.version, f.target) loop
      execute pg_catalog.format('drop function pgtle.%I()', kept);
    end loop;
    return true;
  end if;
  if is_default is not true then
    raise 'Version % of extension % is not installed and therefore can not be uninstalled', extname, version;
  end if;
  return pgtle.uninstall_extension(extname);
end
$$;

create function pgtle.uninstall_extension_if_exists(extname text)
returns boolean language plpgsql strict set search_path = pg_catalog, pg_temp as $$
begin
  return pgtle.uninstall_extension(extname);
exception when no_data_found then return false;
end
$$;

create function pgtle.uninstall_update_path(extname text, fromvers text, tovers text)
returns boolean language plpgsql strict set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from pgtle._files f where f.extension = extname and f.version = fromvers and f.target = tovers) then
    raise 'Extension % does not exist', extname using errcode = 'no_data_found';
  end if;
  execute pg_catalog.format('drop function pgtle.%I()', extname || '--' || fromvers || '--' || tovers || '.sql');
  return true;
end
$$;

create function pgtle.uninstall_update_path_if_exists(extname text, fromvers text, tovers text)
returns boolean language plpgsql strict set search_path = pg_catalog, pg_temp as $$
begin
  return pgtle.uninstall_update_path(extname, fromvers, tovers);
exception when no_data_found then return false;
end
$$;

create function pgtle.available_extensions(out name name, out default_version text, out comment text)
returns setof record language sql stable strict set search_path = pg_catalog, pg_temp as $$
  select f.extension::name, pgtle._setting(f.text, 'default_version'), pgtle._setting(f.text, 'comment')
  from pgtle._files f where f.is_control
$$;

create function pgtle.available_extension_versions(out name name, out version text, out superuser boolean,
  out trusted boolean, out relocatable boolean, out schema name, out requires name[], out comment text)
returns setof record language sql stable strict set search_path = pg_catalog, pg_temp as $$
  with recursive versions as (
    select f.extension, f.version from pgtle._files f where not f.is_control and f.target is null
    union
    select f.extension, f.target from pgtle._files f join versions v on v.extension = f.extension and v.version = f.version
    where f.target is not null
  )
  select v.extension::name, v.version, false, false, false, null::name,
    pg_catalog.string_to_array(pgtle._setting(c.text, 'requires'), ',')::name[], pgtle._setting(c.text, 'comment')
  from versions v join pgtle._files c on c.is_control and c.extension = v.extension
$$;

create function pgtle.extension_update_paths(name name, out source text, out target text, out path text)
returns setof record language sql stable strict set search_path = pg_catalog, pg_temp as $$
  with recursive steps as (
    select f.version, f.target from pgtle._files f where f.extension = $1::text and f.target is not null
  ), known as (
    select s.version from steps s union select s.target from steps s
    union select f.version from pgtle._files f where f.extension = $1::text and not f.is_control
  ), paths as (
    select s.version as first, s.target as last, array[s.version, s.target] as way from steps s
    union all
    select p.first, s.target, p.way || s.target from paths p join steps s on s.version = p.last and s.target <> all (p.way)
  )
  select a.version, b.version, (
    select pg_catalog.array_to_string(p.way, '--') from paths p where p.first = a.version and p.last = b.version
    order by pg_catalog.cardinality(p.way) limit 1)
  from known a, known b where a.version <> b.version
$$;

create type pgtle.pg_tle_features as enum ('passcheck', 'clientauth');
create type pgtle.password_types as enum ('PASSWORD_TYPE_PLAINTEXT', 'PASSWORD_TYPE_MD5', 'PASSWORD_TYPE_SCRAM_SHA_256');
create type pgtle.clientauth_port_subset as (noblock boolean, remote_host text, remote_hostname text,
  remote_hostname_resolv integer, remote_hostname_errcode integer, database_name text, user_name text);
create table pgtle.feature_info (
  feature pgtle.pg_tle_features, schema_name text, proname text, obj_identity text not null,
  primary key (feature, schema_name, proname)
);
select pg_catalog.pg_extension_config_dump('pgtle.feature_info', '');
grant select on pgtle.feature_info to public;

-- Hooks into the server and types of bytes need the library.
do $$
declare
  signature text;
begin
  foreach signature in array array[
    'register_feature(proc regproc, feature pgtle.pg_tle_features) returns void',
    'register_feature_if_not_exists(proc regproc, feature pgtle.pg_tle_features) returns boolean',
    'unregister_feature(proc regproc, feature pgtle.pg_tle_features) returns void',
    'unregister_feature_if_exists(proc regproc, feature pgtle.pg_tle_features) returns boolean',
    'create_shell_type(typenamespace regnamespace, typename name) returns void',
    'create_shell_type_if_not_exists(typenamespace regnamespace, typename name) returns boolean',
    'create_base_type(typenamespace regnamespace, typename name, infunc regprocedure, outfunc regprocedure, internallength integer, alignment text default ''int4'', storage text default ''plain'') returns void',
    'create_base_type_if_not_exists(typenamespace regnamespace, typename name, infunc regprocedure, outfunc regprocedure, internallength integer, alignment text default ''int4'', storage text default ''plain'') returns boolean',
    'create_operator_func(typenamespace regnamespace, typename name, opfunc regprocedure) returns void',
    'create_operator_func_if_not_exists(typenamespace regnamespace, typename name, opfunc regprocedure) returns boolean'
  ] loop
    execute pg_catalog.format('create function pgtle.%s language plpgsql as %L', signature, pg_catalog.format(
      'begin raise exception using errcode = ''0A000'', message = %L, hint = %L; end',
      'pgtle.' || pg_catalog.split_part(signature, '(', 1) || '() does nothing in Homebase: the extension pg_tle is here without its library.',
      'Extensions of plain SQL can be installed. Try this one on a hosted project.'));
  end loop;
end
$$;

-- Whether CREATE EXTENSION and ALTER EXTENSION of a name are pg_tle's: Homebase asks before it sends either.
create function pgtle._is_installed(name text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp begin atomic
  select exists (select from pgtle._files f where f.is_control and f.extension = $1);
end;

-- The scripts that lead to a version: the shortest way, from nothing where `source` is null.
create function pgtle._scripts(name text, source text, target text) returns setof text
language sql stable set search_path = pg_catalog, pg_temp begin atomic
  with recursive ways as (
    select array[f.text] as texts, array[coalesce(f.target, f.version)] as versions from pgtle._files f
    where f.extension = $1 and not f.is_control
      and case when $2 is null then f.target is null else f.version = $2 and f.target is not null end
    union all
    select w.texts || f.text, w.versions || f.target from ways w join pgtle._files f
      on f.extension = $1 and f.version = w.versions[cardinality(w.versions)] and f.target is not null
    where f.target <> all (w.versions) and f.target is distinct from $2
  )
  select unnest(shortest.texts) from (
    select w.texts from ways w where w.versions[cardinality(w.versions)] = $3 order by cardinality(w.versions) limit 1) shortest;
end;

-- The rows of an extension in the catalogue, which only superusers may write: of one that pg_tle has, owned by the role
-- that asks, and without rights of its own.
create function pg_catalog.homebase_tle_create(name name, version text, schema name, requires name[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
declare
  owner oid := coalesce(nullif(current_setting('role'), 'none'), session_user)::regrole;
  place oid := quote_ident(schema)::regnamespace;
  made oid;
begin
  if not pgtle._is_installed(name::text) or exists (select from pg_available_extensions a where a.name = $1) then
    raise 'extension "%" is not available', name using errcode = '0A000';
  elsif exists (select from pg_extension e where e.extname = $1) then
    raise 'extension "%" already exists', name using errcode = '42710';
  elsif not has_database_privilege(owner, current_database(), 'create') then
    raise 'permission denied to create extension "%"', name using errcode = '42501';
  end if;
  made := pg_nextoid('pg_extension', 'oid', 'pg_extension_oid_index');
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  values (made, name, owner, place, false, version);
  insert into pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
  select d.oid, 'pg_extension'::regclass, made, 0, 'pg_authid'::regclass, owner, 'o'
  from pg_database d where d.datname = current_database();
  insert into pg_depend (classid, objid, objsubid, refclassid, refobjid, refobjsubid, deptype)
  select 'pg_extension'::regclass, made, 0, 'pg_namespace'::regclass, place, 0, 'n'
  union all
  select 'pg_extension'::regclass, made, 0, 'pg_extension'::regclass, e.oid, 0, 'n'
  from pg_extension e where e.extname = 'pg_tle' or e.extname = any (requires);
end
$$;
create function pg_catalog.homebase_tle_update(name name, version text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  update pg_extension e set extversion = version
  where e.extname = $1 and pgtle._is_installed($1::text) and not exists (select from pg_available_extensions a where a.name = $1)
    and pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::regrole, e.extowner, 'usage');
  if not found then raise 'must be owner of extension %', name using errcode = '42501'; end if;
end
$$;

-- Runs scripts as their caller, with what they make added to the extension by the event trigger below.
create function pgtle._run(name text, schema text, requires text[], scripts text[]) returns void language plpgsql as $$
declare
  before text[] := array[pg_catalog.current_setting('search_path'), pg_catalog.current_setting('check_function_bodies'),
    coalesce(pg_catalog.current_setting('homebase.tle', true), '')];
  script text;
begin
  perform pg_catalog.set_config('search_path', pg_catalog.quote_ident(schema) || coalesce((
      select ', ' || pg_catalog.string_agg(distinct pg_catalog.quote_ident(n.nspname), ', ') from pg_catalog.pg_extension e
      join pg_catalog.pg_namespace n on n.oid = e.extnamespace
      where e.extname = any (requires) and n.nspname not in ('pg_catalog', schema)), '') || ', pg_temp', true),
    pg_catalog.set_config('check_function_bodies', 'off', true), pg_catalog.set_config('homebase.tle', name, true);
  foreach script in array scripts loop
    -- A statement that is empty would be an error.
    execute pg_catalog.regexp_replace(pg_catalog.replace(script, '@' || 'extschema@', pg_catalog.quote_ident(schema)),
      '(?n)^[\\]echo.*$', '', 'g') || pg_catalog.chr(10) || ';do $homebase$ begin end $homebase$';
  end loop;
  perform pg_catalog.set_config('search_path', before[1], true), pg_catalog.set_config('check_function_bodies', before[2], true),
    pg_catalog.set_config('homebase.tle', before[3], true);
end
$$;

create function pgtle.create_extension(
  name text, version text default null, schema text default null, "cascade" boolean default false, if_not_exists boolean default false)
returns void language plpgsql as $$
#variable_conflict use_variable
declare
  control text := (select f.text from pgtle._files f where f.is_control and f.extension = name);
  requires text[] := coalesce(pg_catalog.string_to_array(pg_catalog.replace(pgtle._setting(control, 'requires'), ' ', ''), ','), '{}');
  chosen text := coalesce(version, pgtle._setting(control, 'default_version'));
  place text := coalesce(schema, pg_catalog.current_schema());
  scripts text[];
  required text;
begin
  if if_not_exists and exists (select from pg_catalog.pg_extension e where e.extname = name::name) then
    raise notice 'extension "%" already exists, skipping', name using errcode = '42710';
    return;
  end if;
  if pg_catalog.to_regnamespace(pg_catalog.quote_ident(place)) is null then
    raise 'schema "%" does not exist', place using errcode = '3F000';
  end if;
  scripts := array(select pgtle._scripts(name, null, chosen));
  if scripts = '{}' then
    raise 'extension "%" has no installation script nor update path for version "%"', name, chosen using errcode = '22023';
  end if;
  foreach required in array requires loop
    if not exists (select from pg_catalog.pg_extension e where e.extname = required::name) then
      if not "cascade" then
        raise 'required extension "%" is not installed', required using errcode = '42704',
          hint = 'Use CREATE EXTENSION ... CASCADE to install required extensions too.';
      elsif pgtle._is_installed(required) then
        perform pgtle.create_extension(required, schema => place, "cascade" => true);
      else
        execute pg_catalog.format('create extension %I schema %I cascade', required, place);
      end if;
    end if;
  end loop;
  perform pg_catalog.homebase_tle_create(name::name, chosen, place::name, requires::name[]);
  perform pgtle._run(name, place, requires, scripts);
end
$$;

create function pgtle.update_extension(name text, version text default null) returns void language plpgsql as $$
#variable_conflict use_variable
declare
  control text := (select f.text from pgtle._files f where f.is_control and f.extension = name);
  chosen text := coalesce(version, pgtle._setting(control, 'default_version'));
  found pg_catalog.pg_extension;
  scripts text[];
begin
  select * into found from pg_catalog.pg_extension e where e.extname = name::name;
  if found.oid is null then raise 'extension "%" does not exist', name using errcode = '42704'; end if;
  if found.extversion = chosen then
    raise notice 'version "%" of extension "%" is already installed', chosen, name;
    return;
  end if;
  scripts := array(select pgtle._scripts(name, found.extversion, chosen));
  if scripts = '{}' then
    raise 'extension "%" has no update path from version "%" to version "%"', name, found.extversion, chosen using errcode = '22023';
  end if;
  perform pg_catalog.homebase_tle_update(name::name, chosen);
  perform pgtle._run(name, (select n.nspname from pg_catalog.pg_namespace n where n.oid = found.extnamespace),
    pg_catalog.string_to_array(pg_catalog.replace(pgtle._setting(control, 'requires'), ' ', ''), ','), scripts);
end
$$;

-- Adds what a script makes to its extension, with the rights of its caller alone.
create function pgtle._add_members() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  name text := nullif(pg_catalog.current_setting('homebase.tle', true), '');
  made record;
begin
  -- In another extension's script it fires as the superuser: what that makes is no project's to take.
  if name is null or (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then return; end if;
  for made in
    select distinct c.object_type, c.object_identity from pg_catalog.pg_event_trigger_ddl_commands() c
    where not c.in_extension and c.objid is not null and c.objsubid = 0 and c.schema_name is distinct from 'pg_temp'
      and (c.command_tag ~ '^CREATE ' or c.command_tag = 'SELECT INTO')
      and c.object_type in ('aggregate', 'cast', 'collation', 'conversion', 'domain', 'foreign table', 'function', 'language',
        'materialized view', 'operator', 'operator class', 'operator family', 'procedure', 'schema', 'sequence', 'server', 'table',
        'text search configuration', 'text search dictionary', 'type', 'view')
      and not exists (select from pg_catalog.pg_depend d
        where d.classid = c.classid and d.objid = c.objid and d.deptype = 'e')
  loop
    execute pg_catalog.format('alter extension %I add %s %s', name, made.object_type, made.object_identity);
  end loop;
end
$$;
-- Renewed.
do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'pg_tle_add_members') then
    create event trigger pg_tle_add_members on ddl_command_end execute function pgtle._add_members();
  end if;
end
$$;
