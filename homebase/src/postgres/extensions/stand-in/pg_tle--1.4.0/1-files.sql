-- pg_tle 1.4.0 without its library. As upstream, an installed extension is kept in functions of schema pgtle that
-- return its files, so that dumps carry it. Upstream hooks into CREATE EXTENSION; here pgtle.create_extension() does its
-- work, without files: the script runs as its caller, and what it makes is added to the extension.

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
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
