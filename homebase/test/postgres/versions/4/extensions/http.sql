-- pgsql-http's functions. A statement hands its request over by a second connection of the server to itself, as its
-- own transaction shows nothing to others before it ends, and waits there for the answer of Homebase.

create domain http_method as text;
create domain content_type as text check (value ~ '^\S+\/\S+');
create type http_header as (field varchar, value varchar);
create type http_response as (status integer, content_type varchar, headers http_header[], content varchar);
create type http_request as (
  method http_method, uri varchar, headers http_header[], content_type varchar, content varchar
);

create unlogged table _http_exchange (
  id bigint generated always as identity primary key,
  created timestamptz not null default clock_timestamp(),
  method text not null,
  url text not null,
  headers jsonb not null,
  body bytea,
  timeout_milliseconds int not null,
  taken bool not null default false,
  answer jsonb
);
revoke all on _http_exchange from public, postgres, anon, authenticated, service_role;

create function _http_connect(text, text) returns text language c strict as '$libdir/dblink', 'dblink_connect';
create function _http_disconnect(text) returns text language c strict as '$libdir/dblink', 'dblink_disconnect';
create function _http_query(text, text) returns setof record language c strict as '$libdir/dblink', 'dblink_record';
revoke execute on function _http_connect, _http_disconnect, _http_query
  from public, postgres, anon, authenticated, service_role;

-- Makes one exchange; rights of the owner, who alone may use the connection and the table.
create function _http_exchange(method text, url text, headers jsonb, body bytea, timeout_milliseconds int)
returns jsonb language plpgsql security definer set search_path = pg_catalog as $$
declare
  connection text := 'homebase_http_' || pg_backend_pid();
  exchange bigint;
  was_taken bool;
  found_answer jsonb;
  give_up timestamptz := clock_timestamp() + interval '3 seconds';
begin
  perform @extschema@._http_connect(connection, format(
    'host=%s port=%s dbname=%L user=%L application_name=http',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database(), current_user));
  begin
    select id into exchange from @extschema@._http_query(connection, format(
      'with asked as (
         insert into %1$s (method, url, headers, body, timeout_milliseconds) values (%2$L, %3$L, %4$L, %5$L, %6$s) returning id
       ) select id from asked, pg_notify(''homebase'', ''http'')',
      '@extschema@._http_exchange', method, url, headers, body, timeout_milliseconds)) as asked(id bigint);
    loop
      select taken, answer into was_taken, found_answer from @extschema@._http_query(connection, format(
        'select taken, answer from @extschema@._http_exchange where id = %s', exchange)) as row_(taken bool, answer jsonb);
      exit when found_answer is not null;
      if not was_taken and clock_timestamp() > give_up then
        raise exception using errcode = '0A000', message = 'http: no stack serves this database, and requests are made by it.',
          hint = 'Start it with: homebase start. While migrations run it does not serve yet.';
      end if;
      perform pg_sleep(0.01);
    end loop;
    perform id from @extschema@._http_query(connection, format(
      'delete from @extschema@._http_exchange where id = %s returning id', exchange)) as gone(id bigint);
  exception when undefined_table or invalid_schema_name then
    perform @extschema@._http_disconnect(connection);
    raise exception using errcode = '0A000', message = 'http: the extension was made by this transaction, and requests are made outside of it.',
      hint = 'Create the extension in a migration before this one.';
  when query_canceled or others then
    perform @extschema@._http_disconnect(connection);
    raise;
  end;
  perform @extschema@._http_disconnect(connection);
  return found_answer;
end
$$;
revoke execute on function _http_exchange from public, postgres, anon, authenticated, service_role;

create function http_set_curlopt(curlopt varchar, value varchar) returns boolean language plpgsql as $$
begin
  if curlopt not in ('CURLOPT_TIMEOUT', 'CURLOPT_TIMEOUT_MS', 'CURLOPT_USERAGENT') then
    raise exception using errcode = '0A000', message = format('http: %s is not supported by Homebase.', curlopt),
      hint = 'CURLOPT_TIMEOUT, CURLOPT_TIMEOUT_MS and CURLOPT_USERAGENT are.';
  end if;
  perform set_config('homebase_http.' || lower(curlopt), value, false);
  return true;
end
$$;
create function http_reset_curlopt() returns boolean language plpgsql as $$
declare
  name text;
begin
  foreach name in array array['curlopt_timeout', 'curlopt_timeout_ms', 'curlopt_useragent'] loop
    perform set_config('homebase_http.' || name, '', false);
  end loop;
  return true;
end
$$;
create function http_list_curlopt() returns table (curlopt text, value text) language sql as $$
  select upper(name), current_setting('homebase_http.' || name, true)
  from unnest(array['curlopt_timeout', 'curlopt_timeout_ms', 'curlopt_useragent']) name
  where current_setting('homebase_http.' || name, true) <> ''
$$;

create function http_header(field varchar, value varchar) returns http_header language sql as $$ select $1, $2 $$;

create function http(request @extschema@.http_request) returns http_response
language plpgsql security definer set search_path = pg_catalog as $$
declare
  method text := upper(request.method);
  given jsonb := '{}';
  one @extschema@.http_header;
  answer jsonb;
  milliseconds int := 5000;
begin
  if request.uri is null then raise exception 'http_request.uri is NULL'; end if;
  if method is null then raise exception 'http_request.method is NULL'; end if;
  if method !~ '^[A-Z]{1,20}$' then raise exception 'http_request.method is not a method: %', method; end if;
  foreach one in array coalesce(request.headers, '{}') loop
    if one.field is not null then given := given || jsonb_build_object(one.field, coalesce(one.value, '')); end if;
  end loop;
  if request.content_type is not null then given := given || jsonb_build_object('content-type', request.content_type); end if;
  given := jsonb_build_object('user-agent', coalesce(
    nullif(current_setting('homebase_http.curlopt_useragent', true), ''), 'PostgreSQL/' || current_setting('server_version'))) || given;
  milliseconds := coalesce(
    nullif(current_setting('homebase_http.curlopt_timeout_ms', true), '')::int,
    nullif(current_setting('homebase_http.curlopt_timeout', true), '')::int * 1000, milliseconds);
  answer := coalesce(@extschema@._http_carried(request.uri), @extschema@._http_exchange(
    method, request.uri, given, convert_to(request.content, 'UTF8'), greatest(1, least(milliseconds, 600000))));
  if answer ->> 'error' is not null then raise exception using errcode = 'XX000', message = answer ->> 'error'; end if;
  return (
    (answer ->> 'status')::int, answer ->> 'contentType',
    array(select (field, value)::@extschema@.http_header
      from jsonb_to_recordset(answer -> 'headers') as header(field varchar, value varchar)),
    answer ->> 'content')::@extschema@.http_response;
end
$$;

create function http_get(uri varchar) returns http_response language sql as $$
  select @extschema@.http(('GET', $1, null, null, null)::@extschema@.http_request)
$$;
create function http_post(uri varchar, content varchar, content_type varchar) returns http_response language sql as $$
  select @extschema@.http(('POST', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_put(uri varchar, content varchar, content_type varchar) returns http_response language sql as $$
  select @extschema@.http(('PUT', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_patch(uri varchar, content varchar, content_type varchar) returns http_response language sql as $$
  select @extschema@.http(('PATCH', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_delete(uri varchar) returns http_response language sql as $$
  select @extschema@.http(('DELETE', $1, null, null, null)::@extschema@.http_request)
$$;
create function http_delete(uri varchar, content varchar, content_type varchar) returns http_response language sql as $$
  select @extschema@.http(('DELETE', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function http_head(uri varchar) returns http_response language sql as $$
  select @extschema@.http(('HEAD', $1, null, null, null)::@extschema@.http_request)
$$;

-- Letters, digits and -_.~ stay (RFC 3986 2.3), as by curl.
create function urlencode(string bytea) returns text language sql immutable strict as $$
  select coalesce(string_agg(
    case
      when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 or byte in (45, 46, 95, 126)
        then chr(byte)
      else '%' || upper(lpad(to_hex(byte), 2, '0'))
    end, '' order by place), '')
  from (select place, get_byte(string, place) as byte from generate_series(0, octet_length(string) - 1) place) bytes
$$;
create function urlencode(string varchar) returns text language sql immutable strict as $$
  select @extschema@.urlencode(convert_to($1, 'UTF8'))
$$;
create function urlencode(data jsonb) returns text language sql immutable strict as $$
  select coalesce(string_agg(@extschema@.urlencode(key::varchar) || '=' || @extschema@.urlencode(coalesce(value, '')::varchar), '&'), '')
  from jsonb_each_text(data)
$$;
create function http_get(uri varchar, data jsonb) returns http_response language sql as $$
  select @extschema@.http(('GET', $1 || '?' || @extschema@.urlencode($2), null, null, null)::@extschema@.http_request)
$$;
create function http_post(uri varchar, data jsonb) returns http_response language sql as $$
  select @extschema@.http(
    ('POST', $1, null, 'application/x-www-form-urlencoded', @extschema@.urlencode($2))::@extschema@.http_request)
$$;
create function text_to_bytea(data text) returns bytea language sql immutable strict as $$ select convert_to($1, 'UTF8') $$;
create function bytea_to_text(data bytea) returns text language sql immutable strict as $$ select convert_from($1, 'UTF8') $$;

-- A grant on all functions of a schema fails at one that its grantor has no right on. Called by themselves these do no
-- more than dblink and http() for role postgres.
grant execute on function _http_connect, _http_disconnect, _http_query, _http_exchange to postgres;
-- Packages of database.dev that Homebase carries, so that its installer works while migrations run and without a
-- network: its client, and the helpers for pgTAP tests, both written anew with the same functions and results.

create function _http_packages() returns table (package text, version text, description text, requires text[], sql text)
language sql immutable set search_path = pg_catalog as $packages$
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
create function _http_carried(uri text) returns jsonb language plpgsql stable set search_path = pg_catalog as $$
declare
  asked text := (regexp_match(uri, '^https://api\.database\.dev/rest/v1/package_(?:versions|upgrades)\?(?:.*&)?package_(?:name|alias)=eq\.([^&]+)'))[1];
  newest boolean := uri ~ '[?&]limit=1(&|$)';
  content jsonb;
begin
  asked := replace(replace(asked, '%40', '@'), '@', '-');
  if asked is null or not exists (select from @extschema@._http_packages() p where p.package = asked) then return null; end if;
  content := case when uri ~ 'package_upgrades\?' then '[]' else (
    select jsonb_agg(jsonb_build_object('version', p.version, 'sql', p.sql, 'control_description', p.description,
        'control_requires', p.requires) order by p.version desc)
    from (select * from @extschema@._http_packages() o where o.package = asked order by o.version desc limit case when newest then 1 end) p) end;
  return jsonb_build_object('status', 200, 'contentType', 'application/json', 'headers', '[]'::jsonb, 'content', content::text);
end
$$;
