-- pgsql-http's functions. A statement hands its request to Homebase (bootstrap/exchange.sql) and waits for the answer.

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;

create domain @extschema@.http_method as text;
create domain @extschema@.content_type as text check (value ~ '^\S+\/\S+');
create type @extschema@.http_header as (field varchar, value varchar);
create type @extschema@.http_response as (status integer, content_type varchar, headers @extschema@.http_header[], content varchar);
create type @extschema@.http_request as (
  method @extschema@.http_method, uri varchar, headers @extschema@.http_header[], content_type varchar, content varchar
);

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
