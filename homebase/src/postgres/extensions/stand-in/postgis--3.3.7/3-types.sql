-- The types' functions, in place of core's with which the types were made. Those that read C's text are refused by the
-- validator of SQL functions: only this transaction is without it.
update pg_language set lanvalidator = 0 where lanname = 'sql';

-- Type modifiers as PostGIS packs them: the SRID from bit 8, the type from bit 2, Z, M. SQL alone: a modifier is read while
-- PL/pgSQL reads a declaration, and PL/pgSQL that runs meanwhile ends Postgres, unless it ends in an error.
create function pg_catalog.homebase_geo_typmod(parts text[], default_srid int4) returns int4
language sql immutable parallel safe begin atomic
  select case
    when kind is null then homebase_geo_fail('Invalid geometry type modifier: ' || coalesce(parts[1], ''), null, 0)
    when cardinality(parts) > 2 or coalesce(parts[2], '0') !~ '^\s*-?\d{1,6}\s*$' then homebase_geo_fail('invalid type modifier', null, 0)
    when default_srid <> 0 and coalesce(nullif(btrim(parts[2])::int4, 0), default_srid) not between 4001 and 4999
      then homebase_geo_fail('Only lon/lat coordinate systems are supported in geography.', null, 0)
    else (greatest(coalesce(nullif(btrim(parts[2])::int4, 0), default_srid), 0) << 8) | ((kind - 1) << 2)
      | (case when mark in ('Z', 'ZM') then 2 else 0 end) | (case when mark in ('M', 'ZM') then 1 else 0 end)
  end
  from (select array_position(array['GEOMETRY', 'POINT', 'LINESTRING', 'POLYGON', 'MULTIPOINT', 'MULTILINESTRING', 'MULTIPOLYGON', 'GEOMETRYCOLLECTION',
      'CIRCULARSTRING', 'COMPOUNDCURVE', 'CURVEPOLYGON', 'MULTICURVE', 'MULTISURFACE', 'POLYHEDRALSURFACE', 'TRIANGLE', 'TIN'], upper(word[1])), upper(word[2])
    from (select regexp_match(btrim(parts[1]), '^([A-Z]+?)\s*(ZM|Z|M)?$', 'i')) m(word)) w(kind, mark);
end;
create function pg_catalog.homebase_geo_typmod_name(typmod int4) returns text language sql immutable parallel safe begin atomic
  select case when (typmod >> 2) & 63 = 0 then 'Geometry' when (typmod >> 2) & 63 < 8 then homebase_geo_name((typmod >> 2) & 63)
    else (array['CircularString', 'CompoundCurve', 'CurvePolygon', 'MultiCurve', 'MultiSurface', 'PolyhedralSurface', 'Triangle', 'Tin'])[((typmod >> 2) & 63) - 7] end;
end;
create function pg_catalog.homebase_geo_typmod_text(typmod int4, default_srid int4) returns text language sql immutable parallel safe begin atomic
  select case when typmod < 0 or typmod = default_srid << 8 then '' else '(' || homebase_geo_typmod_name(typmod) || (array['', 'M', 'Z', 'ZM'])[(typmod & 3) + 1]
    || case when typmod >> 8 > 0 then ',' || (typmod >> 8) else '' end || ')' end;
end;
create function pg_catalog.homebase_geo_demand(type int4, flags int4, srid int4, typmod int4) returns bool
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  wanted int4 := (typmod >> 2) & 63;
  problem text := case
    when typmod >> 8 > 0 and srid <> 0 and typmod >> 8 <> srid then format('Geometry SRID (%s) does not match column SRID (%s)', srid, typmod >> 8)
    when wanted > 0 and not (wanted = 7 and type between 4 and 7) and wanted <> type
      then format('Geometry type (%s) does not match column type (%s)', homebase_geo_name(type), homebase_geo_typmod_name(typmod))
    when flags & 1 > 0 and typmod & 2 = 0 then 'Geometry has Z dimension but column does not'
    when flags & 1 = 0 and typmod & 2 > 0 then 'Column has Z dimension but geometry does not'
    when flags & 2 > 0 and typmod & 1 = 0 then 'Geometry has M dimension but column does not'
    when flags & 2 = 0 and typmod & 1 > 0 then 'Column has M dimension but geometry does not'
  end;
begin
  if problem is not null then raise exception using errcode = '22023', message = problem; end if;
  return true;
end $$;
-- The FROM here and below keeps a function from being put in the place of its call, which would be too dear to be put into
-- those that stand in front of an index.
create function pg_catalog.homebase_geo_with_srid(@extschema@.geometry, srid int4) returns @extschema@.geometry language plpgsql strict immutable parallel safe cost 1 set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select homebase_geo_join(polygon(homebase_geo_box($1)), decode(homebase_geo_type($1) || homebase_geo_flags($1)::text || srid || coalesce(rest, ''), 'escape'))
  from substring(homebase_geo_body($1) from ' .*') rest);
end $$;
-- The value for a column of the modifier: of the column's SRID if it has none, refused if it differs.
create function pg_catalog.homebase_geo_fitted(@extschema@.geometry, typmod int4) returns @extschema@.geometry language sql immutable parallel safe cost 1 begin atomic
  select case
    when typmod < 0 then $1
    when homebase_geo_demand(homebase_geo_type($1), homebase_geo_flags($1), homebase_geo_srid($1), typmod) then
      case when typmod >> 8 > 0 and homebase_geo_srid($1) = 0 then homebase_geo_with_srid($1, typmod >> 8) else $1 end
  end;
end;

create function pg_catalog.homebase_geo_flattened(@extschema@.geography) returns @extschema@.geometry language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select homebase_geo_make(homebase_geo_type($1), get_byte(homebase_geo_bytes($1), 101) - 48, split_part(b.body, ' ', 1)::int4, split_part(b.body, ' ', 2))
  from (select homebase_geo_body($1) offset 0) b(body));
end $$;
-- A geography as geometry: without the box on the sphere that follows its coordinates.
create function pg_catalog.homebase_geo_flat(@extschema@.geography) returns @extschema@.geometry language sql immutable parallel safe cost 1 begin atomic
  select case when homebase_geo_is_point($1) then homebase_geo_relabel($1) else homebase_geo_flattened($1) end;
end;

do $outer$
declare
  kind text;
begin
  foreach kind in array array['geometry', 'geography'] loop
    execute replace(replace(replace($$
      create or replace function @extschema@.KIND_typmod_in(cstring[]) returns integer language sql strict immutable parallel safe begin atomic
        select pg_catalog.homebase_geo_typmod(array(select pg_catalog.homebase_geo_chars(part) from unnest($1) part), DEFAULT_SRID) limit 1;
      end;
      -- These run as volatile: they then take a snapshot of their own where there is none, as when rows of RETURNING are sent
      -- or the write-ahead log is decoded. What they set keeps them from being put in the place of a cast to text.
      create or replace function @extschema@.KIND_out(@extschema@.KIND) returns cstring language sql strict volatile parallel safe set extra_float_digits = 1 begin atomic
        select pg_catalog.homebase_geo_cstring(upper(pg_catalog.homebase_geo_wkb(AS_GEOMETRY($1), false)));
      end;
      create or replace function @extschema@.KIND_typmod_out(integer) returns cstring language sql strict volatile parallel safe set extra_float_digits = 1 begin atomic
        select pg_catalog.homebase_geo_cstring(pg_catalog.homebase_geo_typmod_text($1, 0));
      end;
      update pg_proc set prorettype = '@extschema@._postgis_text'::regtype
      where oid in ('@extschema@.KIND_out(@extschema@.KIND)'::regprocedure, '@extschema@.KIND_typmod_out(integer)'::regprocedure);
      create or replace function @extschema@.KIND_send(@extschema@.KIND) returns bytea language sql strict volatile parallel safe begin atomic
        select decode(pg_catalog.homebase_geo_wkb(AS_GEOMETRY($1), false), 'hex');
      end;
    $$, 'KIND', kind), 'AS_GEOMETRY', case kind when 'geometry' then '' else 'pg_catalog.homebase_geo_flat' end), 'DEFAULT_SRID', case kind when 'geometry' then '0' else '4326' end);
  end loop;
end
$outer$;

-- On the sphere, of radius 1: the vector of a place, and the box around the vectors of a shape, which its arcs may leave
-- between their ends.
create function pg_catalog.homebase_geo_vector(lon float8, lat float8) returns float8[] language sql immutable parallel safe cost 1 begin atomic
  select array[cosd(lat) * cosd(lon), cosd(lat) * sind(lon), sind(lat)];
end;
create function pg_catalog.homebase_geo_cross(a float8[], b float8[]) returns float8[] language sql immutable parallel safe cost 1 begin atomic
  select array[a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]];
end;
create function pg_catalog.homebase_geo_dot(a float8[], b float8[]) returns float8 language sql immutable parallel safe cost 1 begin atomic
  select a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
end;
-- The arcs of a shape: its straight pieces as vectors of their ends, the normal, and the sum. Nothing dearer than a column is
-- given twice to the functions above: such a call is not inlined, and planned at each execution.
create function pg_catalog.homebase_geo_arcs(@extschema@.geometry)
returns table (kind int4, part bigint, lon1 float8, lat1 float8, lon2 float8, lat2 float8, a float8[], b float8[], n float8[], m float8[])
language sql stable parallel safe begin atomic
  select v.kind, v.part, v.x1, v.y1, v.x2, v.y2, v.a, v.b, homebase_geo_cross(v.a, v.b), array[v.a[1] + v.b[1], v.a[2] + v.b[2], v.a[3] + v.b[3]]
  from (select s.kind, s.part, s.x1, s.y1, s.x2, s.y2, homebase_geo_vector(s.x1, s.y1) as a, homebase_geo_vector(s.x2, s.y2) as b from homebase_geo_segments($1) s offset 0) v;
end;
create function pg_catalog.homebase_geo_sphere_box(@extschema@.geometry) returns float8[]
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  low float8[];
  high float8[];
  around bool[];
  polygon bool;
begin
  -- Between its ends an arc reaches furthest along an axis where its circle does, if both ends lie before that place.
  select array_agg(f.low order by f.k), array_agg(f.high order by f.k), bool_or(f.polygon) into low, high, polygon
  from (
    select k, bool_or(s.kind = 2) as polygon,
      min(least(s.a[k], s.b[k], case when s.na[k] < 0 and s.bn[k] < 0 then -sqrt(greatest(0, 1 - s.n[k] ^ 2 / s.nn)) end)) as low,
      max(greatest(s.a[k], s.b[k], case when s.na[k] > 0 and s.bn[k] > 0 then sqrt(greatest(0, 1 - s.n[k] ^ 2 / s.nn)) end)) as high
    from (select kind, a, b, n, homebase_geo_cross(n, a) as na, homebase_geo_cross(b, n) as bn, homebase_geo_dot(n, n) as nn from homebase_geo_arcs($1) offset 0) s, generate_series(1, 3) k
    group by k
  ) f;
  if low is null then return null; end if;
  -- A polygon that goes around an axis contains its end.
  around := array[low[2] < 0 and high[2] > 0 and low[3] < 0 and high[3] > 0, low[1] < 0 and high[1] > 0 and low[3] < 0 and high[3] > 0, low[1] < 0 and high[1] > 0 and low[2] < 0 and high[2] > 0];
  for k in 1..3 loop
    if polygon and around[k] and low[k] <= 0 then low[k] := -1; end if;
    if polygon and around[k] and high[k] >= 0 then high[k] := 1; end if;
  end loop;
  return low || high;
end $$;
-- The degrees in which the box's directions lie, so that boxes that meet have degrees that meet. All longitudes where it has
-- the axis or the line of 180 degrees in it.
create function pg_catalog.homebase_geo_degrees(b float8[]) returns box language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when b[1] is null then homebase_geo_empty_box() else box(
    point(case when around then -180 else west - 1e-9 end, degrees(atan2(b[3], case when b[3] > 0 then far else near end)) - 1e-9),
    point(case when around then 180 else east + 1e-9 end, degrees(atan2(b[6], case when b[6] > 0 then near else far end)) + 1e-9)) end
  from (
    select b[2] <= 0 and b[5] >= 0 and b[1] <= 0,
      least(degrees(atan2(b[2], b[1])), degrees(atan2(b[2], b[4])), degrees(atan2(b[5], b[1])), degrees(atan2(b[5], b[4]))),
      greatest(degrees(atan2(b[2], b[1])), degrees(atan2(b[2], b[4])), degrees(atan2(b[5], b[1])), degrees(atan2(b[5], b[4]))),
      sqrt(greatest(b[1], -b[4], 0) ^ 2 + greatest(b[2], -b[5], 0) ^ 2), sqrt(greatest(-b[1], b[4]) ^ 2 + greatest(-b[2], b[5]) ^ 2)
  ) d(around, west, east, near, far));
end $$;
create function pg_catalog.homebase_geo_list(float8[]) returns text
language plpgsql strict immutable parallel safe set extra_float_digits = 1 set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return $1::text;
end $$;
-- Longitudes from -180 to 180 and latitudes from -90 to 90, as geography has them.
create function pg_catalog.homebase_geo_coerced(coordinates text, dims int4) returns text language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select case when coordinates = '[]' then coordinates else homebase_geo_canonical((
    select string_agg(case when token.word !~ '^[-0-9]' then token.word
      when (token.number - 1) % dims = 0 and abs(token.word::float8) > 180 then (token.word::float8 - 360 * round(token.word::float8 / 360))::numeric::text
      when (token.number - 1) % dims = 1 and abs(token.word::float8) > 90 then degrees(asin(sind(token.word::float8)))::numeric::text
      else token.word end, '' order by token.place)
    from (
      select m.word[1] as word, m.place, count(*) filter (where m.word[1] ~ '^[-0-9]') over (order by m.place) as number
      from regexp_matches(coordinates, '"t":\d|-?[0-9.][-+0-9.e]*|[^-0-9.]', 'g') with ordinality m(word, place)) token)) end);
end $$;
create function pg_catalog.homebase_geo_as_geography(@extschema@.geometry) returns @extschema@.geography language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case
    when given.srid not in (0) and given.srid not between 4001 and 4999
      then homebase_geo_fail('Only lon/lat coordinate systems are supported in geography.', null, homebase_geo_nowhere())
    when homebase_geo_is_point(given.shape) then homebase_geo_relabel(given.shape)
    else homebase_geo_join_geography(polygon(homebase_geo_degrees(b.sphere)), decode(homebase_geo_type(given.shape) || homebase_geo_flags(given.shape)::text
      || homebase_geo_srid(given.shape) || ' ' || homebase_geo_coordinates(given.shape) || ' ' || homebase_geo_list(b.sphere), 'escape'))
  end
  from (
    select homebase_geo_srid($1), homebase_geo_make(homebase_geo_type($1), homebase_geo_flags($1), coalesce(nullif(homebase_geo_srid($1), 0), 4326),
      case when homebase_geo_xmin(box) >= -180 and homebase_geo_xmax(box) <= 180 and homebase_geo_ymin(box) >= -90 and homebase_geo_ymax(box) <= 90 then homebase_geo_coordinates($1)
        else homebase_geo_coerced(homebase_geo_coordinates($1), homebase_geo_dims(homebase_geo_flags($1))) end)
    from homebase_geo_box($1) box offset 0
  ) given(srid, shape), lateral (select case when not homebase_geo_is_point(given.shape) then homebase_geo_sphere_box(given.shape) end offset 0) b(sphere));
end $$;
create function pg_catalog.homebase_geo_round_earth(@extschema@.geometry) returns @extschema@.geography language plpgsql strict immutable parallel safe cost 1 set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when homebase_geo_is_point($1) and homebase_geo_srid($1) = 4326 and abs(homebase_geo_xmin(b)) <= 180 and abs(homebase_geo_ymin(b)) <= 90 then homebase_geo_relabel($1)
    else homebase_geo_as_geography($1) end
  from homebase_geo_box($1) b);
end $$;
create function pg_catalog.homebase_geo_sphere(@extschema@.geography) returns float8[] language plpgsql strict immutable parallel safe cost 5 set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when homebase_geo_is_point($1) then v.place || v.place else split_part(homebase_geo_body($1), ' ', 3)::float8[] end
  from (select homebase_geo_vector(homebase_geo_xmin(b), homebase_geo_ymin(b)) from homebase_geo_box($1) b offset 0) v(place));
end $$;

create or replace function pg_catalog.homebase_geometry_in(cstring, oid, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_fitted(g, $3) from homebase_geo_read(homebase_geo_chars($1)) g;
end;
create or replace function pg_catalog.homebase_geometry_recv(internal, oid, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_fitted(g, $3) from homebase_geo_from_wkb(homebase_geo_received($1)) g;
end;
create or replace function pg_catalog.homebase_geography_in(cstring, oid, integer) returns @extschema@.geography language sql strict immutable parallel safe begin atomic
  select g from homebase_geo_round_earth(homebase_geo_read(homebase_geo_chars($1))) g where homebase_geo_fitted(homebase_geo_flat(g), $3) is not null;
end;
create or replace function pg_catalog.homebase_geography_recv(internal, oid, integer) returns @extschema@.geography language sql strict immutable parallel safe begin atomic
  select g from homebase_geo_round_earth(homebase_geo_from_wkb(homebase_geo_received($1))) g where homebase_geo_fitted(homebase_geo_flat(g), $3) is not null;
end;
create function @extschema@.geometry_in(cstring) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_read(homebase_geo_chars($1));
end;
create function @extschema@.geography_in(cstring, oid, integer) returns @extschema@.geography language sql strict immutable parallel safe begin atomic
  select homebase_geography_in($1, $2, $3);
end;
create function @extschema@.geometry_recv(internal) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_from_wkb(homebase_geo_received($1));
end;
create function @extschema@.geography_recv(internal, oid, integer) returns @extschema@.geography language sql strict immutable parallel safe begin atomic
  select homebase_geography_recv($1, $2, $3);
end;
update pg_language set lanvalidator = 'pg_catalog.fmgr_sql_validator'::regproc where lanname = 'sql';

create function @extschema@.geometry(@extschema@.geometry, integer, boolean) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_fitted($1, $2);
end;
create function @extschema@.geography(@extschema@.geography, integer, boolean) returns @extschema@.geography language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_fitted(homebase_geo_flat($1), $2) is not null then $1 end;
end;
create function @extschema@.geography(@extschema@.geometry) returns @extschema@.geography language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_round_earth($1);
end;
create function @extschema@.geometry(@extschema@.geography) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_flat($1);
end;
create function @extschema@.geometry(text) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_read($1);
end;
create function @extschema@.geometry(bytea) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_from_wkb($1);
end;
create function @extschema@.geography(bytea) returns @extschema@.geography language sql strict immutable parallel safe begin atomic
  select homebase_geo_round_earth(homebase_geo_from_wkb($1));
end;
create function @extschema@.text(@extschema@.geometry) returns text language sql strict immutable parallel safe begin atomic
  select upper(homebase_geo_wkb($1, false));
end;
create function @extschema@.bytea(@extschema@.geometry) returns bytea language sql strict immutable parallel safe begin atomic
  select decode(homebase_geo_wkb($1, false), 'hex');
end;
create function @extschema@.bytea(@extschema@.geography) returns bytea language sql strict immutable parallel safe begin atomic
  select decode(homebase_geo_wkb(homebase_geo_flat($1), false), 'hex');
end;
create function @extschema@."json"(@extschema@.geometry) returns json language sql strict immutable parallel safe begin atomic
  select homebase_geo_json($1, 15)::json;
end;
create function @extschema@."jsonb"(@extschema@.geometry) returns jsonb language sql strict immutable parallel safe begin atomic
  select homebase_geo_json($1, 15)::jsonb;
end;
create function @extschema@.geometry(point) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_point(($1)[0], ($1)[1], 0);
end;
create function @extschema@.point(@extschema@.geometry) returns point language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_is_point($1) then (homebase_geo_box($1))[1] else homebase_geo_fail('geometry_to_point only accepts Points', null, null::point) end;
end;
create cast (@extschema@.geometry as @extschema@.geometry) with function @extschema@.geometry(@extschema@.geometry, integer, boolean) as implicit;
create cast (@extschema@.geography as @extschema@.geography) with function @extschema@.geography(@extschema@.geography, integer, boolean) as implicit;
create cast (@extschema@.geometry as @extschema@.geography) with function @extschema@.geography(@extschema@.geometry) as implicit;
create cast (@extschema@.geography as @extschema@.geometry) with function @extschema@.geometry(@extschema@.geography);
create cast (text as @extschema@.geometry) with function @extschema@.geometry(text) as implicit;
create cast (@extschema@.geometry as text) with function @extschema@.text(@extschema@.geometry) as implicit;
create cast (bytea as @extschema@.geometry) with function @extschema@.geometry(bytea) as implicit;
create cast (@extschema@.geometry as bytea) with function @extschema@.bytea(@extschema@.geometry) as implicit;
create cast (bytea as @extschema@.geography) with function @extschema@.geography(bytea) as implicit;
create cast (@extschema@.geography as bytea) with function @extschema@.bytea(@extschema@.geography) as implicit;
create cast (@extschema@.geometry as json) with function @extschema@."json"(@extschema@.geometry);
create cast (@extschema@.geometry as jsonb) with function @extschema@."jsonb"(@extschema@.geometry);
create cast (@extschema@.geometry as point) with function @extschema@.point(@extschema@.geometry);
create cast (point as @extschema@.geometry) with function @extschema@.geometry(point);
