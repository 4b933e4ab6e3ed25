-- The tables and functions of pg_net (docs/compat/platform.md 1.7). Requests wait in the queue; Homebase is notified of
-- them when their transaction has committed, makes them, and writes the answers.

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;

create schema net;
grant usage on schema net to postgres, anon, authenticated, service_role;

create domain net.http_method as text check (lower(value) in ('get', 'post', 'delete'));

create unlogged table net.http_request_queue (
  id bigserial,
  method net.http_method not null,
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds int not null
);

create unlogged table net._http_response (
  id bigint,
  status_code int,
  content_type text,
  headers jsonb,
  content text,
  timed_out bool,
  error_msg text,
  created timestamptz not null default now()
);
create index on net._http_response (created);

create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
create type net.http_response as (status_code int, headers jsonb, body text);
create type net.http_response_result as (status net.request_status, message text, response net.http_response);

create function net.wake() returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
  select pg_notify('homebase', 'net')
$$;

create function net._tell_worker() returns trigger language plpgsql as $$
begin
  perform net.wake();
  return null;
end
$$;
create trigger tell_worker after insert on net.http_request_queue
  for each statement execute function net._tell_worker();

-- Letters, digits and -_.~ stay; everything else becomes the %XX of its UTF-8 bytes (RFC 3986 2.3).
create function net._urlencode_string(string varchar) returns text language sql immutable strict as $$
  select coalesce(string_agg(
    case
      when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 or byte in (45, 46, 95, 126)
        then chr(byte)
      else '%' || upper(lpad(to_hex(byte), 2, '0'))
    end, '' order by place), '')
  from (
    select place, get_byte(convert_to(string, 'UTF8'), place) as byte
    from generate_series(0, octet_length(convert_to(string, 'UTF8')) - 1) place
  ) bytes
$$;

create function net._encode_url_with_params_array(url text, params_array text[]) returns text
language sql immutable strict as $$
  select case
    when cardinality(params_array) = 0 then url
    when position('#' in url) > 0 then
      net._encode_url_with_params_array(split_part(url, '#', 1), params_array) || substring(url from position('#' in url))
    when position('?' in url) > 0 then url || '&' || array_to_string(params_array, '&')
    else url || '?' || array_to_string(params_array, '&')
  end
$$;

create function net._enqueue(
  method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds int
) returns bigint language plpgsql as $$
declare
  pairs text[];
  request_id bigint;
begin
  select coalesce(array_agg(net._urlencode_string(key) || '=' || coalesce(net._urlencode_string(value), '')), '{}')
  into pairs from jsonb_each_text(params);
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (method, net._encode_url_with_params_array(url, pairs), headers, body, timeout_milliseconds)
  returning id into request_id;
  return request_id;
end
$$;

create function net.http_get(
  url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds int default 5000
) returns bigint language plpgsql as $$
begin
  return net._enqueue('GET', url, params, headers, null, timeout_milliseconds);
end
$$;

create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds int default 5000
) returns bigint language plpgsql as $$
declare
  content_type text;
begin
  select value into content_type from jsonb_each_text(coalesce(headers, '{}')) where lower(key) = 'content-type' limit 1;
  if content_type is null then
    headers := coalesce(headers, '{}') || '{"Content-Type": "application/json"}';
  elsif content_type <> 'application/json' then
    raise exception 'Content-Type header must be "application/json"';
  end if;
  return net._enqueue('POST', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds);
end
$$;

create function net.http_delete(
  url text, params jsonb default '{}', headers jsonb default '{}', timeout_milliseconds int default 5000,
  body jsonb default null
) returns bigint language plpgsql as $$
begin
  return net._enqueue(
    'DELETE', url, coalesce(params, '{}'), coalesce(headers, '{}'), convert_to(body::text, 'UTF8'), timeout_milliseconds);
end
$$;

create function net._await_response(request_id bigint) returns bool language plpgsql as $$
begin
  loop
    if exists (select from net._http_response where id = request_id) then return true; end if;
    perform pg_sleep(0.05);
  end loop;
end
$$;

create function net._http_collect_response(request_id bigint, async bool default true)
returns net.http_response_result language plpgsql as $$
declare
  answer net._http_response;
begin
  if not async then perform net._await_response(request_id); end if;
  select * into answer from net._http_response where id = request_id;
  if answer.id is null then
    if exists (select from net.http_request_queue where id = request_id) then
      return row('PENDING', 'request is pending processing', null)::net.http_response_result;
    end if;
    return row('ERROR', 'request matching request_id not found', null)::net.http_response_result;
  end if;
  if answer.error_msg is not null then
    return row('ERROR', answer.error_msg, null)::net.http_response_result;
  end if;
  return row('SUCCESS', 'ok', row(answer.status_code, answer.headers, answer.content)::net.http_response)
    ::net.http_response_result;
end
$$;

create function net.http_collect_response(request_id bigint, async bool default true)
returns net.http_response_result language plpgsql as $$
begin
  raise notice 'The net.http_collect_response function is deprecated.';
  return net._http_collect_response(request_id, async);
end
$$;

-- The worker is Homebase itself; it takes the queue up when it starts.
create function net.worker_restart() returns bool language sql as $$ select net.wake(); select true $$;
create function net.wait_until_running() returns void language sql as $$ select $$;
create function net.check_worker_is_up() returns void language sql as $$ select $$;

-- As pg_net's own script has it: anybody may ask, and see what was asked and answered. Homebase works on the
-- tables as role postgres, so that whoever hangs a trigger on them gains nothing by it.
grant usage on schema net to public;
grant all on all tables in schema net to public;
revoke references on all tables in schema net from public;
grant all on all sequences in schema net to public;
grant all on schema net to postgres;
grant all on all tables in schema net to postgres;

select net.wake();
