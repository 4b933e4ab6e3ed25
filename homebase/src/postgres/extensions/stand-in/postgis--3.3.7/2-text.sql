-- Reading and writing of values: WKT, WKB with its extensions, GeoJSON.

-- Of one shape. A tuple of coordinates is a p; what remains tells the structure.
create function pg_catalog.homebase_geo_problem_of(type int4, dims int4, coordinates text) returns text
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case
    when shape !~ (array['^(p|\[\])$', '^\[(p(,p)*)?\]$', '^\[(\[p(,p)*\](,\[p(,p)*\])*)?\]$', '^\[(p(,p)*)?\]$',
      '^\[(\[p(,p)*\](,\[p(,p)*\])*)?\]$', '^\[(\[\[p(,p)*\](,\[p(,p)*\])*\](,\[\[p(,p)*\](,\[p(,p)*\])*\])*)?\]$'])[type]
      then case when shape ~ '^[p,\[\]]*$' then 'parse error - invalid geometry' else 'can not mix dimensionality in a geometry' end
    when type in (2, 5) and shape ~ '\[p\]' or type in (3, 6) and shape ~ '\[p(,p){0,2}\]' then 'geometry requires more points'
    when type in (3, 6) and exists (
      select from regexp_matches(coordinates, '\[(\[[^][]+\])(?:,\[[^][]+\])*?(?:,(\[[^][]+\]))\](?=[],]|$)', 'g') ring
      where ring[1] <> ring[2]) then 'geometry contains non-closed rings'
  end
  from (select regexp_replace(coordinates, '\[-?[0-9][^][,]*(,-?[0-9][^][,]*){' || dims - 1 || '}\]', 'p', 'g')) written(shape));
end $$;

-- The problem of coordinates for a type; null if they are well formed.
create function pg_catalog.homebase_geo_problem(type int4, dims int4, coordinates text) returns text
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case
    when coordinates ~ '[Nn]a[Nn]|Inf' then 'coordinates must be finite in the stand-in for PostGIS'
    when type = 7 then (
      select case when coordinates !~ '^\[(\{.*\})?\]$' then 'parse error - invalid geometry' else min(p.problem) end
      from jsonb_array_elements(coordinates::jsonb) e,
        lateral (select homebase_geo_problem_of((e->>'t')::int4, dims, replace((e->'c')::text, ' ', ''))) p(problem))
    else homebase_geo_problem_of(type, dims, coordinates)
  end);
end $$;

-- A value from text: its numbers are written in their shortest form, the rest is checked.
create function pg_catalog.homebase_geo_checked(type int4, flags int4, srid int4, coordinates text, given text) returns @extschema@.geometry
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when r.problem is null then homebase_geo_make(type, flags, srid, r.written)
    else homebase_geo_fail(r.problem, '"' || left(given, 40) || '" <-- here', homebase_geo_nothing()) end
  from (select coalesce(homebase_geo_problem(type, homebase_geo_dims(flags), written), case when written is null then 'parse error - invalid geometry' end), written
    from (select homebase_geo_canonical(coordinates)) c(written) offset 0) r(problem, written));
end $$;

-- '(1 2, 3 4)' as '[[1,2],[3,4]]'.
create function pg_catalog.homebase_geo_brackets(type int4, list text) returns text
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case
    when list ~* '^empty$' then '[]'
    when type = 1 then substring(tuples from '^\[(.*)\]$')
    when type = 4 and tuples like '[[[%' then regexp_replace(tuples, '\[(\[[^][]*\])\]', '\1', 'g')
    else tuples
  end
  from (select translate(regexp_replace(regexp_replace(btrim(list), '\s*([(),])\s*|\s+', '\1 ', 'g'), ' ?([(),]) ', '\1', 'g'), 'e', 'E')) spaced(line),
    lateral (select translate(regexp_replace(line, '([-+0-9.E]+( [-+0-9.E]+)*)', '[\1]', 'g'), '() ', '[],')) brackets(tuples));
end $$;
create function pg_catalog.homebase_geo_flags_of(mark text, tuples text) returns int4 language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case when upper(mark) = 'ZM' or numbers = 4 then 3 when upper(mark) = 'M' then 2 when upper(mark) = 'Z' or numbers = 3 then 1 else 0 end
  from (select regexp_count(coalesce(substring(tuples from '\[([-+0-9.][^][]*)\]'), ''), ',') + 1) tuple(numbers));
end $$;
create function pg_catalog.homebase_geo_from_wkt(wkt text, srid int4) returns @extschema@.geometry
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case
    when w.word is null or w.type is null then homebase_geo_fail('parse error - invalid geometry', '"' || left(wkt, 40) || '" <-- here', homebase_geo_nothing())
    when w.type < 7 then homebase_geo_checked(w.type, homebase_geo_flags_of(w.word[3], w.tuples), w.srid, w.tuples, wkt)
    when w.word[4] ~* '^empty$' then homebase_geo_make(7, homebase_geo_flags_of(w.word[3], ''), w.srid, '[]')
    else (
      select homebase_geo_checked(7, max(homebase_geo_flags_of(e.word[2], e.tuples)), w.srid,
        case when sum(length(e.word[1] || coalesce(e.word[2], '') || e.word[3])) = length(regexp_replace(w.word[4], '[\s,()]', '', 'g'))
            + sum(length(e.word[3]) - length(regexp_replace(e.word[3], '[\s,()]', '', 'g')))
          then '[' || string_agg('{"t":' || homebase_geo_number_of(e.word[1]) || ',"c":' || e.tuples || '}', ',' order by e.place) || ']' end, wkt)
      from (
        select m.word, m.place, homebase_geo_brackets(homebase_geo_number_of(m.word[1]), m.word[3]) as tuples
        from regexp_matches(w.word[4], '\m(POINT|LINESTRING|POLYGON|MULTIPOINT|MULTILINESTRING|MULTIPOLYGON)\s*(ZM|Z|M)?\s*(EMPTY|\([-+0-9.eE ,()\s]*\)(?=\s*[,)]))', 'gi') with ordinality m(word, place)
      ) e)
  end
  from (
    select word, homebase_geo_number_of(word[2]) as type, coalesce(word[1]::int4, $2) as srid,
      case when homebase_geo_number_of(word[2]) < 7 and word[4] ~* '^(empty|[-+0-9.e ,()\s]*)$' then homebase_geo_brackets(homebase_geo_number_of(word[2]), word[4]) end as tuples
    from (select regexp_match(wkt, '^\s*(?:SRID\s*=\s*(-?\d{1,9})\s*;)?\s*([A-Z]+?)\s*(ZM|Z|M)?\s*(EMPTY|\((?:[-+0-9.eE ,()\s]*|.*[A-Z].*)\))\s*$', 'i')) m(word)
  ) w);
end $$;

-- From GeoJSON, whose crs comes before the SRID.
create function pg_catalog.homebase_geo_from_json(geojson jsonb, srid int4) returns @extschema@.geometry
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case
    when j.type is null then homebase_geo_fail('unknown GeoJSON type', null, homebase_geo_nothing())
    when j.type < 7 then homebase_geo_checked(j.type, homebase_geo_flags_of(null, j.tuples), j.srid, j.tuples, geojson::text)
    else (
      select homebase_geo_checked(7, coalesce(max(homebase_geo_flags_of(null, e->>'coordinates')), 0), j.srid,
        '[' || coalesce(string_agg('{"t":' || homebase_geo_number_of(e->>'type') || ',"c":' || replace(e->>'coordinates', ' ', '') || '}', ',' order by place), '') || ']', geojson::text)
      from jsonb_array_elements(geojson->'geometries') with ordinality list(e, place))
  end
  from (select homebase_geo_number_of(geojson->>'type'), replace((geojson->'coordinates')::text, ' ', ''),
    coalesce(substring(geojson #>> '{crs,properties,name}' from '\d+$')::int4, srid)) j(type, tuples, srid));
end $$;

-- WKB. The bits of a double give its value without a cast of bytes, which could not be checked.
create function pg_catalog.homebase_geo_double(bits int8) returns float8 language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case (bits >> 52) & 2047
    when 2047 then case when bits & 4503599627370495 = 0 then 'infinity'::float8 else 'nan'::float8 end
    when 0 then (case when bits < 0 then -1 else 1 end)::float8 * ((bits & 4503599627370495)::float8 * 2::float8 ^ (-1074)::float8)
    else (case when bits < 0 then -1 else 1 end)::float8 * (((bits & 4503599627370495) | 4503599627370496)::float8
      * 2::float8 ^ (((bits >> 52) & 2047) - 1075)::float8)
  end);
end $$;
create function pg_catalog.homebase_geo_doubles(bytes bytea, at bigint, count bigint, little bool) returns float8[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case when octet_length(bytes) < at + count * 8 then homebase_geo_fail('WKB structure does not match expected size!', null, null::float8[])
    else array(select homebase_geo_double(('x' || substr(w.hex, 16 * i + 1, 16))::bit(64)::int8) from generate_series(0, count::int4 - 1) i) end
  from (select case when octet_length(bytes) < at + count * 8 then ''
    when little then regexp_replace(encode(substr(bytes, at::int4 + 1, count::int4 * 8), 'hex'), '(..)(..)(..)(..)(..)(..)(..)(..)', '\8\7\6\5\4\3\2\1', 'g')
    else encode(substr(bytes, at::int4 + 1, count::int4 * 8), 'hex') end offset 0) w(hex));
end $$;
create function pg_catalog.homebase_geo_int(bytes bytea, at bigint, little bool) returns int8 language sql immutable parallel safe begin atomic
  select case when octet_length(bytes) < at + 4 then homebase_geo_fail('WKB structure does not match expected size!', null, 0::int8)
    when little then get_byte(bytes, at::int4) + (get_byte(bytes, at::int4 + 1) << 8) + (get_byte(bytes, at::int4 + 2) << 16) + (get_byte(bytes, at::int4 + 3)::int8 << 24)
    else get_byte(bytes, at::int4 + 3) + (get_byte(bytes, at::int4 + 2) << 8) + (get_byte(bytes, at::int4 + 1) << 16) + (get_byte(bytes, at::int4)::int8 << 24) end;
end;
create function pg_catalog.homebase_geo_tuples(numbers float8[], dims int4) returns text
language plpgsql strict immutable parallel safe set extra_float_digits = 1 set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select coalesce(string_agg('[' || array_to_string(numbers[at : at + dims - 1], ',') || ']', ',' order by at), '')
  from generate_series(1, cardinality(numbers), dims) at);
end $$;
-- The rest of the bytes is a list of items: shapes (g, in a collection G), rings (r), and text to write (=).
create function pg_catalog.homebase_geo_from_wkb(bytes bytea) returns @extschema@.geometry
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  todo text[] := '{g}';
  item text;
  at bigint := 0;
  written text := '';
  first_type int4;
  first_flags int4;
  first_srid int4;
  code bigint;
  count bigint;
  type int4;
  flags int4;
  dims int4;
  little bool;
begin
  while cardinality(todo) > 0 loop
    item := todo[1];
    todo := todo[2:];
    if item ~ '^=' then
      written := written || substr(item, 2);
    elsif item = 'r' then
      count := homebase_geo_int(bytes, at, little);
      written := written || '[' || homebase_geo_tuples(homebase_geo_doubles(bytes, at + 4, count * dims, little), dims) || ']';
      at := at + 4 + count * 8 * dims;
    else
      if octet_length(bytes) < at + 5 then perform homebase_geo_fail('WKB structure does not match expected size!', null, 0); end if;
      if get_byte(bytes, at::int4) > 1 then perform homebase_geo_fail('Invalid endian flag value encountered.', null, 0); end if;
      little := get_byte(bytes, at::int4) = 1;
      code := homebase_geo_int(bytes, at + 1, little);
      at := at + 5;
      type := (code & 536870911) % 1000;
      if type not between 1 and 7 then perform homebase_geo_refused('WKB of type ' || (code & 536870911), 0); end if;
      flags := (case when code & 2147483648 <> 0 or (code & 536870911) / 1000 in (1, 3) then 1 else 0 end)
        + (case when code & 1073741824 <> 0 or (code & 536870911) / 1000 in (2, 3) then 2 else 0 end);
      dims := homebase_geo_dims(flags);
      if first_type is null then
        first_type := type;
        first_flags := flags;
        first_srid := case when code & 536870912 <> 0 then homebase_geo_int(bytes, at, little)::int8 & 16777215 else 0 end;
      end if;
      if code & 536870912 <> 0 then at := at + 4; end if;
      if item = 'G' then
        written := written || '{"t":' || type || ',"c":';
        todo := '{=\}}'::text[] || todo;
      end if;
      if type = 1 then
        written := written || coalesce(nullif(homebase_geo_tuples(homebase_geo_doubles(bytes, at, dims, little), dims),
          '[' || array_to_string(array_fill('NaN'::text, array[dims]), ',') || ']'), '[]');
        at := at + 8 * dims;
      else
        count := homebase_geo_int(bytes, at, little);
        at := at + 4;
        if type = 2 then
          written := written || '[' || homebase_geo_tuples(homebase_geo_doubles(bytes, at, count * dims, little), dims) || ']';
          at := at + 8 * count * dims;
        else
          if count > (octet_length(bytes) - at) / 4 then perform homebase_geo_fail('WKB structure does not match expected size!', null, 0); end if;
          written := written || '[';
          todo := array(select case when i % 2 = 0 then '=,' when type = 3 then 'r' when type = 7 then 'G' else 'g' end from generate_series(1, 2 * count::int4 - 1) i)
            || '{=]}'::text[] || todo;
        end if;
      end if;
    end if;
  end loop;
  return homebase_geo_checked(first_type, first_flags, first_srid, written, encode(substr(bytes, 1, 20), 'hex'));
end $$ set standard_conforming_strings = on;

create function pg_catalog.homebase_geo_read(input text) returns @extschema@.geometry
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case
    when input ~ '^\s*[01][0-9]' then case
      when length(input) % 2 = 0 and input ~ '^[0-9A-Fa-f]*$' then homebase_geo_from_wkb(decode(input, 'hex'))
      else homebase_geo_fail('parse error - invalid geometry', '"' || left(input, 40) || '" <-- here', homebase_geo_nothing()) end
    when input ~ '^\s*\{' then homebase_geo_from_json(input::jsonb, 0)
    else homebase_geo_from_wkt(input, 0)
  end);
end $$;

-- Writing.
create function pg_catalog.homebase_geo_le(int8) returns text language sql immutable parallel safe begin atomic
  select regexp_replace(lpad(to_hex($1 & 4294967295), 8, '0'), '(..)(..)(..)(..)', '\4\3\2\1');
end;
create function pg_catalog.homebase_geo_hex(numbers float8[]) returns text language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select coalesce(regexp_replace(string_agg(encode(float8send(n), 'hex'), '' order by place), '(..)(..)(..)(..)(..)(..)(..)(..)', '\8\7\6\5\4\3\2\1', 'g'), '')
  from unnest(numbers) with ordinality list(n, place));
end $$;
create function pg_catalog.homebase_geo_hex_head(type int4, flags int4, srid int4, iso bool) returns text language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select '01' || homebase_geo_le(type + case when iso then flags * 1000 else (case when flags & 1 = 1 then 2147483648 else 0 end)
    + (case when flags & 2 = 2 then 1073741824 else 0 end) + (case when srid <> 0 then 536870912 else 0 end) end)
    || case when srid <> 0 and not iso then homebase_geo_le(srid) else '' end);
end $$;
create function pg_catalog.homebase_geo_hex_line(line jsonb, dims int4) returns text language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select homebase_geo_le(cardinality(n) / dims) || homebase_geo_hex(n) from (select homebase_geo_numbers(replace(line::text, ' ', '')) offset 0) l(n));
end $$;
create function pg_catalog.homebase_geo_hex_shape(type int4, flags int4, srid int4, iso bool, coordinates jsonb) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select homebase_geo_hex_head(type, flags, srid, iso) || case type
    when 1 then case when coordinates = '[]' then homebase_geo_hex(array_fill('nan'::float8, array[homebase_geo_dims(flags)]))
      else homebase_geo_hex(homebase_geo_numbers(replace(coordinates::text, ' ', ''))) end
    when 2 then homebase_geo_hex_line(coordinates, homebase_geo_dims(flags))
    else homebase_geo_le(jsonb_array_length(coordinates)) || coalesce((
      select string_agg(case type
        when 3 then homebase_geo_hex_line(e, homebase_geo_dims(flags))
        when 4 then homebase_geo_hex_head(1, flags, 0, iso) || homebase_geo_hex(homebase_geo_numbers(replace(e::text, ' ', '')))
        when 5 then homebase_geo_hex_head(2, flags, 0, iso) || homebase_geo_hex_line(e, homebase_geo_dims(flags))
        else homebase_geo_hex_head(3, flags, 0, iso) || homebase_geo_le(jsonb_array_length(e)) || (
          select string_agg(homebase_geo_hex_line(r, homebase_geo_dims(flags)), '' order by at) from jsonb_array_elements(e) with ordinality rings(r, at)) end, '' order by place)
      from jsonb_array_elements(coordinates) with ordinality list(e, place)), '') end);
end $$;
-- Hexadecimal WKB: of PostGIS with the SRID, or as ISO has it.
create function pg_catalog.homebase_geo_wkb(@extschema@.geometry, iso bool) returns text
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case
    when homebase_geo_is_point($1) then homebase_geo_hex_head(1, 0, homebase_geo_srid($1), iso)
      || homebase_geo_hex(array[homebase_geo_xmin(homebase_geo_box($1)), homebase_geo_ymin(homebase_geo_box($1))])
    when homebase_geo_type($1) < 7 then homebase_geo_hex_shape(homebase_geo_type($1), homebase_geo_flags($1), homebase_geo_srid($1), iso, homebase_geo_coordinates($1)::jsonb)
    else homebase_geo_hex_head(7, homebase_geo_flags($1), homebase_geo_srid($1), iso) || (
      select homebase_geo_le(count(*)) || coalesce(string_agg(homebase_geo_hex_shape(e.type, homebase_geo_flags($1), 0, iso, e.coordinates), '' order by e.place), '')
      from homebase_geo_elements($1) e) end);
end $$;
-- Numbers as PostGIS prints them: no exponent between 1e-8 and 1e15, at most so many digits after the point.
create function pg_catalog.homebase_geo_printed(coordinates text, digits int4) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case when coordinates !~ 'e|\.\d{9}' or (coordinates !~ 'e' and digits >= 15 and coordinates !~ '\.\d{16}') then coordinates else (
    select string_agg(case
      when token.word[1] !~ '^-?[0-9]' or abs(token.word[1]::float8) >= 1e15 then token.word[1]
      else trim_scale(round(token.word[1]::numeric, greatest(digits, 0)))::text end, '' order by token.place)
    from regexp_matches(coordinates, '"t":\d|-?[0-9.][-+0-9.e]*|[^-0-9.]', 'g') with ordinality token(word, place)) end);
end $$;
create function pg_catalog.homebase_geo_mark(flags int4) returns text language sql immutable parallel safe begin atomic
  select (array['', ' Z ', ' M ', ' ZM '])[flags + 1];
end;
create function pg_catalog.homebase_geo_wkt_shape(type int4, flags int4, coordinates text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select upper(homebase_geo_name(type)) || case when coordinates = '[]' then rtrim(homebase_geo_mark(flags)) || ' EMPTY'
    else homebase_geo_mark(flags) || case type when 1 then '(' || line || ')' when 4 then regexp_replace(line, '([-0-9][^,()]*)', '(\1)', 'g') else line end end
  from (select translate(regexp_replace(regexp_replace(coordinates, ',(?=[-0-9])', ' ', 'g'), '\[([-0-9][^][]*)\]', '\1', 'g'), '[]', '()')) tuples(line));
end $$;
create function pg_catalog.homebase_geo_wkt(@extschema@.geometry, digits int4) returns text
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when homebase_geo_type($1) < 7 then homebase_geo_wkt_shape(homebase_geo_type($1), homebase_geo_flags($1), homebase_geo_printed(homebase_geo_coordinates($1), digits))
    else 'GEOMETRYCOLLECTION' || homebase_geo_mark(homebase_geo_flags($1)) || (
      select coalesce('(' || string_agg(homebase_geo_wkt_shape(e.type, homebase_geo_flags($1), homebase_geo_printed(replace(e.coordinates::text, ' ', ''), digits)), ',' order by e.place) || ')', ' EMPTY')
      from homebase_geo_elements($1) e) end);
end $$;
create function pg_catalog.homebase_geo_json(@extschema@.geometry, digits int4) returns text
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when homebase_geo_type($1) < 7
    then '{"type":"' || homebase_geo_name(homebase_geo_type($1)) || '","coordinates":' || homebase_geo_printed(homebase_geo_coordinates($1), digits) || '}'
    else (
      select '{"type":"GeometryCollection","geometries":[' || coalesce(string_agg('{"type":"' || homebase_geo_name(e.type) || '","coordinates":'
        || homebase_geo_printed(replace(e.coordinates::text, ' ', ''), digits) || '}', ',' order by e.place), '') || ']}'
      from homebase_geo_elements($1) e) end);
end $$;
