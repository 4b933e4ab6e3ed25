-- pgjwt's functions (docs/decisions/0020-extensions.md): tokens of RFC 7519 signed by HMAC, with pgcrypto.

create function url_encode(data bytea) returns text language sql immutable as $$
  select translate(encode(data, 'base64'), E'+/=\n', '-_')
$$;

create function url_decode(data text) returns bytea language sql immutable as $$
  select decode(rpad(translate(data, '-_', '+/'), (length(data) + 3) / 4 * 4, '='), 'base64')
$$;

-- pgcrypto refuses an algorithm that it does not know, and so the empty name.
create function algorithm_sign(signables text, secret text, algorithm text) returns text language sql immutable as $$
  select @extschema@.url_encode(@extschema:pgcrypto@.hmac(
    signables, secret, case when algorithm in ('HS256', 'HS384', 'HS512') then 'sha' || right(algorithm, 3) else '' end))
$$;

create function sign(payload json, secret text, algorithm text default 'HS256') returns text language sql immutable as $$
  select body || '.' || @extschema@.algorithm_sign(body, secret, algorithm)
  from (
    select @extschema@.url_encode(convert_to(format('{"alg":"%s","typ":"JWT"}', algorithm), 'utf8')) || '.'
      || @extschema@.url_encode(convert_to(payload::text, 'utf8')) as body
  ) parts
$$;

create function try_cast_double(inp text) returns double precision language sql immutable as $$
  select case when pg_input_is_valid(inp, 'double precision') then inp::double precision end
$$;

create function verify(token text, secret text, algorithm text default 'HS256')
returns table (header json, payload json, valid boolean) language sql immutable as $$
  select head, body,
    parts[3] = @extschema@.algorithm_sign(parts[1] || '.' || parts[2], secret, algorithm)
      and tstzrange(
        to_timestamp(@extschema@.try_cast_double(body ->> 'nbf')), to_timestamp(@extschema@.try_cast_double(body ->> 'exp'))
      ) @> current_timestamp
  from string_to_array(token, '.') parts,
    lateral (select convert_from(@extschema@.url_decode(parts[1]), 'utf8')::json as head) first,
    lateral (select convert_from(@extschema@.url_decode(parts[2]), 'utf8')::json as body) second
$$;
