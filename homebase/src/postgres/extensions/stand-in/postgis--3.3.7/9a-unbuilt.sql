-- All other functions of PostGIS's catalogue, so that a dump can grant on them and a project compile. Their names, arguments
-- and results are its own; each refuses. An & stands for the extension's schema.

create type @extschema@.valid_detail as (valid bool, reason varchar, location @extschema@.geometry);
do $outer$
declare
  kind text;
  one text;
begin
  -- Types that only functions below have as arguments.
  foreach kind in array array['box2df', 'gidx', 'spheroid'] loop
    execute replace($$create type @extschema@.KIND;
      create function @extschema@.KIND_in(cstring) returns @extschema@.KIND language internal strict immutable as 'textin';
      create function @extschema@.KIND_out(@extschema@.KIND) returns cstring language internal strict immutable as 'textout';
      create type @extschema@.KIND (input = @extschema@.KIND_in, output = @extschema@.KIND_out)$$, 'KIND', kind);
  end loop;
  foreach one in array regexp_split_to_array($list$_postgis_deprecate(oldname text, newname text, version text) returns void |
_postgis_index_extent(tbl regclass, col text) returns &box2d | _postgis_join_selectivity(regclass, text, regclass, text, text DEFAULT '2') returns float8 | _postgis_pgsql_version() returns text |
_postgis_scripts_pgsql_version() returns text | _postgis_selectivity(tbl regclass, att_name text, geom &geometry, mode text DEFAULT '2') returns float8 |
_postgis_stats(tbl regclass, att_name text, text DEFAULT '2') returns text | _st_3ddfullywithin(geom1 &geometry, geom2 &geometry, float8) returns bool |
_st_3ddwithin(geom1 &geometry, geom2 &geometry, float8) returns bool | _st_3dintersects(geom1 &geometry, geom2 &geometry) returns bool |
_st_asgml(int, &geometry, int, int, text, text) returns text | _st_asx3d(int, &geometry, int, int, text) returns text | _st_bestsrid(&geography) returns int |
_st_bestsrid(&geography, &geography) returns int | _st_contains(geom1 &geometry, geom2 &geometry) returns bool | _st_containsproperly(geom1 &geometry, geom2 &geometry) returns bool |
_st_coveredby(geog1 &geography, geog2 &geography) returns bool | _st_coveredby(geom1 &geometry, geom2 &geometry) returns bool | _st_covers(geog1 &geography, geog2 &geography) returns bool |
_st_covers(geom1 &geometry, geom2 &geometry) returns bool | _st_crosses(geom1 &geometry, geom2 &geometry) returns bool | _st_dfullywithin(geom1 &geometry, geom2 &geometry, float8) returns bool |
_st_distancetree(&geography, &geography) returns float8 | _st_distancetree(&geography, &geography, float8, bool) returns float8 | _st_distanceuncached(&geography, &geography) returns float8 |
_st_distanceuncached(&geography, &geography, bool) returns float8 | _st_distanceuncached(&geography, &geography, float8, bool) returns float8 |
_st_dwithin(geog1 &geography, geog2 &geography, tolerance float8, use_spheroid bool DEFAULT true) returns bool | _st_dwithin(geom1 &geometry, geom2 &geometry, float8) returns bool |
_st_dwithinuncached(&geography, &geography, float8) returns bool | _st_dwithinuncached(&geography, &geography, float8, bool) returns bool |
_st_equals(geom1 &geometry, geom2 &geometry) returns bool | _st_geomfromgml(text, int) returns &geometry | _st_intersects(geom1 &geometry, geom2 &geometry) returns bool |
_st_linecrossingdirection(line1 &geometry, line2 &geometry) returns int | _st_longestline(geom1 &geometry, geom2 &geometry) returns &geometry |
_st_maxdistance(geom1 &geometry, geom2 &geometry) returns float8 | _st_orderingequals(geom1 &geometry, geom2 &geometry) returns bool | _st_overlaps(geom1 &geometry, geom2 &geometry) returns bool |
_st_pointoutside(&geography) returns &geography | _st_sortablehash(geom &geometry) returns bigint | _st_touches(geom1 &geometry, geom2 &geometry) returns bool |
_st_voronoi(g1 &geometry, clip &geometry DEFAULT NULL::&geometry, tolerance float8 DEFAULT 0.0, return_polygons bool DEFAULT true) returns &geometry |
_st_within(geom1 &geometry, geom2 &geometry) returns bool | addauth(text) returns bool |
addgeometrycolumn(catalog_name varchar, schema_name varchar, table_name varchar, column_name varchar, new_srid_in int, new_type varchar, new_dim int, use_typmod bool DEFAULT true) returns text |
addgeometrycolumn(schema_name varchar, table_name varchar, column_name varchar, new_srid int, new_type varchar, new_dim int, use_typmod bool DEFAULT true) returns text |
addgeometrycolumn(table_name varchar, column_name varchar, new_srid int, new_type varchar, new_dim int, use_typmod bool DEFAULT true) returns text | box3dtobox(&box3d) returns box |
checkauth(text, text) returns int | checkauth(text, text, text) returns int | checkauthtrigger() returns trigger | contains_2d(&box2df, &box2df) returns bool |
contains_2d(&box2df, &geometry) returns bool | contains_2d(&geometry, &box2df) returns bool | disablelongtransactions() returns text |
dropgeometrycolumn(catalog_name varchar, schema_name varchar, table_name varchar, column_name varchar) returns text |
dropgeometrycolumn(schema_name varchar, table_name varchar, column_name varchar) returns text | dropgeometrycolumn(table_name varchar, column_name varchar) returns text |
dropgeometrytable(catalog_name varchar, schema_name varchar, table_name varchar) returns text | dropgeometrytable(schema_name varchar, table_name varchar) returns text |
dropgeometrytable(table_name varchar) returns text | enablelongtransactions() returns text | equals(geom1 &geometry, geom2 &geometry) returns bool |
find_srid(varchar, varchar, varchar) returns int | geometry(path) returns &geometry | geometry(polygon) returns &geometry | geometry_contained_3d(geom1 &geometry, geom2 &geometry) returns bool |
geometry_contains_3d(geom1 &geometry, geom2 &geometry) returns bool | geometry_contains_nd(&geometry, &geometry) returns bool | geometry_distance_centroid_nd(&geometry, &geometry) returns float8 |
geometry_distance_cpa(&geometry, &geometry) returns float8 | geometry_overlaps_3d(geom1 &geometry, geom2 &geometry) returns bool | geometry_same_3d(geom1 &geometry, geom2 &geometry) returns bool |
geometry_same_nd(&geometry, &geometry) returns bool | geometry_within_nd(&geometry, &geometry) returns bool | geomfromewkb(bytea) returns &geometry | geomfromewkt(text) returns &geometry |
get_proj4_from_srid(int) returns text | gettransactionid() returns xid | is_contained_2d(&box2df, &box2df) returns bool | is_contained_2d(&box2df, &geometry) returns bool |
is_contained_2d(&geometry, &box2df) returns bool | lockrow(text, text, text) returns int | lockrow(text, text, text, text) returns int |
lockrow(text, text, text, text, timestamp without time zone) returns int | lockrow(text, text, text, timestamp without time zone) returns int | longtransactionsenabled() returns bool |
overlaps_2d(&box2df, &box2df) returns bool | overlaps_2d(&box2df, &geometry) returns bool | overlaps_2d(&geometry, &box2df) returns bool | overlaps_geog(&geography, &gidx) returns bool |
overlaps_geog(&gidx, &geography) returns bool | overlaps_geog(&gidx, &gidx) returns bool | overlaps_nd(&geometry, &gidx) returns bool | overlaps_nd(&gidx, &geometry) returns bool |
overlaps_nd(&gidx, &gidx) returns bool | path(&geometry) returns path | polygon(&geometry) returns polygon | populate_geometry_columns(tbl_oid oid, use_typmod bool DEFAULT true) returns int |
populate_geometry_columns(use_typmod bool DEFAULT true) returns text | postgis_addbbox(&geometry) returns &geometry | postgis_cache_bbox() returns trigger |
postgis_constraint_dims(geomschema text, geomtable text, geomcolumn text) returns int | postgis_constraint_srid(geomschema text, geomtable text, geomcolumn text) returns int |
postgis_constraint_type(geomschema text, geomtable text, geomcolumn text) returns varchar | postgis_dropbbox(&geometry) returns &geometry | postgis_extensions_upgrade() returns text |
postgis_geos_noop(&geometry) returns &geometry | postgis_geos_version() returns text | postgis_getbbox(&geometry) returns &box2d | postgis_hasbbox(&geometry) returns bool |
postgis_lib_build_date() returns text | postgis_lib_revision() returns text | postgis_libjson_version() returns text | postgis_liblwgeom_version() returns text |
postgis_libprotobuf_version() returns text | postgis_libxml_version() returns text | postgis_noop(&geometry) returns &geometry | postgis_proj_version() returns text |
postgis_scripts_build_date() returns text | postgis_svn_version() returns text | postgis_transform_geometry(geom &geometry, text, text, int) returns &geometry |
postgis_type_name(geomname varchar, coord_dimension int, use_new_name bool DEFAULT true) returns varchar | postgis_wagyu_version() returns text |
st_3dclosestpoint(geom1 &geometry, geom2 &geometry) returns &geometry | st_3ddfullywithin(geom1 &geometry, geom2 &geometry, float8) returns bool |
st_3ddistance(geom1 &geometry, geom2 &geometry) returns float8 | st_3ddwithin(geom1 &geometry, geom2 &geometry, float8) returns bool |
st_3dintersects(geom1 &geometry, geom2 &geometry) returns bool | st_3dlength(&geometry) returns float8 | st_3dlineinterpolatepoint(&geometry, float8) returns &geometry |
st_3dlongestline(geom1 &geometry, geom2 &geometry) returns &geometry | st_3dmakebox(geom1 &geometry, geom2 &geometry) returns &box3d |
st_3dmaxdistance(geom1 &geometry, geom2 &geometry) returns float8 | st_3dperimeter(&geometry) returns float8 | st_3dshortestline(geom1 &geometry, geom2 &geometry) returns &geometry |
st_addmeasure(&geometry, float8, float8) returns &geometry | st_addpoint(geom1 &geometry, geom2 &geometry) returns &geometry | st_addpoint(geom1 &geometry, geom2 &geometry, int) returns &geometry |
st_affine(&geometry, float8, float8, float8, float8, float8, float8) returns &geometry |
st_affine(&geometry, float8, float8, float8, float8, float8, float8, float8, float8, float8, float8, float8, float8) returns &geometry | st_angle(line1 &geometry, line2 &geometry) returns float8 |
st_angle(pt1 &geometry, pt2 &geometry, pt3 &geometry, pt4 &geometry DEFAULT '0101000000000000000000F87F000000000000F87F'::&geometry) returns float8 | st_asbinary(&geography, text) returns bytea |
st_asbinary(&geometry, text) returns bytea | st_asencodedpolyline(geom &geometry, nprecision int DEFAULT 5) returns text | st_asewkb(&geometry, text) returns bytea |
st_asgml(geog &geography, maxdecimaldigits int DEFAULT 15, options int DEFAULT 0, nprefix text DEFAULT 'gml', id text DEFAULT '') returns text |
st_asgml(geom &geometry, maxdecimaldigits int DEFAULT 15, options int DEFAULT 0) returns text | st_asgml(text) returns text |
st_asgml(version int, geog &geography, maxdecimaldigits int DEFAULT 15, options int DEFAULT 0, nprefix text DEFAULT 'gml', id text DEFAULT '') returns text |
st_asgml(version int, geom &geometry, maxdecimaldigits int DEFAULT 15, options int DEFAULT 0, nprefix text DEFAULT NULL, id text DEFAULT NULL) returns text |
st_ashexewkb(&geometry, text) returns text | st_askml(geog &geography, maxdecimaldigits int DEFAULT 15, nprefix text DEFAULT '') returns text |
st_askml(geom &geometry, maxdecimaldigits int DEFAULT 15, nprefix text DEFAULT '') returns text | st_askml(text) returns text | st_aslatlontext(geom &geometry, tmpl text DEFAULT '') returns text |
st_asmarc21(geom &geometry, format text DEFAULT 'hdddmmss') returns text |
st_asmvtgeom(geom &geometry, bounds &box2d, extent int DEFAULT 4096, buffer int DEFAULT 256, clip_geom bool DEFAULT true) returns &geometry |
st_assvg(geog &geography, rel int DEFAULT 0, maxdecimaldigits int DEFAULT 15) returns text | st_assvg(geom &geometry, rel int DEFAULT 0, maxdecimaldigits int DEFAULT 15) returns text |
st_assvg(text) returns text |
st_astwkb(geom &geometry, prec int DEFAULT NULL::int, prec_z int DEFAULT NULL::int, prec_m int DEFAULT NULL::int, with_sizes bool DEFAULT NULL::bool, with_boxes bool DEFAULT NULL::bool) returns bytea |
st_astwkb(geom &geometry[], ids bigint[], prec int DEFAULT NULL::int, prec_z int DEFAULT NULL::int, prec_m int DEFAULT NULL::int, with_sizes bool DEFAULT NULL::bool, with_boxes bool DEFAULT NULL::bool) returns bytea |
st_asx3d(geom &geometry, maxdecimaldigits int DEFAULT 15, options int DEFAULT 0) returns text | st_azimuth(geog1 &geography, geog2 &geography) returns float8 |
st_bdmpolyfromtext(text, int) returns &geometry | st_bdpolyfromtext(text, int) returns &geometry | st_boundary(&geometry) returns &geometry |
st_boundingdiagonal(geom &geometry, fits bool DEFAULT false) returns &geometry | st_box2dfromgeohash(text, int DEFAULT NULL::int) returns &box2d | st_buffer(&geography, float8) returns &geography |
st_buffer(&geography, float8, int) returns &geography | st_buffer(&geography, float8, text) returns &geography | st_buffer(geom &geometry, radius float8, options text DEFAULT '') returns &geometry |
st_buffer(geom &geometry, radius float8, quadsegs int) returns &geometry | st_buffer(text, float8) returns &geometry | st_buffer(text, float8, int) returns &geometry |
st_buffer(text, float8, text) returns &geometry | st_buildarea(&geometry) returns &geometry | st_chaikinsmoothing(&geometry, int DEFAULT 1, bool DEFAULT false) returns &geometry |
st_cleangeometry(&geometry) returns &geometry | st_clipbybox2d(geom &geometry, box &box2d) returns &geometry | st_closestpoint(geom1 &geometry, geom2 &geometry) returns &geometry |
st_closestpointofapproach(&geometry, &geometry) returns float8 | st_clusterintersecting(&geometry[]) returns &geometry[] | st_clusterwithin(&geometry[], float8) returns &geometry[] |
st_collectionextract(&geometry) returns &geometry | st_collectionextract(&geometry, int) returns &geometry | st_collectionhomogenize(&geometry) returns &geometry |
st_combinebbox(&box3d, &box3d) returns &box3d | st_combinebbox(&box3d, &geometry) returns &box3d |
st_concavehull(param_geom &geometry, param_pctconvex float8, param_allow_holes bool DEFAULT false) returns &geometry | st_containsproperly(geom1 &geometry, geom2 &geometry) returns bool |
st_convexhull(&geometry) returns &geometry | st_cpawithin(&geometry, &geometry, float8) returns bool | st_crosses(geom1 &geometry, geom2 &geometry) returns bool |
st_curvetoline(geom &geometry, tol float8 DEFAULT 32, toltype int DEFAULT 0, flags int DEFAULT 0) returns &geometry |
st_delaunaytriangles(g1 &geometry, tolerance float8 DEFAULT 0.0, flags int DEFAULT 0) returns &geometry | st_dfullywithin(geom1 &geometry, geom2 &geometry, float8) returns bool$list$, '\s*\|\s*') loop
    execute format('create function @extschema@.%s language plpgsql parallel safe as $b$begin perform pg_catalog.homebase_geo_refused(%L, 0); end$b$', replace(one, '&', '@extschema@.'), split_part(one, '(', 1) || '()');
  end loop;
end
$outer$;
