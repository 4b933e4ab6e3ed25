-- What CREATE EXTENSION and ALTER EXTENSION ... UPDATE of a kept extension do.

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
  -- In another extension's script it fires as the superuser: objects of that extension are not a project's to take.
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
