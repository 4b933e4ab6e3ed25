-- http() and its short forms.

-- The request of one row, checked; `carried` is the registry's answer for a package that Homebase has.
create function pg_catalog.homebase_http_request(
  method text, uri text, headers jsonb, content_type text, content text, carried jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  given jsonb := headers;
  answer jsonb;
  milliseconds int := 5000;
begin
  if uri is null then raise exception 'http_request.uri is NULL'; end if;
  if method is null then raise exception 'http_request.method is NULL'; end if;
  if method !~ '^[A-Z]{1,20}$' then raise exception 'http_request.method is not a method: %', method; end if;
  if content_type is not null then given := given || jsonb_build_object('content-type', content_type); end if;
  given := jsonb_strip_nulls(jsonb_build_object('user-agent', coalesce(
    nullif(current_setting('homebase_http.curlopt_useragent', true), ''), 'PostgreSQL/' || current_setting('server_version')),
    'authorization', 'Basic ' || translate(encode(convert_to(
      nullif(current_setting('homebase_http.curlopt_userpwd', true), ''), 'UTF8'), 'base64'), chr(10), ''))) || given;
  milliseconds := coalesce(
    nullif(current_setting('homebase_http.curlopt_timeout_ms', true), '')::int,
    nullif(current_setting('homebase_http.curlopt_timeout', true), '')::int * 1000, milliseconds);
  if carried is null and session_user = 'homebase_reader' then
    -- A request has effects that no read-only transaction holds back.
    raise exception using errcode = '42501', message = 'http: this login only reads, and makes no requests.';
  end if;
  answer := coalesce(carried, homebase_exchange('http', jsonb_build_object(
    'method', method, 'url', uri, 'headers', given, 'body', content,
    'timeout_milliseconds', greatest(1, least(milliseconds, 600000)))));
  if answer ->> 'error' is not null then raise exception using errcode = 'XX000', message = answer ->> 'error'; end if;
  return answer;
end
$$;

create function @extschema@.http(request @extschema@.http_request) returns @extschema@.http_response
language sql security definer set search_path = pg_catalog, pg_temp begin atomic
  select row(
    (asked.answer ->> 'status')::int, asked.answer ->> 'contentType',
    array(select row(header.field, header.value)::@extschema@.http_header
      from jsonb_to_recordset(asked.answer -> 'headers') as header(field varchar, value varchar)),
    asked.answer ->> 'content')::@extschema@.http_response
  from (
    select homebase_http_request(
      upper(($1).method), ($1).uri,
      (select coalesce(jsonb_object_agg(one.field, coalesce(one.value, '')), '{}')
        from unnest(($1).headers) one where one.field is not null),
      ($1).content_type, ($1).content, @extschema@._http_carried(($1).uri)) as answer
    offset 0
  ) asked;
end;

create function @extschema@.http_get(uri varchar) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('GET', $1, null, null, null)::@extschema@.http_request)
$$;
create function @extschema@.http_post(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('POST', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function @extschema@.http_put(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('PUT', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function @extschema@.http_patch(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('PATCH', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function @extschema@.http_delete(uri varchar) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('DELETE', $1, null, null, null)::@extschema@.http_request)
$$;
create function @extschema@.http_delete(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('DELETE', $1, null, $3, $2)::@extschema@.http_request)
$$;
create function @extschema@.http_head(uri varchar) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('HEAD', $1, null, null, null)::@extschema@.http_request)
$$;

-- Letters, digits and -_.~ stay (RFC 3986 2.3), as by curl.
create function @extschema@.urlencode(string bytea) returns text language sql immutable strict as $$
  select coalesce(string_agg(
    case
      when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 or byte in (45, 46, 95, 126)
        then chr(byte)
      else '%' || upper(lpad(to_hex(byte), 2, '0'))
    end, '' order by place), '')
  from (select place, get_byte(string, place) as byte from generate_series(0, octet_length(string) - 1) place) bytes
$$;
create function @extschema@.urlencode(string varchar) returns text language sql immutable strict as $$
  select @extschema@.urlencode(convert_to($1, 'UTF8'))
$$;
create function @extschema@.urlencode(data jsonb) returns text language sql immutable strict as $$
  select coalesce(string_agg(@extschema@.urlencode(key::varchar) || '=' || @extschema@.urlencode(coalesce(value, '')::varchar), '&'), '')
  from jsonb_each_text(data)
$$;
create function @extschema@.http_get(uri varchar, data jsonb) returns @extschema@.http_response language sql as $$
  select @extschema@.http(('GET', $1 || '?' || @extschema@.urlencode($2), null, null, null)::@extschema@.http_request)
$$;
create function @extschema@.http_post(uri varchar, data jsonb) returns @extschema@.http_response language sql as $$
  select @extschema@.http(
    ('POST', $1, null, 'application/x-www-form-urlencoded', @extschema@.urlencode($2))::@extschema@.http_request)
$$;
create function @extschema@.text_to_bytea(data text) returns bytea language sql immutable strict as $$ select convert_to($1, 'UTF8') $$;
create function @extschema@.bytea_to_text(data bytea) returns text language sql immutable strict as $$ select convert_from($1, 'UTF8') $$;

-- Nobody calls it but http(). Renewed.
revoke all on function pg_catalog.homebase_http_request(text, text, jsonb, text, text, jsonb) from public;
