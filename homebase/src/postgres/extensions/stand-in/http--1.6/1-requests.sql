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
-- The second connection's role, which may do nothing else.
grant usage on schema @extschema@ to homebase_http;
grant select, insert, delete on _http_exchange to homebase_http;

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
    'host=%s port=%s dbname=%L user=homebase_http application_name=http',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database()));
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
