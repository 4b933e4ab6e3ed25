-- pgvector's catalog without its library. A dense vector is stored as a point of contrib's cube, whose functions
-- measure distances in C; text, binary form and arithmetic are SQL (docs/decisions/0020-extensions.md).

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;

-- Functions that read a value's bytes crash the server when called with other types. They are in pg_catalog, where
-- SET SCHEMA does not move it, and nobody else may execute it; the extension's functions run with their owner's rights.
do $outer$
declare
  new_function text;
  signature text;
begin
  if to_regprocedure('pg_catalog.homebase_bytes(anyelement)') is not null then return; end if;
  foreach new_function in array array[
    $$homebase_bytes(anyelement) returns bytea language internal strict immutable parallel safe as 'byteasend'$$,
    $$homebase_relabel(bytea, anyelement) returns anyelement language internal immutable parallel safe as 'byteasend'$$,
    $$homebase_doubles(bytea) returns float8[] language internal strict immutable parallel safe as 'byteasend'$$,
    $$homebase_text(cstring) returns text language internal strict immutable parallel safe as 'textin'$$,
    $$homebase_dims(anyelement) returns int4 language c strict immutable parallel safe as '$libdir/cube', 'cube_dim'$$,
    $$homebase_distance(anyelement, anyelement) returns float8 language c strict immutable parallel safe
      as '$libdir/cube', 'cube_distance'$$,
    $$homebase_taxicab(anyelement, anyelement) returns float8 language c strict immutable parallel safe
      as '$libdir/cube', 'distance_taxicab'$$,
    $$homebase_read_int2(internal) returns int2 language internal strict volatile as 'int2recv'$$,
    $$homebase_read_int4(internal) returns int4 language internal strict volatile as 'int4recv'$$,
    $$homebase_read_float4(internal) returns float4 language internal strict volatile as 'float4recv'$$,

    -- Not strict, so that the planner puts their expressions in their calls' place.
    -- A number as four bytes in the machine's order, which is little-endian on every machine that Homebase runs on.
    $$homebase_word(int4) returns bytea language sql immutable parallel safe begin atomic
      select set_byte(set_byte(set_byte(set_byte('\x00000000'::bytea, 0, $1 & 255), 1, ($1 >> 8) & 255), 2, ($1 >> 16) & 255),
        3, ($1 >> 24) & 255);
    end$$,
    -- A point of cube: the number of dimensions with its highest bit set, then the coordinates, as an array has them
    -- after the 20 bytes of its head.
    $$homebase_pack(float8[]) returns bytea language sql strict immutable parallel safe begin atomic
      select homebase_word(cardinality($1) | (-2147483648)) || substring(homebase_bytes($1) from 21);
    end$$,
    $$homebase_unpack(bytea) returns float8[] language sql strict immutable parallel safe begin atomic
      select homebase_doubles('\x0100000000000000bd020000'::bytea || substring($1 from 1 for 2) || '\x000001000000'::bytea
        || substring($1 from 5));
    end$$,

    -- To single precision, as the real extension adds up; too large is infinite.
    $$homebase_single(float8) returns float8 language sql immutable parallel safe begin atomic
      select case
        when abs($1) > 3.4028235677973366e38 then sign($1) * 'infinity'::float8
        when abs($1) < 1e-37 then $1
        else $1::float4::float8
      end;
    end$$,
    -- To half precision (IEEE 754 binary16, ties to even); too large is infinite.
    $$homebase_half(float8) returns float8 language plpgsql strict immutable parallel safe as $body$
    declare
      bytes bytea := float8send($1);
      exponent int := ((get_byte(bytes, 0) & 127) << 4) + (get_byte(bytes, 1) >> 4) - 1023;
      step float8 := 2 ^ (greatest(exponent, -14) - 10);
      rounded float8 := round($1 / step) * step;
    begin
      return case when abs(rounded) >= 65536 then sign($1) * 'infinity'::float8 else rounded end;
    end $body$ set search_path = pg_catalog, pg_temp$$,
    $$homebase_half_bits(float8) returns int2 language plpgsql strict immutable parallel safe as $body$
    declare
      bytes bytea := float8send($1);
      exponent int := ((get_byte(bytes, 0) & 127) << 4) + (get_byte(bytes, 1) >> 4) - 1023;
      bits int := case
        when exponent < -14 then (abs($1) * 2 ^ 24)::int
        else ((exponent + 15) << 10) + ((abs($1) / 2 ^ exponent - 1) * 1024)::int
      end;
    begin
      return bits - (case when get_byte(bytes, 0) > 127 then 32768 else 0 end);
    end $body$ set search_path = pg_catalog, pg_temp$$,
    $$homebase_half_value(int2) returns float8 language sql immutable parallel safe begin atomic
      select case when $1 < 0 then -1 else 1 end * case ($1 >> 10) & 31
        when 0 then ($1 & 1023) * (2 ^ (-24)::float8)
        when 31 then case when $1 & 1023 = 0 then 'infinity'::float8 else 'nan'::float8 end
        else (1 + ($1 & 1023) / 1024.0::float8) * 2 ^ ((($1 >> 10) & 31) - 15)::float8
      end;
    end$$,
    $$homebase_round(float8, type_name text) returns float8 language sql immutable parallel safe begin atomic
      select case when $2 = 'halfvec' then homebase_half($1) else homebase_single($1) end;
    end$$,

    -- The checks that every new value passes; gives its bytes.
    $$homebase_vector(elements float8[], type_name text, typmod int4) returns bytea
    language plpgsql immutable parallel safe as $body$
    declare
      most int := 16000;
      values_name text := case type_name when 'halfvec' then 'halfvec' else 'vector' end;
    begin
      if cardinality(elements) = 0 then
        raise exception using errcode = '22000', message = format('%s must have at least 1 dimension', values_name);
      elsif cardinality(elements) > most then
        raise exception using errcode = '54000', message = format('%s cannot have more than %s dimensions', values_name, most);
      elsif typmod <> -1 and cardinality(elements) <> typmod then
        raise exception using errcode = '22000',
          message = format('expected %s dimensions, not %s', typmod, cardinality(elements));
      elsif 'nan' = any (elements) then
        raise exception using errcode = '22000', message = format('NaN not allowed in %s', values_name);
      elsif 'infinity' = any (elements) or '-infinity' = any (elements) then
        raise exception using errcode = '22000', message = format('infinite value not allowed in %s', values_name);
      end if;
      return homebase_pack(elements);
    end $body$ set search_path = pg_catalog, pg_temp$$,
    $$homebase_from_array(elements float8[], type_name text, typmod int4) returns bytea
    language plpgsql immutable parallel safe as $body$
    begin
      if array_ndims(elements) > 1 then
        raise exception using errcode = '22000', message = 'array must be 1-D';
      elsif array_position(elements, null) is not null then
        raise exception using errcode = '22004', message = 'array must not contain nulls';
      end if;
      return homebase_vector(
        array(select homebase_round(element, type_name) from unnest(elements) element), type_name, typmod);
    end $body$ set search_path = pg_catalog, pg_temp$$,
    -- The result of arithmetic: a value that no longer fits is an error and not infinite.
    $$homebase_result(elements float8[], type_name text) returns bytea language plpgsql immutable parallel safe as $body$
    declare
      rounded float8[] := array(select homebase_round(element, type_name) from unnest(elements) element);
    begin
      if 'infinity' = any (rounded) or '-infinity' = any (rounded) then
        raise exception using errcode = '22003', message = 'value out of range: overflow';
      end if;
      return homebase_vector(rounded, type_name, -1);
    end $body$ set search_path = pg_catalog, pg_temp$$,

    -- A vector as halfvec: here the value that does not fit is named.
    $$homebase_to_half(elements float8[], typmod int4) returns bytea language plpgsql immutable parallel safe as $body$
    declare
      large float8 := (select element from unnest(elements) element where abs(element) >= 65520 limit 1);
    begin
      if large is not null then
        raise exception using errcode = '22003', message = format('"%s" is out of range for type halfvec', large::float4);
      end if;
      return homebase_from_array(elements, 'halfvec', typmod);
    end $body$ set search_path = pg_catalog, pg_temp set extra_float_digits = 1$$,
    $$homebase_number(part text, input text, type_name text) returns float8
    language plpgsql immutable parallel safe as $body$
    declare
      number text := btrim(part, E' \t\n\r\v\f');
      value float8;
    begin
      if number ~* '^[-+]?nan$' then
        raise exception using errcode = '22000', message = format('NaN not allowed in %s', type_name);
      elsif number ~* '^[-+]?inf(inity)?$' then
        raise exception using errcode = '22000', message = format('infinite value not allowed in %s', type_name);
      elsif number !~ '^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$' then
        raise exception using errcode = '22P02', message = format('invalid input syntax for type %s: "%s"', type_name, input);
      end if;
      if pg_input_is_valid(number, 'float8') then
        value := homebase_round(homebase_single(number::float8), type_name);
      elsif number ~ '[eE]-' then
        value := 0; -- Smaller than any double.
      else
        value := 'infinity';
      end if;
      if abs(value) = 'infinity' then
        raise exception using errcode = '22003', message = format('"%s" is out of range for type %s', number, type_name);
      end if;
      return case when abs(value) < 7.1e-46 then 0 else value::float4::float8 end;
    end $body$ set search_path = pg_catalog, pg_temp set standard_conforming_strings = on$$,
    -- From text: [1, 2, 3]. Plain numbers that fit are read as an array is; all else by element, for the sake of the errors.
    $$homebase_read(input text, type_name text, typmod int4) returns bytea language plpgsql immutable parallel safe as $body$
    declare
      body text := btrim(input, E' \t\n\r\v\f');
      closing int;
      elements real[];
      list text;
    begin
      if body ~ '^\[-?\d{1,8}(?:\.\d{0,24})?(?:e(?:\+?[0-2]?|-[01]?)\d)?(?:, ?-?\d{1,8}(?:\.\d{0,24})?(?:e(?:\+?[0-2]?|-[01]?)\d)?)*\]$' then
        elements := translate(body, '[]', '{}')::real[];
        if type_name <> 'halfvec' then return homebase_vector(elements::float8[], type_name, typmod); end if;
        -- A value too large for half precision is reported below, as it was written.
        if 65520 > all (elements) and -65520 < all (elements) then
          return homebase_from_array(elements::float8[], type_name, typmod);
        end if;
      end if;
      closing := position(']' in body);
      if left(body, 1) <> '[' then
        raise exception using errcode = '22P02', message = format('invalid input syntax for type %s: "%s"', type_name, input),
          detail = 'Vector contents must start with "[".';
      elsif closing = 0 then
        raise exception using errcode = '22P02', message = format('invalid input syntax for type %s: "%s"', type_name, input);
      elsif closing < length(body) then
        raise exception using errcode = '22P02', message = format('invalid input syntax for type %s: "%s"', type_name, input),
          detail = 'Junk after closing right brace.';
      end if;
      list := btrim(substr(body, 2, closing - 2), E' \t\n\r\v\f');
      return homebase_vector(
        case when list = '' then '{}' else
          array(select homebase_number(part, input, type_name) from unnest(string_to_array(list, ',')) part)
        end, type_name, typmod);
    end $body$ set search_path = pg_catalog, pg_temp set standard_conforming_strings = on$$,
    -- A type's modifier is read while PL/pgSQL reads a declaration. PL/pgSQL that runs meanwhile ends Postgres, as its
    -- scanner is one a process, unless it ends in an error.
    $$homebase_refuse_typmod(parts int4, first int4, type_name text, most int4) returns int4
    language plpgsql immutable parallel safe as $body$
    begin
      raise exception using errcode = '22023', message = case
        when parts <> 1 then 'invalid type modifier'
        when first < 1 then format('dimensions for type %s must be at least 1', type_name)
        else format('dimensions for type %s cannot exceed %s', type_name, most)
      end;
    end $body$ set search_path = pg_catalog, pg_temp$$,
    $$homebase_typmod(parts int4, first text, type_name text, most int4) returns int4
    language sql immutable parallel safe begin atomic
      select case when parts = 1 and first::int4 between 1 and most then first::int4
        else homebase_refuse_typmod(parts, first::int4, type_name, most) end;
    end$$,
    $$homebase_demand_dims(dims int4, expected int4) returns bool language plpgsql immutable parallel safe as $body$
    begin
      if expected <> -1 and dims <> expected then
        raise exception using errcode = '22000', message = format('expected %s dimensions, not %s', expected, dims);
      end if;
      return true;
    end $body$ set search_path = pg_catalog, pg_temp$$,
    $$homebase_demand_same(left_dims int4, right_dims int4, type_name text) returns bool
    language plpgsql immutable parallel safe as $body$
    begin
      if left_dims <> right_dims then
        raise exception using errcode = '22000',
          message = format('different %s dimensions %s and %s', type_name, left_dims, right_dims);
      end if;
      return true;
    end $body$ set search_path = pg_catalog, pg_temp$$,
    -- a.b of the lengths and the distance: |a-b|^2 = |a|^2 + |b|^2 - 2 a.b. What is within rounding errors of zero is
    -- zero; lengths that are too far apart for this give null.
    $$homebase_dot(left_norm float8, right_norm float8, distance float8) returns float8
    language sql immutable parallel safe begin atomic
      select case
        when left_norm > 1e6 * right_norm or right_norm > 1e6 * left_norm then null
        when abs(left_norm * left_norm + right_norm * right_norm - distance * distance)
          < (left_norm * left_norm + right_norm * right_norm) * 2e-14 then 0
        else homebase_single((left_norm * left_norm + right_norm * right_norm - distance * distance) / 2)
      end;
    end$$,
    $$homebase_exact_dot(float8[], float8[]) returns float8 language sql immutable parallel safe begin atomic
      select homebase_single(sum(x * y)) from unnest($1, $2) as pair(x, y);
    end$$
  ] loop
    execute 'create function pg_catalog.' || new_function;
    signature := (
      select oid::regprocedure::text from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and proname = substring(new_function from '^\w+'));
    execute format('revoke execute on function %s from public', signature);
    execute format('alter extension vector drop function %s', signature);
    -- As the server's own functions have it: a dump does not mention these rights.
    delete from pg_init_privs where objoid = signature::regprocedure and classoid = 'pg_proc'::regclass;
    insert into pg_init_privs select oid, 'pg_proc'::regclass, 0, 'i', proacl
    from pg_proc where oid = signature::regprocedure;
  end loop;
end
$outer$;
