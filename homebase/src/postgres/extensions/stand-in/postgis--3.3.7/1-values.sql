-- PostGIS's catalogue without its library (docs/decisions/0047-postgis.md). A value's bytes are a core polygon, the
-- rectangle of its bounding box, followed by text: the digits of its type and dimensions, its SRID, and its coordinates as
-- GeoJSON has them. So core's C functions for polygons compare the boxes, and its GiST class indexes them. Only a polygon
-- and bytes can be joined to a value, by core's byteacat: no text that follows can mislead those functions.

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;

create type @extschema@.geometry;
create type @extschema@.geography;
-- Made with functions of core's, which 3-types.sql replaces: a function in SQL takes finished types only.
do $outer$
declare
  kind text;
begin
  foreach kind in array array['geometry', 'geography'] loop
    execute replace($$
      create function pg_catalog.homebase_KIND_in(cstring, oid, integer) returns @extschema@.KIND language internal strict immutable parallel safe as 'textin';
      create function @extschema@.KIND_out(@extschema@.KIND) returns cstring language internal strict immutable parallel safe as 'textout';
      create function pg_catalog.homebase_KIND_recv(internal, oid, integer) returns @extschema@.KIND language internal strict immutable parallel safe as 'bytearecv';
      create function @extschema@.KIND_send(@extschema@.KIND) returns bytea language internal strict immutable parallel safe as 'byteasend';
      create function @extschema@.KIND_typmod_in(cstring[]) returns integer language internal strict immutable parallel safe as 'numerictypmodin';
      create function @extschema@.KIND_typmod_out(integer) returns cstring language internal strict immutable parallel safe as 'numerictypmodout';
      create type @extschema@.KIND (
        input = pg_catalog.homebase_KIND_in, output = @extschema@.KIND_out, receive = pg_catalog.homebase_KIND_recv, send = @extschema@.KIND_send,
        typmod_in = @extschema@.KIND_typmod_in, typmod_out = @extschema@.KIND_typmod_out, delimiter = ':', alignment = double, storage = main
      );
    $$, 'KIND', kind);
  end loop;
end
$outer$;

create function pg_catalog.homebase_geo_join(polygon, bytea) returns @extschema@.geometry language internal strict immutable parallel safe cost 1 as 'byteacat';
create function pg_catalog.homebase_geo_join_geography(polygon, bytea) returns @extschema@.geography language internal strict immutable parallel safe cost 1 as 'byteacat';
create function pg_catalog.homebase_geo_bytes(@extschema@.geometry) returns bytea language internal strict immutable parallel safe cost 1 as 'byteasend';
create function pg_catalog.homebase_geo_bytes(@extschema@.geography) returns bytea language internal strict immutable parallel safe cost 1 as 'byteasend';
create function pg_catalog.homebase_geo_box(@extschema@.geometry) returns box language internal strict immutable parallel safe cost 1 as 'poly_box';
create function pg_catalog.homebase_geo_box(@extschema@.geography) returns box language internal strict immutable parallel safe cost 1 as 'poly_box';
-- A point has the same bytes as geometry and as geography.
create function pg_catalog.homebase_geo_relabel(@extschema@.geometry) returns @extschema@.geography language internal strict immutable parallel safe cost 1 as 'byteasend';
create function pg_catalog.homebase_geo_relabel(@extschema@.geography) returns @extschema@.geometry language internal strict immutable parallel safe cost 1 as 'byteasend';
create function pg_catalog.homebase_geo_chars(cstring) returns text language internal strict immutable parallel safe as 'textin';
create function pg_catalog.homebase_geo_received(internal) returns bytea language internal strict immutable parallel safe as 'bytearecv';

-- The result type of an output function in SQL: C's text. SQL itself may not return the pseudo-type cstring.
create type @extschema@._postgis_text;
create function pg_catalog.homebase_geo_text_in(cstring) returns @extschema@._postgis_text language internal strict immutable as 'cstring_in';
create function pg_catalog.homebase_geo_text_out(@extschema@._postgis_text) returns cstring language internal strict immutable as 'cstring_out';
create type @extschema@._postgis_text (input = pg_catalog.homebase_geo_text_in, output = pg_catalog.homebase_geo_text_out);
update pg_type set typlen = -2, typalign = 'c', typstorage = 'p' where oid = '@extschema@._postgis_text'::regtype;
create function pg_catalog.homebase_geo_cstring(text) returns @extschema@._postgis_text language internal strict immutable parallel safe as 'textout';

-- Of no value, for bodies that are bound when they run: they do not name the schema, which a project may rename.
create function pg_catalog.homebase_geo_nothing() returns @extschema@.geometry language sql immutable parallel safe begin atomic select null::@extschema@.geometry; end;
create function pg_catalog.homebase_geo_nowhere() returns @extschema@.geography language sql immutable parallel safe begin atomic select null::@extschema@.geography; end;
-- Raises. Stable, so that the planner does not evaluate it in a branch that no value takes.
create function pg_catalog.homebase_geo_fail(message text, hint text, as_type anyelement) returns anyelement
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if hint is null then raise exception using errcode = 'XX000', message = message; end if;
  raise exception using errcode = 'XX000', message = message, hint = hint;
end $$;
create function pg_catalog.homebase_geo_refused(called text, as_type anyelement) returns anyelement
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = '0A000', message = format('%s is not part of the stand-in for PostGIS.', called),
    hint = 'Install postgis for PostgreSQL 17 on this machine, or set HOMEBASE_EXTENSIONS to a folder that holds it, and start again; or try it on a hosted project.';
end $$;

-- The parts of a value. The numbers of types are those of WKB: 1 point to 7 collection. Dimensions: 0 XY, 1 XYZ, 2 XYM, 3 XYZM.
create function pg_catalog.homebase_geo_type(@extschema@.geometry) returns int4 language sql immutable parallel safe cost 1 begin atomic
  select get_byte(homebase_geo_bytes($1), 100) - 48;
end;
create function pg_catalog.homebase_geo_type(@extschema@.geography) returns int4 language sql immutable parallel safe cost 1 begin atomic
  select get_byte(homebase_geo_bytes($1), 100) - 48;
end;
create function pg_catalog.homebase_geo_flags(@extschema@.geometry) returns int4 language sql immutable parallel safe cost 1 begin atomic
  select get_byte(homebase_geo_bytes($1), 101) - 48;
end;
create function pg_catalog.homebase_geo_body(@extschema@.geometry) returns text language sql immutable parallel safe cost 1 begin atomic
  select convert_from(substr(homebase_geo_bytes($1), 103), 'UTF8');
end;
create function pg_catalog.homebase_geo_body(@extschema@.geography) returns text language sql immutable parallel safe cost 1 begin atomic
  select convert_from(substr(homebase_geo_bytes($1), 103), 'UTF8');
end;
-- A point of two dimensions has no text: its box is itself.
create function pg_catalog.homebase_geo_is_point(@extschema@.geometry) returns bool language sql immutable parallel safe cost 1 begin atomic
  select substr(homebase_geo_bytes($1), 101, 2) = '\x3130'::bytea;
end;
create function pg_catalog.homebase_geo_is_point(@extschema@.geography) returns bool language sql immutable parallel safe cost 1 begin atomic
  select substr(homebase_geo_bytes($1), 101, 2) = '\x3130'::bytea;
end;
create function pg_catalog.homebase_geo_dims(flags int4) returns int4 language sql immutable parallel safe cost 1 begin atomic
  select case flags when 0 then 2 when 3 then 4 else 3 end;
end;
create function pg_catalog.homebase_geo_xmax(box) returns float8 language sql immutable parallel safe cost 1 begin atomic select (($1)[0])[0]; end;
create function pg_catalog.homebase_geo_ymax(box) returns float8 language sql immutable parallel safe cost 1 begin atomic select (($1)[0])[1]; end;
create function pg_catalog.homebase_geo_xmin(box) returns float8 language sql immutable parallel safe cost 1 begin atomic select (($1)[1])[0]; end;
create function pg_catalog.homebase_geo_ymin(box) returns float8 language sql immutable parallel safe cost 1 begin atomic select (($1)[1])[1]; end;
create function pg_catalog.homebase_geo_rectangle(float8, float8, float8, float8) returns polygon language sql immutable parallel safe cost 1 begin atomic
  select polygon(box(point($1, $2), point($3, $4)));
end;
-- The box of an empty shape is of no numbers: it overlaps nothing.
create function pg_catalog.homebase_geo_empty_box() returns box language sql immutable parallel safe begin atomic
  select box(point('nan'::float8, 'nan'::float8), point('nan'::float8, 'nan'::float8));
end;
create function pg_catalog.homebase_geo_point(float8, float8, srid int4) returns @extschema@.geometry language sql immutable parallel safe cost 1 begin atomic
  select homebase_geo_join(homebase_geo_rectangle($1, $2, $1, $2), decode('10' || srid, 'escape'));
end;

-- Numbers as text that reads back to the same double, whatever the session has set.
create function pg_catalog.homebase_geo_number(float8) returns text
language plpgsql strict immutable parallel safe set extra_float_digits = 1 set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return $1::text;
end $$;
-- Coordinates with each number written so.
create function pg_catalog.homebase_geo_canonical(text) returns text
language plpgsql strict immutable parallel safe set extra_float_digits = 1 set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select string_agg(case when token.word[1] ~ '^[-+0-9.]' then token.word[1]::float8::text else token.word[1] end, '' order by token.place)
  from regexp_matches($1, '"t":\d|[-+]?[0-9.][-+0-9.eE]*|[^-+0-9.]', 'g') with ordinality token(word, place));
end $$;
-- Coordinates as JSON.
create function pg_catalog.homebase_geo_coordinates(@extschema@.geometry) returns text
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case
    when not homebase_geo_is_point($1) then split_part(homebase_geo_body($1), ' ', 2)
    when homebase_geo_xmin(homebase_geo_box($1)) = 'nan' then '[]'
    else '[' || homebase_geo_number(homebase_geo_xmin(homebase_geo_box($1))) || ',' || homebase_geo_number(homebase_geo_ymin(homebase_geo_box($1))) || ']'
  end);
end $$;
-- All numbers in their order.
create function pg_catalog.homebase_geo_numbers(coordinates text) returns float8[]
language sql strict immutable parallel safe begin atomic
  select ('{' || btrim(regexp_replace(translate(regexp_replace(coordinates, '"t":\d,"c":', '', 'g'), '[]{}', ''), ',,+', ',', 'g'), ',') || '}')::float8[];
end;
create function pg_catalog.homebase_geo_bounds(numbers float8[], dims int4) returns box
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select coalesce(
    box(point(min(numbers[at]), min(numbers[at + 1])), point(max(numbers[at]), max(numbers[at + 1]))), homebase_geo_empty_box())
  from generate_series(1, cardinality(numbers), dims) at);
end $$;
create function pg_catalog.homebase_geo_make(type int4, flags int4, srid int4, coordinates text) returns @extschema@.geometry
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case
    when type = 1 and flags = 0 then homebase_geo_join(polygon(bounds), decode('10' || srid, 'escape'))
    else homebase_geo_join(polygon(bounds), decode(type || flags::text || srid || ' ' || coordinates, 'escape'))
  end
  from homebase_geo_bounds(homebase_geo_numbers(coordinates), homebase_geo_dims(flags)) bounds);
end $$;
create function pg_catalog.homebase_geo_srid(@extschema@.geometry) returns int4 language sql immutable parallel safe cost 1 begin atomic
  select split_part(homebase_geo_body($1), ' ', 1)::int4;
end;
create function pg_catalog.homebase_geo_name(type int4) returns text language sql immutable parallel safe begin atomic
  select (array['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection'])[type];
end;
create function pg_catalog.homebase_geo_number_of(name text) returns int4 language sql immutable parallel safe begin atomic
  select array_position(array['POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT', 'MULTILINESTRING', 'MULTIPOLYGON', 'GEOMETRYCOLLECTION'], upper(name));
end;

-- The simple shapes of a value: itself, or a collection's.
create function pg_catalog.homebase_geo_elements(@extschema@.geometry) returns table (place bigint, type int4, coordinates jsonb)
language sql stable parallel safe begin atomic
  select 1, homebase_geo_type($1), homebase_geo_coordinates($1)::jsonb where homebase_geo_type($1) <> 7
  union all
  select e.place, (e.element->>'t')::int4, e.element->'c'
  from jsonb_array_elements(case when homebase_geo_type($1) = 7 then homebase_geo_coordinates($1)::jsonb else '[]' end) with ordinality e(element, place);
end;
-- Its points, lines and rings: kind 0, 1, 2. A ring's part is its polygon.
create function pg_catalog.homebase_geo_rings(@extschema@.geometry) returns table (part bigint, ring bigint, kind int4, numbers float8[])
language sql stable parallel safe begin atomic
  select dense_rank() over (order by e.place, list.place), list.ring, list.kind, ('{' || translate(list.line::text, '[] ', '') || '}')::float8[]
  from homebase_geo_elements($1) e, lateral (
    select 1::bigint as place, 1::bigint as ring, e.type - 1 as kind, e.coordinates as line where e.type in (1, 2)
    union all
    select case e.type when 3 then 1 else p.place end, case e.type when 3 then p.place else 1 end, case e.type when 4 then 0 when 5 then 1 else 2 end, p.line
    from jsonb_array_elements(case when e.type in (3, 4, 5) then e.coordinates else '[]' end) with ordinality p(line, place)
    union all
    select p.place, r.place, 2, r.line
    from jsonb_array_elements(case when e.type = 6 then e.coordinates else '[]' end) with ordinality p(rings, place),
      jsonb_array_elements(p.rings) with ordinality r(line, place)
  ) list
  where list.line <> '[]'::jsonb;
end;
-- Their straight pieces; a point is one without length.
create function pg_catalog.homebase_geo_segments(@extschema@.geometry)
returns table (part bigint, ring bigint, kind int4, place int4, x1 float8, y1 float8, x2 float8, y2 float8)
language sql stable parallel safe begin atomic
  select r.part, r.ring, r.kind, at, r.numbers[at * d.dims + 1], r.numbers[at * d.dims + 2],
    r.numbers[(at + least(1, r.kind)) * d.dims + 1], r.numbers[(at + least(1, r.kind)) * d.dims + 2]
  from homebase_geo_rings($1) r, (select homebase_geo_dims(homebase_geo_flags($1)) offset 0) d(dims),
    generate_series(0, cardinality(r.numbers) / d.dims - 1 - least(1, r.kind)) at;
end;
-- The shape, if it is of the type; null otherwise.
create function pg_catalog.homebase_geo_typed(@extschema@.geometry, type int4) returns @extschema@.geometry language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return case when type is null or homebase_geo_type($1) = type then $1 end;
end $$;
