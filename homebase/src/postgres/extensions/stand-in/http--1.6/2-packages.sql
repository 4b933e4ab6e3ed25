-- Packages of database.dev that Homebase carries, so that its installer works while migrations run and without a
-- network: its client, and the helpers for pgTAP tests, both written anew with the same functions and results.

create function @extschema@._http_packages() returns table (package text, version text, description text, requires text[], sql text)
language sql immutable set search_path = pg_catalog, pg_temp as $packages$
  values ('supabase-dbdev', '0.0.5', 'PostgreSQL package manager', '{}'::text[], $sql$
create schema dbdev;

create function dbdev.install(
  package_name text, base_url text default 'https://api.database.dev/rest/v1/', api_key text default null)
returns bool language plpgsql as $$
declare
  http_schema text := (select extnamespace::regnamespace::text from pg_catalog.pg_extension where extname = 'http');
  answer jsonb;
  rows jsonb;
  one record;
begin
  if http_schema is null then
    raise exception using errcode = '22000', message = 'dbdev requires the http extension and it is not available';
  end if;
  execute pg_catalog.format('select to_jsonb(x) from %s.http((''GET'', $1, array[(''apikey'', $2)::%1$s.http_header], null, null)) x', http_schema)
    into answer using base_url || 'package_versions?select=version,sql,control_description,control_requires&limit=50&package_name=eq.'
      || package_name, api_key;
  rows := (answer ->> 'content')::jsonb;
  if (answer ->> 'status')::int <> 200 or pg_catalog.jsonb_typeof(rows) <> 'array' or pg_catalog.jsonb_array_length(rows) = 0 then
    raise exception using errcode = '22000', message = pg_catalog.format('No versions found for package named %s', package_name);
  end if;
  for one in
    select r.version, r.sql, r.control_description as description, r.control_requires as requires
    from pg_catalog.jsonb_to_recordset(rows) r (version text, sql text, control_description text, control_requires text[])
    order by pg_catalog.string_to_array(r.version, '.')::int[]
  loop
    if not exists (select from pgtle.available_extensions() where name = package_name::name) then
      perform pgtle.install_extension(package_name, one.version, one.description, one.sql, one.requires);
    elsif not exists (select from pgtle.available_extension_versions() v where v.name = package_name::name and v.version = one.version) then
      perform pgtle.install_extension_version_sql(package_name, one.version, one.sql);
    end if;
    perform pgtle.set_default_version(package_name, one.version);
  end loop;
  return true;
end
$$;
$sql$)
  union all
  select 'basejump-supabase_test_helpers', version, 'A collection of functions designed to make testing Supabase projects easier',
    '{pgtap}'::text[], $sql$
create schema if not exists tests;
create schema if not exists test_overrides;
grant usage on schema tests, test_overrides to anon, authenticated, service_role;
alter default privileges in schema tests revoke execute on functions from public;
alter default privileges in schema tests grant execute on functions to anon, authenticated, service_role;
alter default privileges in schema test_overrides revoke execute on functions from public;
alter default privileges in schema test_overrides grant execute on functions to anon, authenticated, service_role;

create or replace function tests.create_supabase_user(
  identifier text, email text default null, phone text default null, metadata jsonb default null)
returns uuid language plpgsql security definer set search_path = auth, pg_temp as $$
declare
  user_id uuid := pg_catalog.gen_random_uuid();
begin
  insert into auth.users (id, email, phone, raw_user_meta_data, raw_app_meta_data, created_at, updated_at)
  values (user_id, coalesce(create_supabase_user.email, user_id || '@test.com'), create_supabase_user.phone,
    pg_catalog.jsonb_build_object('test_identifier', identifier) || coalesce(metadata, '{}'), '{}', pg_catalog.now(), pg_catalog.now());
  return user_id;
end
$$;

create or replace function tests.get_supabase_user(identifier text)
returns json language plpgsql security definer set search_path = auth, pg_temp as $$
declare
  found_user json := (
    select pg_catalog.json_build_object('id', u.id, 'email', u.email, 'phone', u.phone,
      'raw_user_meta_data', u.raw_user_meta_data, 'raw_app_meta_data', u.raw_app_meta_data)
    from auth.users u where u.raw_user_meta_data ->> 'test_identifier' = identifier limit 1);
begin
  if found_user is null then raise exception 'User with identifier % not found', identifier; end if;
  return found_user;
end
$$;

create or replace function tests.get_supabase_uid(identifier text)
returns uuid language sql stable security definer set search_path = auth, pg_temp as $$
  select (tests.get_supabase_user(identifier) ->> 'id')::uuid
$$;

create or replace function tests.authenticate_as(identifier text) returns void language plpgsql as $$
declare
  user_data json := tests.get_supabase_user(identifier);
begin
  perform pg_catalog.set_config('request.jwt.claims', pg_catalog.json_build_object('sub', user_data ->> 'id',
    'email', user_data ->> 'email', 'phone', user_data ->> 'phone', 'role', 'authenticated',
    'user_metadata', user_data -> 'raw_user_meta_data', 'app_metadata', user_data -> 'raw_app_meta_data')::text, true);
  perform pg_catalog.set_config('role', 'authenticated', true);
end
$$;

create or replace function tests.authenticate_as_service_role() returns void language plpgsql as $$
begin
  perform pg_catalog.set_config('role', 'service_role', true);
  perform pg_catalog.set_config('request.jwt.claims', null, true);
end
$$;

create or replace function tests.clear_authentication() returns void language plpgsql as $$
begin
  perform pg_catalog.set_config('role', 'anon', true);
  perform pg_catalog.set_config('request.jwt.claims', null, true);
end
$$;

create or replace function tests.rls_enabled(testing_schema text) returns text language sql as $$
  select is(
    (select count(*)::int from pg_catalog.pg_class c
      where c.relnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = testing_schema)
        and c.relkind in ('r', 'p') and not c.relrowsecurity),
    0, 'All tables in the ' || testing_schema || ' schema should have row level security enabled')
$$;

create or replace function tests.rls_enabled(testing_schema text, testing_table text) returns text language sql as $$
  select is(
    (select count(*)::int from pg_catalog.pg_class c
      where c.relnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = testing_schema)
        and c.relname = testing_table and c.relkind in ('r', 'p') and c.relrowsecurity),
    1, testing_table || ' table in the ' || testing_schema || ' schema should have row level security enabled')
$$;

create or replace function test_overrides.now() returns timestamptz language plpgsql as $$
begin
  return coalesce(nullif(pg_catalog.current_setting('tests.frozen_time', true), '')::timestamptz, pg_catalog.now());
end
$$;

create or replace function tests.freeze_time(frozen_time timestamptz) returns void language plpgsql as $$
declare
  path text := pg_catalog.current_setting('search_path');
begin
  -- pg_catalog comes first unless it is named; named behind, its now() gives way.
  if path not like 'test_overrides,%' then
    perform pg_catalog.set_config('tests.original_search_path', path, true);
    perform pg_catalog.set_config('search_path', 'test_overrides,' || path || ',pg_catalog', true);
  end if;
  perform pg_catalog.set_config('tests.frozen_time', frozen_time::text, true);
end
$$;

create or replace function tests.unfreeze_time() returns void language plpgsql as $$
begin
  perform pg_catalog.set_config('tests.frozen_time', null, true);
  perform pg_catalog.set_config('search_path', pg_catalog.current_setting('tests.original_search_path'), true);
end
$$;
$sql$
  from unnest(array['0.0.1', '0.0.2', '0.0.3', '0.0.4', '0.0.5', '0.0.6']) version
$packages$;

-- The registry's answer for a package that is carried; null for every other request. A package's name has an @ in
-- later clients (owner@package).
create function @extschema@._http_carried(uri text) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp begin atomic
  select jsonb_build_object('status', 200, 'contentType', 'application/json', 'headers', '[]'::jsonb, 'content', (
    case when $1 ~ 'package_upgrades[?]' then '[]'::jsonb else (
      select jsonb_agg(jsonb_build_object('version', p.version, 'sql', p.sql, 'control_description', p.description,
          'control_requires', p.requires) order by p.version desc)
      from (
        select * from @extschema@._http_packages() o where o.package = wanted.asked order by o.version desc
        limit case when $1 ~ '[?&]limit=1(&|$)' then 1 end) p) end)::text)
  from (select replace(replace((regexp_match($1,
    '^https://api[.]database[.]dev/rest/v1/package_(?:versions|upgrades)[?](?:.*&)?package_(?:name|alias)=eq[.]([^&]+)'))[1],
    '%40', '@'), '@', '-') as asked) wanted
  where exists (select from @extschema@._http_packages() p where p.package = wanted.asked);
end;
