-- Making shapes, and their parts.
create function @extschema@.st_point(float8, float8) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_point($1, $2, 0);
end;
create function @extschema@.st_point(float8, float8, srid integer) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_point($1, $2, $3);
end;
create function @extschema@.st_makepoint(float8, float8) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_point($1, $2, 0);
end;
create function @extschema@.st_makepoint(float8, float8, float8) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_make(1, 1, 0, homebase_geo_tuples(array[$1, $2, $3], 3));
end;
create function @extschema@.st_makepoint(float8, float8, float8, float8) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_make(1, 3, 0, homebase_geo_tuples(array[$1, $2, $3, $4], 4));
end;
create function @extschema@.st_makepointm(float8, float8, float8) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_make(1, 2, 0, homebase_geo_tuples(array[$1, $2, $3], 3));
end;
create function @extschema@.st_pointz(xcoordinate float8, ycoordinate float8, zcoordinate float8, srid integer default 0) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_make(1, 1, srid, homebase_geo_tuples(array[$1, $2, $3], 3));
end;
create function @extschema@.st_setsrid(geom @extschema@.geometry, srid integer) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_with_srid($1, $2);
end;
create function @extschema@.st_setsrid(geog @extschema@.geography, srid integer) returns @extschema@.geography language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_round_earth(homebase_geo_with_srid(homebase_geo_flat($1), $2));
end;
create function @extschema@.st_srid(geom @extschema@.geometry) returns integer language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_srid($1);
end;
create function @extschema@.st_srid(geog @extschema@.geography) returns integer language sql strict immutable parallel safe cost 1 begin atomic
  select split_part(homebase_geo_body($1), ' ', 1)::int4;
end;

-- A coordinate of a point.
create function pg_catalog.homebase_geo_ordinate(@extschema@.geometry, at int4) returns float8 language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when homebase_geo_type($1) <> 1 then homebase_geo_fail('Argument to ST_X() must have type POINT', null, null::float8)
    else (homebase_geo_numbers(homebase_geo_coordinates($1)))[at] end);
end $$;
create function @extschema@.st_x(@extschema@.geometry) returns float8 language sql strict immutable parallel safe cost 1 begin atomic
  select case when homebase_geo_is_point($1) then nullif(homebase_geo_xmin(homebase_geo_box($1)), 'nan'::float8) else homebase_geo_ordinate($1, 1) end;
end;
create function @extschema@.st_y(@extschema@.geometry) returns float8 language sql strict immutable parallel safe cost 1 begin atomic
  select case when homebase_geo_is_point($1) then nullif(homebase_geo_ymin(homebase_geo_box($1)), 'nan'::float8) else homebase_geo_ordinate($1, 2) end;
end;
create function @extschema@.st_z(@extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_flags($1) & 1 = 1 then homebase_geo_ordinate($1, 3) end;
end;
create function @extschema@.st_m(@extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_flags($1) & 2 = 2 then homebase_geo_ordinate($1, homebase_geo_dims(homebase_geo_flags($1))) end;
end;
create function @extschema@.geometrytype(@extschema@.geometry) returns text language sql strict immutable parallel safe begin atomic
  select upper(homebase_geo_name(homebase_geo_type($1))) || case when homebase_geo_flags($1) = 2 then 'M' else '' end;
end;
create function @extschema@.geometrytype(@extschema@.geography) returns text language sql strict immutable parallel safe begin atomic
  select upper(homebase_geo_name(homebase_geo_type($1)));
end;
create function @extschema@.st_geometrytype(@extschema@.geometry) returns text language sql strict immutable parallel safe begin atomic
  select 'ST_' || homebase_geo_name(homebase_geo_type($1));
end;
create function @extschema@.st_isempty(@extschema@.geometry) returns bool language sql strict immutable parallel safe begin atomic
  select homebase_geo_xmin(homebase_geo_box($1)) = 'nan';
end;
create function @extschema@.st_dimension(geometry @extschema@.geometry) returns integer language sql strict immutable parallel safe begin atomic
  select coalesce((select max(kind) from homebase_geo_rings($1)), case when homebase_geo_type($1) = 7 then 0 else (homebase_geo_type($1) - 1) % 3 end);
end;
create function @extschema@.st_coorddim(geometry @extschema@.geometry) returns smallint language sql strict immutable parallel safe begin atomic
  select homebase_geo_dims(homebase_geo_flags($1))::int2;
end;
create function @extschema@.st_ndims(@extschema@.geometry) returns smallint language sql strict immutable parallel safe begin atomic
  select homebase_geo_dims(homebase_geo_flags($1))::int2;
end;
create function @extschema@.st_npoints(@extschema@.geometry) returns integer language sql strict immutable parallel safe begin atomic
  select cardinality(homebase_geo_numbers(homebase_geo_coordinates($1))) / homebase_geo_dims(homebase_geo_flags($1));
end;
create function @extschema@.st_numpoints(@extschema@.geometry) returns integer language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) = 2 then jsonb_array_length(homebase_geo_coordinates($1)::jsonb) end;
end;
-- A part of a shape, from its coordinates as JSON.
create function pg_catalog.homebase_geo_part(@extschema@.geometry, type int4, coordinates jsonb) returns @extschema@.geometry language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return homebase_geo_make(type, homebase_geo_flags($1), homebase_geo_srid($1), homebase_geo_canonical(replace(coordinates::text, ' ', '')));
end $$;
create function @extschema@.st_pointn(@extschema@.geometry, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) = 2 and $2 <> 0 then homebase_geo_part($1, 1, homebase_geo_coordinates($1)::jsonb->(case when $2 > 0 then $2 - 1 else $2 end)) end;
end;
create function @extschema@.st_startpoint(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select @extschema@.st_pointn($1, 1);
end;
create function @extschema@.st_endpoint(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select @extschema@.st_pointn($1, -1);
end;
create function @extschema@.st_isclosed(@extschema@.geometry) returns bool language sql strict immutable parallel safe begin atomic
  select coalesce(bool_and(kind <> 1 or numbers[1:2] = numbers[cardinality(numbers) - d.dims + 1 : cardinality(numbers) - d.dims + 2]), false)
  from homebase_geo_rings($1), (select homebase_geo_dims(homebase_geo_flags($1))) d(dims);
end;
create function @extschema@.st_numgeometries(@extschema@.geometry) returns integer language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_xmin(homebase_geo_box($1)) = 'nan' then 0 when homebase_geo_type($1) < 4 then 1 else jsonb_array_length(homebase_geo_coordinates($1)::jsonb) end;
end;
create function @extschema@.st_geometryn(@extschema@.geometry, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case
    when homebase_geo_type($1) < 4 then case when $2 = 1 then $1 end
    when $2 < 1 then null
    when homebase_geo_type($1) = 7 then homebase_geo_part($1, (e.part->>'t')::int4, e.part->'c')
    else homebase_geo_part($1, homebase_geo_type($1) - 3, e.part) end
  from (select homebase_geo_coordinates($1)::jsonb->($2 - 1)) e(part);
end;
create type @extschema@.geometry_dump as (path integer[], geom @extschema@.geometry);
create function @extschema@.st_dump(@extschema@.geometry) returns setof @extschema@.geometry_dump language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) < 4 then '{}'::int4[] else array[n] end, @extschema@.st_geometryn($1, n) from generate_series(1, @extschema@.st_numgeometries($1)) n;
end;
create function @extschema@.st_dumppoints(geom @extschema@.geometry) returns setof @extschema@.geometry_dump language sql strict immutable parallel safe begin atomic
  select case homebase_geo_type($1) when 1 then array[1] when 2 then array[at] when 3 then array[r.ring::int4, at] when 4 then array[r.part::int4, at] when 5 then array[r.part::int4, at]
      else array[r.part::int4, r.ring::int4, at] end,
    homebase_geo_make(1, homebase_geo_flags($1), homebase_geo_srid($1), homebase_geo_tuples(r.numbers[(at - 1) * d.dims + 1 : at * d.dims], d.dims))
  from homebase_geo_rings($1) r, (select homebase_geo_dims(homebase_geo_flags($1)) offset 0) d(dims), generate_series(1, cardinality(r.numbers) / d.dims) at order by r.part, r.ring, at;
end;
create function @extschema@.st_exteriorring(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) = 3 then homebase_geo_part($1, 2, coalesce(homebase_geo_coordinates($1)::jsonb->0, '[]')) end;
end;
create function @extschema@.st_numinteriorrings(@extschema@.geometry) returns integer language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) = 3 then greatest(jsonb_array_length(homebase_geo_coordinates($1)::jsonb) - 1, 0) end;
end;
create function @extschema@.st_interiorringn(@extschema@.geometry, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) = 3 and $2 > 0 then homebase_geo_part($1, 2, homebase_geo_coordinates($1)::jsonb->$2) end;
end;
create function @extschema@.st_multi(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) > 3 then $1 else homebase_geo_part($1, homebase_geo_type($1) + 3,
    case when homebase_geo_xmin(homebase_geo_box($1)) = 'nan' then '[]' else jsonb_build_array(homebase_geo_coordinates($1)::jsonb) end) end;
end;
-- Without the third and the fourth number.
create function @extschema@.st_force2d(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_flags($1) = 0 then $1 else homebase_geo_make(homebase_geo_type($1), 0, homebase_geo_srid($1),
    regexp_replace(homebase_geo_coordinates($1), '\[([-0-9][^][,]*,[^][,]*),[^][]*\]', '[\1]', 'g')) end;
end;
create function @extschema@.st_flipcoordinates(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_make(homebase_geo_type($1), homebase_geo_flags($1), homebase_geo_srid($1),
    regexp_replace(homebase_geo_coordinates($1), '\[([-0-9][^][,]*),([^][,]*)', '[\2,\1', 'g'));
end;
-- The vertices of points and lines in their order, null where none is left.
create function @extschema@.st_makeline(@extschema@.geometry[]) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case when count(distinct homebase_geo_srid(g)) > 1 then homebase_geo_fail('Operation on mixed SRID geometries', null, null::@extschema@.geometry)
    when count(*) > 0 then homebase_geo_make(2, max(homebase_geo_flags(g)), max(homebase_geo_srid(g)),
      '[' || string_agg(case when homebase_geo_type(g) = 1 then homebase_geo_coordinates(g) else substring(homebase_geo_coordinates(g) from '^\[(.*)\]$') end, ',' order by place) || ']') end
  from unnest($1) with ordinality list(g, place) where homebase_geo_type(g) in (1, 2, 4) and homebase_geo_xmin(homebase_geo_box(g)) <> 'nan';
end;
create function @extschema@.st_makeline(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select @extschema@.st_makeline(array[$1, $2]);
end;
create function @extschema@.st_makepolygon(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_type($1) = 2 then homebase_geo_checked(3, homebase_geo_flags($1), homebase_geo_srid($1), '[' || homebase_geo_coordinates($1) || ']', 'ST_MakePolygon')
    else homebase_geo_fail('Shell is not a line', null, null::@extschema@.geometry) end;
end;
create function @extschema@.st_polygon(@extschema@.geometry, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_with_srid(@extschema@.st_makepolygon($1), $2);
end;
-- Its FROM keeps it from being put in the place of its call, which would be too dear to be put into others.
create function pg_catalog.homebase_geo_frame(float8, float8, float8, float8, srid int4) returns @extschema@.geometry language plpgsql strict immutable parallel safe cost 1 set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select homebase_geo_join(homebase_geo_rectangle($1, $2, $3, $4), decode('30' || srid || ' [[' || ring || ']]', 'escape')) from homebase_geo_tuples(array[$1, $2, $1, $4, $3, $4, $3, $2, $1, $2], 2) ring);
end $$;
create function @extschema@.st_makeenvelope(float8, float8, float8, float8, integer default 0) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_frame($1, $2, $3, $4, $5);
end;
-- The box as a shape: a point or a line where it has no area.
create function pg_catalog.homebase_geo_framed(box, srid int4) returns @extschema@.geometry language plpgsql strict immutable parallel safe cost 1 set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case
    when x1 = 'nan' then homebase_geo_make(3, 0, srid, '[]')
    when x1 = x2 and y1 = y2 then homebase_geo_point(x1, y1, srid)
    when x1 = x2 or y1 = y2 then homebase_geo_make(2, 0, srid, '[' || homebase_geo_tuples(array[x1, y1, x2, y2], 2) || ']')
    else homebase_geo_frame(x1, y1, x2, y2, srid) end
  from (select homebase_geo_xmin($1), homebase_geo_ymin($1), homebase_geo_xmax($1), homebase_geo_ymax($1) offset 0) b(x1, y1, x2, y2));
end $$;
create function @extschema@.st_envelope(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_framed(homebase_geo_box($1), homebase_geo_srid($1));
end;
create function @extschema@.st_expand(@extschema@.geometry, float8) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_framed(box(point(homebase_geo_xmin(b) - $2, homebase_geo_ymin(b) - $2), point(homebase_geo_xmax(b) + $2, homebase_geo_ymax(b) + $2)), homebase_geo_srid($1))
  from (select homebase_geo_box($1) offset 0) f(b);
end;

-- Each x and y by a function of its own: a factor, then a distance, or the projection of maps on the web (EPSG 3857).
create function pg_catalog.homebase_geo_moved(number float8, axis int4, op text, factor float8, distance float8) returns float8 language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case
    when op = 'affine' then number * factor + distance
    when op = 'grid' then case when factor > 0 then round((number - distance) / factor) * factor + distance else number end
    when op = 'mercator' and axis = 0 then radians(number) * 6378137
    when op = 'mercator' then 6378137 * ln(tan(pi() / 4 + radians(number) / 2))
    when axis = 0 then degrees(number / 6378137)
    else degrees(2 * atan(exp(number / 6378137)) - pi() / 2) end);
end $$;
create function pg_catalog.homebase_geo_map(@extschema@.geometry, srid int4, op text, x float8[], y float8[]) returns @extschema@.geometry language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select homebase_geo_make(homebase_geo_type($1), homebase_geo_flags($1), srid, coalesce((
    select string_agg(case when t.word !~ '^[-0-9]' or t.axis > 1 then t.word
      else homebase_geo_number(homebase_geo_moved(t.word::float8, t.axis, op, case t.axis when 0 then x[1] else y[1] end, case t.axis when 0 then x[2] else y[2] end)) end, '' order by t.place)
    from (
      select m.word[1] as word, m.place, ((count(*) filter (where m.word[1] ~ '^[-0-9]') over (order by m.place) - 1) % homebase_geo_dims(homebase_geo_flags($1)))::int4 as axis
      from regexp_matches(homebase_geo_coordinates($1), '"t":\d|-?[0-9.][-+0-9.e]*|[^-0-9.]', 'g') with ordinality m(word, place)) t), '[]')));
end $$;
create function @extschema@.st_transform(@extschema@.geometry, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case
    when homebase_geo_srid($1) = 0 then homebase_geo_fail('ST_Transform: Input geometry has unknown (0) SRID', null, null::@extschema@.geometry)
    when homebase_geo_srid($1) = $2 then $1
    when homebase_geo_srid($1) = 4326 and $2 = 3857 then homebase_geo_map($1, 3857, 'mercator', '{}', '{}')
    when homebase_geo_srid($1) = 3857 and $2 = 4326 then homebase_geo_map($1, 4326, 'unmercator', '{}', '{}')
    else homebase_geo_refused('ST_Transform from SRID ' || homebase_geo_srid($1) || ' to ' || $2, null::@extschema@.geometry) end;
end;
create function @extschema@.st_translate(@extschema@.geometry, float8, float8) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_map($1, homebase_geo_srid($1), 'affine', array[1, $2], array[1, $3]);
end;
create function @extschema@.st_scale(@extschema@.geometry, float8, float8) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_map($1, homebase_geo_srid($1), 'affine', array[$2, 0], array[$3, 0]);
end;
create function @extschema@.st_snaptogrid(@extschema@.geometry, float8) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_map($1, homebase_geo_srid($1), 'grid', array[$2, 0], array[$2, 0]);
end;

-- Reading and writing by their names.
do $outer$
declare
  one record;
begin
  for one in values ('st_geomfromtext', null), ('st_geometryfromtext', null), ('st_pointfromtext', 1), ('st_linefromtext', 2), ('st_polyfromtext', 3), ('st_polygonfromtext', 3),
    ('st_mpointfromtext', 4), ('st_mlinefromtext', 5), ('st_mpolyfromtext', 6), ('st_geomcollfromtext', 7)
  loop
    execute format($$create function @extschema@.%1$s(text) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_typed(homebase_geo_from_wkt($1, 0), %2$s); end;
      create function @extschema@.%1$s(text, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_typed(homebase_geo_from_wkt($1, $2), %2$s); end$$,
      one.column1, coalesce(one.column2::text, 'null'));
  end loop;
end
$outer$;
create function @extschema@.st_geomfromewkt(text) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_from_wkt($1, 0); end;
create function @extschema@.st_wkttosql(text) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_from_wkt($1, 0); end;
create function @extschema@.st_geogfromtext(text) returns @extschema@.geography language sql strict immutable parallel safe begin atomic select homebase_geo_round_earth(homebase_geo_read($1)); end;
create function @extschema@.st_geographyfromtext(text) returns @extschema@.geography language sql strict immutable parallel safe begin atomic select homebase_geo_round_earth(homebase_geo_read($1)); end;
create function @extschema@.st_geogfromwkb(bytea) returns @extschema@.geography language sql strict immutable parallel safe begin atomic select homebase_geo_round_earth(homebase_geo_from_wkb($1)); end;
create function @extschema@.st_geomfromwkb(bytea) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_from_wkb($1); end;
create function @extschema@.st_geomfromwkb(bytea, integer) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_with_srid(homebase_geo_from_wkb($1), $2); end;
create function @extschema@.st_geomfromewkb(bytea) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_from_wkb($1); end;
create function @extschema@.st_geomfromgeojson(text) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_from_json($1::jsonb, 4326); end;
create function @extschema@.st_geomfromgeojson(json) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_from_json($1::jsonb, 4326); end;
create function @extschema@.st_geomfromgeojson(jsonb) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select homebase_geo_from_json($1, 4326); end;
create function @extschema@.st_astext(@extschema@.geometry) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_wkt($1, 15); end;
create function @extschema@.st_astext(@extschema@.geometry, integer) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_wkt($1, $2); end;
create function @extschema@.st_astext(@extschema@.geography) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_wkt(homebase_geo_flat($1), 15); end;
create function @extschema@.st_astext(@extschema@.geography, integer) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_wkt(homebase_geo_flat($1), $2); end;
create function @extschema@.st_astext(text) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_wkt(homebase_geo_read($1), 15); end;
-- As WKT, without the sign of three dimensions, which its numbers show, after the SRID.
create function pg_catalog.homebase_geo_ewkt(@extschema@.geometry, digits int4) returns text language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return case when homebase_geo_srid($1) <> 0 then 'SRID=' || homebase_geo_srid($1) || ';' else '' end || regexp_replace(regexp_replace(homebase_geo_wkt($1, digits), ' ZM? (?=\()', '', 'g'), ' M (?=\()', 'M', 'g');
end $$;
create function @extschema@.st_asewkt(@extschema@.geometry) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_ewkt($1, 15); end;
create function @extschema@.st_asewkt(@extschema@.geometry, integer) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_ewkt($1, $2); end;
create function @extschema@.st_asewkt(@extschema@.geography) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_ewkt(homebase_geo_flat($1), 15); end;
create function @extschema@.st_asewkt(@extschema@.geography, integer) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_ewkt(homebase_geo_flat($1), $2); end;
create function @extschema@.st_asewkt(text) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_ewkt(homebase_geo_read($1), 15); end;
create function @extschema@.st_asbinary(@extschema@.geometry) returns bytea language sql strict immutable parallel safe begin atomic select decode(homebase_geo_wkb($1, true), 'hex'); end;
create function @extschema@.st_asbinary(@extschema@.geography) returns bytea language sql strict immutable parallel safe begin atomic select decode(homebase_geo_wkb(homebase_geo_flat($1), true), 'hex'); end;
create function @extschema@.st_asewkb(@extschema@.geometry) returns bytea language sql strict immutable parallel safe begin atomic select decode(homebase_geo_wkb($1, false), 'hex'); end;
create function @extschema@.st_ashexewkb(@extschema@.geometry) returns text language sql strict immutable parallel safe begin atomic select upper(homebase_geo_wkb($1, false)); end;
create function pg_catalog.homebase_geo_geojson(@extschema@.geometry, digits int4, options int4) returns text language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select case when options & 8 = 8 and homebase_geo_srid($1) not in (0, 4326) or options & 2 = 2 and homebase_geo_srid($1) <> 0
    then regexp_replace(j, ',', ',"crs":{"type":"name","properties":{"name":"EPSG:' || homebase_geo_srid($1) || '"}},') else j end
  from (select homebase_geo_json($1, digits)) text(j));
end $$;
create function @extschema@.st_asgeojson(geom @extschema@.geometry, maxdecimaldigits integer default 9, options integer default 8) returns text language sql strict immutable parallel safe begin atomic
  select homebase_geo_geojson($1, $2, $3);
end;
create function @extschema@.st_asgeojson(geog @extschema@.geography, maxdecimaldigits integer default 9, options integer default 0) returns text language sql strict immutable parallel safe begin atomic
  select homebase_geo_geojson(homebase_geo_flat($1), $2, $3);
end;
create function @extschema@.st_asgeojson(text) returns text language sql strict immutable parallel safe begin atomic select homebase_geo_geojson(homebase_geo_read($1), 9, 0); end;
