-- Boxes, aggregates, the views of columns, versions.
create type @extschema@.box2d;
create type @extschema@.box3d;
create function @extschema@.box2d_in(cstring) returns @extschema@.box2d language internal strict immutable parallel safe as 'box_in';
create function @extschema@.box2d_out(@extschema@.box2d) returns cstring language internal strict immutable parallel safe as 'box_out';
create function @extschema@.box3d_in(cstring) returns @extschema@.box3d language internal strict immutable parallel safe as 'textin';
create function @extschema@.box3d_out(@extschema@.box3d) returns cstring language internal strict immutable parallel safe as 'textout';
-- A box of core's; and text, which is checked when it is read.
create type @extschema@.box2d (input = @extschema@.box2d_in, output = @extschema@.box2d_out, internallength = 32, alignment = double, storage = plain);
create type @extschema@.box3d (input = @extschema@.box3d_in, output = @extschema@.box3d_out, storage = extended);
create cast (box as @extschema@.box2d) without function;
create cast (@extschema@.box2d as box) without function;
create cast (@extschema@.box3d as text) without function;
create function pg_catalog.homebase_geo_box3d(text) returns @extschema@.box3d language internal strict immutable parallel safe as 'byteasend';
create function pg_catalog.homebase_geo_box_text(x1 float8, y1 float8, x2 float8, y2 float8) returns text language plpgsql strict immutable parallel safe set extra_float_digits = 1 set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return x1 || ' ' || y1 || ',' || x2 || ' ' || y2;
end $$;
update pg_language set lanvalidator = 0 where lanname = 'sql';
create or replace function @extschema@.box2d_in(cstring) returns @extschema@.box2d language sql strict immutable parallel safe begin atomic
  select case when w.m is null then homebase_geo_fail('box2d parser - couldn''t parse.  It should look like: BOX(xmin ymin,xmax ymax)', null, null::@extschema@.box2d)
    else box(point(w.m[1]::float8, w.m[2]::float8), point(w.m[3]::float8, w.m[4]::float8))::@extschema@.box2d end
  from (select regexp_match(homebase_geo_chars($1), '^\s*BOX\s*\(\s*([-+0-9.eE]+)\s+([-+0-9.eE]+)\s*,\s*([-+0-9.eE]+)\s+([-+0-9.eE]+)\s*\)\s*$', 'i') offset 0) w(m);
end;
create or replace function @extschema@.box3d_in(cstring) returns @extschema@.box3d language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_chars($1) ~* '^BOX3D\([-+0-9.e]+ [-+0-9.e]+ [-+0-9.e]+,[-+0-9.e]+ [-+0-9.e]+ [-+0-9.e]+\)$' then homebase_geo_box3d(homebase_geo_chars($1))
    else homebase_geo_fail('box3d parser - couldn''t parse.  It should look like: BOX3D(xmin ymin zmin,xmax ymax zmax)', null, null::@extschema@.box3d) end limit 1;
end;
create or replace function @extschema@.box2d_out(@extschema@.box2d) returns cstring language sql strict volatile parallel safe set extra_float_digits = 1 begin atomic
  select homebase_geo_cstring('BOX(' || homebase_geo_box_text(homebase_geo_xmin($1::box), homebase_geo_ymin($1::box), homebase_geo_xmax($1::box), homebase_geo_ymax($1::box)) || ')');
end;
update pg_proc set prorettype = '@extschema@._postgis_text'::regtype where oid = '@extschema@.box2d_out(@extschema@.box2d)'::regprocedure;
update pg_language set lanvalidator = 'pg_catalog.fmgr_sql_validator'::regproc where lanname = 'sql';

create function @extschema@.box2d(@extschema@.geometry) returns @extschema@.box2d language sql strict immutable parallel safe begin atomic
  select case when homebase_geo_xmin(b) <> 'nan' then b::@extschema@.box2d end from (select homebase_geo_box($1) offset 0) v(b);
end;
create function @extschema@.geometry(@extschema@.box2d) returns @extschema@.geometry language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_framed($1::box, 0) from (select) unfolded;
end;
create function @extschema@.box3d(@extschema@.geometry) returns @extschema@.box3d language sql strict immutable parallel safe set extra_float_digits = 1 begin atomic
  select homebase_geo_box3d(format('BOX3D(%s %s %s,%s %s %s)', min(n[at]), min(n[at + 1]), min(z), max(n[at]), max(n[at + 1]), max(z)))
  from (select homebase_geo_numbers(homebase_geo_coordinates($1)), homebase_geo_dims(homebase_geo_flags($1)) offset 0) v(n, dims), generate_series(1, cardinality(n), dims) at,
    lateral (select case when homebase_geo_flags($1) & 1 = 1 then n[at + 2] else 0 end) height(z) having count(*) > 0;
end;
create function @extschema@.box3d(@extschema@.box2d) returns @extschema@.box3d language sql strict immutable parallel safe set extra_float_digits = 1 begin atomic
  select homebase_geo_box3d(format('BOX3D(%s %s 0,%s %s 0)', homebase_geo_xmin($1::box), homebase_geo_ymin($1::box), homebase_geo_xmax($1::box), homebase_geo_ymax($1::box)));
end;
create function pg_catalog.homebase_geo_box3d_numbers(@extschema@.box3d) returns float8[] language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set standard_conforming_strings = on as $$
#variable_conflict use_column
begin
  return (
  select ('{' || translate(substring($1::text from '\((.*)\)'), ' ', ',') || '}')::float8[]);
end $$;
create function @extschema@.box2d(@extschema@.box3d) returns @extschema@.box2d language sql strict immutable parallel safe begin atomic
  select box(point(n[1], n[2]), point(n[4], n[5]))::@extschema@.box2d from homebase_geo_box3d_numbers($1) n;
end;
create function @extschema@.box(@extschema@.geometry) returns box language sql strict immutable parallel safe begin atomic select homebase_geo_box($1); end;
create function @extschema@.box(@extschema@.box3d) returns box language sql strict immutable parallel safe begin atomic select @extschema@.box2d($1)::box; end;
create function @extschema@.geometry(@extschema@.box3d) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select homebase_geo_framed(@extschema@.box2d($1)::box, 0);
end;
create function @extschema@.st_xmin(@extschema@.box3d) returns float8 language sql strict immutable parallel safe begin atomic select (homebase_geo_box3d_numbers($1))[1]; end;
create function @extschema@.st_ymin(@extschema@.box3d) returns float8 language sql strict immutable parallel safe begin atomic select (homebase_geo_box3d_numbers($1))[2]; end;
create function @extschema@.st_zmin(@extschema@.box3d) returns float8 language sql strict immutable parallel safe begin atomic select (homebase_geo_box3d_numbers($1))[3]; end;
create function @extschema@.st_xmax(@extschema@.box3d) returns float8 language sql strict immutable parallel safe begin atomic select (homebase_geo_box3d_numbers($1))[4]; end;
create function @extschema@.st_ymax(@extschema@.box3d) returns float8 language sql strict immutable parallel safe begin atomic select (homebase_geo_box3d_numbers($1))[5]; end;
create function @extschema@.st_zmax(@extschema@.box3d) returns float8 language sql strict immutable parallel safe begin atomic select (homebase_geo_box3d_numbers($1))[6]; end;
create cast (@extschema@.geometry as @extschema@.box2d) with function @extschema@.box2d(@extschema@.geometry) as implicit;
create cast (@extschema@.geometry as @extschema@.box3d) with function @extschema@.box3d(@extschema@.geometry) as implicit;
create cast (@extschema@.geometry as box) with function @extschema@.box(@extschema@.geometry) as assignment;
create cast (@extschema@.box3d as @extschema@.box2d) with function @extschema@.box2d(@extschema@.box3d) as implicit;
create cast (@extschema@.box2d as @extschema@.box3d) with function @extschema@.box3d(@extschema@.box2d) as implicit;
create cast (@extschema@.box2d as @extschema@.geometry) with function @extschema@.geometry(@extschema@.box2d) as implicit;
create cast (@extschema@.box3d as box) with function @extschema@.box(@extschema@.box3d) as implicit;
create cast (@extschema@.box3d as @extschema@.geometry) with function @extschema@.geometry(@extschema@.box3d) as implicit;
create function @extschema@.st_makebox2d(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns @extschema@.box2d language sql strict immutable parallel safe cost 1 begin atomic
  select box((homebase_geo_box($1))[1], (homebase_geo_box($2))[1])::@extschema@.box2d from (select) unfolded;
end;
create function @extschema@.st_expand(@extschema@.box2d, float8) returns @extschema@.box2d language sql strict immutable parallel safe begin atomic
  select box(point(homebase_geo_xmin($1::box) - $2, homebase_geo_ymin($1::box) - $2), point(homebase_geo_xmax($1::box) + $2, homebase_geo_ymax($1::box) + $2))::@extschema@.box2d;
end;

create function @extschema@.st_combinebbox(@extschema@.box2d, @extschema@.geometry) returns @extschema@.box2d language sql immutable parallel safe begin atomic
  select case when $2 is null or homebase_geo_xmin(homebase_geo_box($2)) = 'nan' then $1 when $1 is null then homebase_geo_box($2)::@extschema@.box2d
    else bound_box($1::box, homebase_geo_box($2))::@extschema@.box2d end;
end;
create aggregate @extschema@.st_extent(@extschema@.geometry) (sfunc = @extschema@.st_combinebbox, stype = @extschema@.box2d, parallel = safe);
create function @extschema@.st_collect(@extschema@.geometry[]) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  select case
    when count(distinct homebase_geo_srid(g)) > 1 then homebase_geo_fail('Operation on mixed SRID geometries', null, null::@extschema@.geometry)
    when max(homebase_geo_type(g)) < 4 and min(homebase_geo_type(g)) = max(homebase_geo_type(g)) then homebase_geo_make(max(homebase_geo_type(g)) + 3, max(homebase_geo_flags(g)),
      max(homebase_geo_srid(g)), '[' || string_agg(homebase_geo_coordinates(g), ',' order by place) || ']')
    when max(homebase_geo_type(g)) = 7 then homebase_geo_refused('A collection of collections', null::@extschema@.geometry)
    when count(*) > 0 then homebase_geo_make(7, max(homebase_geo_flags(g)), max(homebase_geo_srid(g)),
      '[' || string_agg('{"t":' || homebase_geo_type(g) || ',"c":' || homebase_geo_coordinates(g) || '}', ',' order by place) || ']') end
  from unnest($1) with ordinality list(g, place) where g is not null;
end;
create function @extschema@.st_collect(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns @extschema@.geometry language sql immutable parallel safe begin atomic
  select @extschema@.st_collect(array[$1, $2]);
end;
create aggregate @extschema@.st_collect(@extschema@.geometry) (sfunc = array_append, stype = @extschema@.geometry[], finalfunc = @extschema@.st_collect, parallel = safe);
create aggregate @extschema@.st_makeline(@extschema@.geometry) (sfunc = array_append, stype = @extschema@.geometry[], finalfunc = @extschema@.st_makeline, parallel = safe);

-- A row as a feature: its first value that is a shape, and the others as properties. A null does not say its type: where no
-- value is a shape it may have been one, and the shape is null.
create function @extschema@.st_asgeojson(r record, geom_column text default '', maxdecimaldigits integer default 9, pretty_bool boolean default false) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  shape_key text;
  shape json;
  others text;
  nulls bool;
begin
  select e.key, e.value into shape_key, shape from json_each(row_to_json(r)) with ordinality e(key, value, place)
  where json_typeof(e.value) = 'object' and (geom_column = '' or e.key = geom_column)
    and e.value->>'type' in ('Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection') order by e.place limit 1;
  select string_agg(to_json(e.key) || ': ' || e.value, ', ' order by e.place), bool_or(json_typeof(e.value) = 'null') into others, nulls
  from json_each(row_to_json(r)) with ordinality e(key, value, place) where e.key is distinct from shape_key;
  if shape_key is null and not coalesce(nulls, false) then raise exception using errcode = '22023', message = 'geometry column is missing'; end if;
  return format('{"type": "Feature", "geometry": %s, "properties": {%s}}',
    case when shape_key is null then '{"type": null}' when shape->'coordinates' is null then shape::text
      else format('{"type":"%s","coordinates":%s}', shape->>'type', homebase_geo_printed(shape->>'coordinates', maxdecimaldigits)) end, others);
end $$;

create function @extschema@.postgis_typmod_dims(integer) returns integer language sql strict immutable parallel safe begin atomic select case when $1 < 0 then 2 else 2 + ($1 & 1) + (($1 >> 1) & 1) end; end;
create function @extschema@.postgis_typmod_srid(integer) returns integer language sql strict immutable parallel safe begin atomic select case when $1 < 0 then 0 else $1 >> 8 end; end;
create function @extschema@.postgis_typmod_type(integer) returns text language sql strict immutable parallel safe begin atomic
  select case when $1 < 0 then 'Geometry' else homebase_geo_typmod_name($1) || (array['', 'M', 'Z', 'ZM'])[($1 & 3) + 1] end;
end;
create table @extschema@.spatial_ref_sys (
  srid integer not null primary key check (srid > 0 and srid <= 998999),
  auth_name varchar(256),
  auth_srid integer,
  srtext varchar(2048),
  proj4text varchar(2048)
);
insert into @extschema@.spatial_ref_sys values
  (4326, 'EPSG', 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]', '+proj=longlat +datum=WGS84 +no_defs'),
  (3857, 'EPSG', 3857, 'PROJCS["WGS 84 / Pseudo-Mercator",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]],PROJECTION["Mercator_1SP"],PARAMETER["central_meridian",0],PARAMETER["scale_factor",1],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["X",EAST],AXIS["Y",NORTH],AUTHORITY["EPSG","3857"]]', '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +wktext +no_defs');
grant select on @extschema@.spatial_ref_sys to public;
create view @extschema@.geography_columns as
  select current_database() as f_table_catalog, n.nspname as f_table_schema, c.relname as f_table_name, a.attname as f_geography_column,
    @extschema@.postgis_typmod_dims(a.atttypmod) as coord_dimension, @extschema@.postgis_typmod_srid(a.atttypmod) as srid, @extschema@.postgis_typmod_type(a.atttypmod) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
  where a.atttypid = '@extschema@.geography'::regtype and not a.attisdropped and c.relkind = any ('{r,v,m,f,p}'::"char"[]) and not pg_is_other_temp_schema(c.relnamespace)
    and has_table_privilege(c.oid, 'SELECT');
create view @extschema@.geometry_columns as
  select current_database()::varchar(256) as f_table_catalog, n.nspname as f_table_schema, c.relname as f_table_name, a.attname as f_geometry_column,
    @extschema@.postgis_typmod_dims(a.atttypmod) as coord_dimension, @extschema@.postgis_typmod_srid(a.atttypmod) as srid,
    rtrim(upper(@extschema@.postgis_typmod_type(a.atttypmod)), 'ZM')::varchar(30) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
  where a.atttypid = '@extschema@.geometry'::regtype and not a.attisdropped and c.relkind = any ('{r,v,m,f,p}'::"char"[]) and not pg_is_other_temp_schema(c.relnamespace)
    and not (n.nspname = '@extschema@' and c.relname = 'raster_columns') and has_table_privilege(c.oid, 'SELECT');
grant select on @extschema@.geography_columns, @extschema@.geometry_columns to public;

create function @extschema@.postgis_version() returns text language sql immutable parallel safe begin atomic select '3.3 USE_GEOS=1 USE_PROJ=1 USE_STATS=1'; end;
create function @extschema@.postgis_lib_version() returns text language sql immutable parallel safe begin atomic select '3.3.7'; end;
create function @extschema@.postgis_scripts_installed() returns text language sql immutable parallel safe begin atomic select '3.3.7'; end;
create function @extschema@.postgis_scripts_released() returns text language sql immutable parallel safe begin atomic select '3.3.7'; end;
create function @extschema@.postgis_full_version() returns text language sql immutable parallel safe begin atomic select 'POSTGIS="3.3.7" (stand-in of Homebase, without its library)'; end;
