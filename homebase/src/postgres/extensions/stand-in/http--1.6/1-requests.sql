-- pgsql-http's functions. A statement hands its request over by a second connection of the server to itself, as its
-- own transaction shows nothing to others before it ends, and waits there for the answer of Homebase.

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;

-- As which a statement dials in, by the socket: it may call three functions, and nothing else. It belongs to the whole
-- server: two databases at once would both find it missing. Renewed.
do $$
begin
  if to_regrole('homebase_http') is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext('homebase_http'));
  if to_regrole('homebase_http') is null then create role homebase_http login noinherit; end if;
end
$$;

create domain @extschema@.http_method as text;
create domain @extschema@.content_type as text check (value ~ '^\S+\/\S+');
create type @extschema@.http_header as (field varchar, value varchar);
create type @extschema@.http_response as (status integer, content_type varchar, headers @extschema@.http_header[], content varchar);
create type @extschema@.http_request as (
  method @extschema@.http_method, uri varchar, headers @extschema@.http_header[], content_type varchar, content varchar
);

create unlogged table @extschema@._http_exchange (
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
revoke all on @extschema@._http_exchange from public, postgres, anon, authenticated, service_role;

-- Code with the superuser's rights is in pg_catalog or bound when it is created: a project may rename the schema of
-- the extension, and put other code there.
create function pg_catalog.homebase_http_connect(text, text) returns text language c strict as '$libdir/dblink', 'dblink_connect';
create function pg_catalog.homebase_http_disconnect(text) returns text language c strict as '$libdir/dblink', 'dblink_disconnect';
create function pg_catalog.homebase_http_query(text, text) returns setof record language c strict as '$libdir/dblink', 'dblink_record';

-- The four steps of an exchange: role homebase_http, as which the statement dials in, asks, waits and clears away;
-- Homebase takes and answers.
create function pg_catalog.homebase_http_ask(text, text, jsonb, bytea, int) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp begin atomic
  with asked as (
    insert into @extschema@._http_exchange (method, url, headers, body, timeout_milliseconds)
    values ($1, $2, $3, $4, $5) returning id
  ) select asked.id from asked, pg_notify('homebase', 'http');
end;
create function pg_catalog.homebase_http_answer(bigint, out taken bool, out answer jsonb)
language sql security definer set search_path = pg_catalog, pg_temp begin atomic
  select e.taken, e.answer from @extschema@._http_exchange e where e.id = $1;
end;
create function pg_catalog.homebase_http_done(bigint) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp begin atomic
  delete from @extschema@._http_exchange where id = $1 returning id;
end;
create function pg_catalog.homebase_http_take(
  out id bigint, out method text, out url text, out headers jsonb, out body bytea, out timeout_milliseconds int) returns setof record
language sql set search_path = pg_catalog, pg_temp begin atomic
  with old as (delete from @extschema@._http_exchange where created < now() - interval '15 minutes')
  update @extschema@._http_exchange e set taken = true where not e.taken
  returning e.id, e.method, e.url, e.headers, e.body, e.timeout_milliseconds;
end;
create function pg_catalog.homebase_http_give(bigint, jsonb) returns void
language sql set search_path = pg_catalog, pg_temp begin atomic
  update @extschema@._http_exchange set answer = $2 where id = $1;
end;

-- Makes one exchange. Its caller is the superuser, so dblink takes the password from a file beside the server's rules, which
-- only the server's account reads. Its text would show in the traces of whoever loads auto_explain.
create function pg_catalog.homebase_http_exchange(method text, url text, headers jsonb, body bytea, timeout_milliseconds int)
returns jsonb language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  connection text := 'homebase_http_' || pg_backend_pid();
  exchange bigint;
  was_taken bool;
  found_answer jsonb;
  give_up timestamptz := clock_timestamp() + interval '3 seconds';
begin
  -- A request has effects that no read-only transaction holds back.
  if session_user = 'homebase_reader' then
    raise exception using errcode = '42501', message = 'http: this login only reads, and makes no requests.';
  end if;
  -- A value of a connection string has its own escapes.
  perform homebase_http_connect(connection, format(
    'host=%s port=%s passfile=''%s'' dbname=''%s'' user=homebase_http application_name=http',
    coalesce(nullif(split_part(current_setting('unix_socket_directories'), ',', 1), ''), '127.0.0.1'), current_setting('port'),
    regexp_replace(current_setting('hba_file'), '[^/]*$', 'passwords'),
    replace(replace(current_database(), chr(92), chr(92) || chr(92)), chr(39), chr(92) || chr(39))));
  begin
    select id into exchange from homebase_http_query(connection, format(
      'select pg_catalog.homebase_http_ask(%L, %L, %L, %L, %s)', method, url, headers, body, timeout_milliseconds)) as asked(id bigint);
    loop
      select taken, answer into was_taken, found_answer from homebase_http_query(connection, format(
        'select taken, answer from pg_catalog.homebase_http_answer(%s)', exchange)) as row_(taken bool, answer jsonb);
      exit when found_answer is not null;
      if not was_taken and clock_timestamp() > give_up then
        raise exception using errcode = '0A000', message = 'http: no stack serves this database, and requests are made by it.',
          hint = 'Start it with: homebase start. While migrations run it does not serve yet.';
      end if;
      perform pg_sleep(0.01);
    end loop;
    perform id from homebase_http_query(connection, format(
      'select pg_catalog.homebase_http_done(%s)', exchange)) as gone(id bigint);
  exception when undefined_function or undefined_table or invalid_schema_name then
    perform homebase_http_disconnect(connection);
    raise exception using errcode = '0A000', message = 'http: the extension was made by this transaction, and requests are made outside of it.',
      hint = 'Create the extension in a migration before this one.';
  when query_canceled or others then
    perform homebase_http_disconnect(connection);
    raise;
  end;
  perform homebase_http_disconnect(connection);
  return found_answer;
end
$$;

-- The options of pgsql-http (http.c, settable_curlopts), and whether each has an effect here.
create function @extschema@._http_curlopts() returns table (curlopt text, effective bool)
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select 'CURLOPT_' || name, name in ('TIMEOUT', 'TIMEOUT_MS', 'USERAGENT', 'USERPWD') from unnest(array[
    'CAINFO', 'TIMEOUT', 'TIMEOUT_MS', 'CONNECTTIMEOUT', 'CONNECTTIMEOUT_MS', 'USERAGENT', 'USERPWD', 'IPRESOLVE',
    'SSLCERTTYPE', 'PROXY', 'PROXYPORT', 'PROXYUSERNAME', 'PROXYPASSWORD', 'TLSAUTH_USERNAME', 'TLSAUTH_PASSWORD',
    'TLSAUTH_TYPE', 'DNS_SERVERS', 'TCP_KEEPALIVE', 'TCP_KEEPIDLE', 'SSL_VERIFYHOST', 'SSL_VERIFYPEER', 'SSLCERT',
    'SSLKEY', 'PRE_PROXY', 'PROXY_CAINFO', 'PROXY_TLSAUTH_USERNAME', 'PROXY_TLSAUTH_PASSWORD', 'PROXY_TLSAUTH_TYPE']) name
$$;
create function @extschema@.http_set_curlopt(curlopt varchar, value varchar) returns boolean language plpgsql as $$
declare
  has_effect bool;
begin
  select o.effective into has_effect from @extschema@._http_curlopts() o where o.curlopt = $1;
  if has_effect is null then
    raise exception using errcode = '22023', message = format('http: %s is not an option that can be set.', curlopt);
  elsif not has_effect then
    raise notice 'http: % is kept and has no effect in Homebase.', curlopt;
  end if;
  perform set_config('homebase_http.' || lower(curlopt), value, false);
  return true;
end
$$;
create function @extschema@.http_reset_curlopt() returns boolean language sql as $$
  select set_config('homebase_http.' || lower(o.curlopt), '', false) from @extschema@._http_curlopts() o;
  select true
$$;
create function @extschema@.http_list_curlopt() returns table (curlopt text, value text) language sql as $$
  select o.curlopt, current_setting('homebase_http.' || lower(o.curlopt), true) from @extschema@._http_curlopts() o
  where current_setting('homebase_http.' || lower(o.curlopt), true) <> ''
$$;

create function @extschema@.http_header(field varchar, value varchar) returns @extschema@.http_header language sql as $$ select $1, $2 $$;
