-- The second half of them, aggregates, and functions that only the server could call.
do $outer$
declare
  one text;
begin
  foreach one in array regexp_split_to_array($list$st_difference(geom1 &geometry, geom2 &geometry, gridsize float8 DEFAULT '-1.0'::numeric) returns &geometry | st_distancecpa(&geometry, &geometry) returns float8 |
st_distancesphere(geom1 &geometry, geom2 &geometry, radius float8) returns float8 | st_distancespheroid(&geometry, &geometry, &spheroid) returns float8 |
st_dumprings(&geometry) returns SETOF &geometry_dump | st_dumpsegments(&geometry) returns SETOF &geometry_dump | st_estimatedextent(text, text) returns &box2d |
st_estimatedextent(text, text, text) returns &box2d | st_estimatedextent(text, text, text, bool) returns &box2d | st_expand(box &box2d, dx float8, dy float8) returns &box2d |
st_expand(box &box3d, dx float8, dy float8, dz float8 DEFAULT 0) returns &box3d | st_expand(&box3d, float8) returns &box3d |
st_expand(geom &geometry, dx float8, dy float8, dz float8 DEFAULT 0, dm float8 DEFAULT 0) returns &geometry |
st_filterbym(&geometry, float8, float8 DEFAULT NULL, bool DEFAULT false) returns &geometry | st_findextent(text, text) returns &box2d | st_findextent(text, text, text) returns &box2d |
st_force3d(geom &geometry, zvalue float8 DEFAULT 0.0) returns &geometry | st_force3dm(geom &geometry, mvalue float8 DEFAULT 0.0) returns &geometry |
st_force3dz(geom &geometry, zvalue float8 DEFAULT 0.0) returns &geometry | st_force4d(geom &geometry, zvalue float8 DEFAULT 0.0, mvalue float8 DEFAULT 0.0) returns &geometry |
st_forcecollection(&geometry) returns &geometry | st_forcecurve(&geometry) returns &geometry | st_forcepolygonccw(&geometry) returns &geometry | st_forcepolygoncw(&geometry) returns &geometry |
st_forcerhr(&geometry) returns &geometry | st_forcesfs(&geometry) returns &geometry | st_forcesfs(&geometry, version text) returns &geometry |
st_frechetdistance(geom1 &geometry, geom2 &geometry, float8 DEFAULT '-1'::int) returns float8 | st_fromflatgeobuf(anyelement, bytea) returns SETOF anyelement |
st_fromflatgeobuftotable(text, text, bytea) returns void | st_generatepoints(area &geometry, npoints int) returns &geometry |
st_generatepoints(area &geometry, npoints int, seed int) returns &geometry | st_geohash(geog &geography, maxchars int DEFAULT 0) returns text |
st_geohash(geom &geometry, maxchars int DEFAULT 0) returns text | st_geomcollfromwkb(bytea) returns &geometry | st_geomcollfromwkb(bytea, int) returns &geometry |
st_geometricmedian(g &geometry, tolerance float8 DEFAULT NULL, max_iter int DEFAULT 10000, fail_if_not_converged bool DEFAULT false) returns &geometry |
st_geomfromgeohash(text, int DEFAULT NULL::int) returns &geometry | st_geomfromgml(text) returns &geometry | st_geomfromgml(text, int) returns &geometry | st_geomfromkml(text) returns &geometry |
st_geomfrommarc21(marc21xml text) returns &geometry | st_geomfromtwkb(bytea) returns &geometry | st_gmltosql(text) returns &geometry | st_gmltosql(text, int) returns &geometry |
st_hasarc(geometry &geometry) returns bool | st_hausdorffdistance(geom1 &geometry, geom2 &geometry) returns float8 | st_hausdorffdistance(geom1 &geometry, geom2 &geometry, float8) returns float8 |
st_hexagon(size float8, cell_i int, cell_j int, origin &geometry DEFAULT '010100000000000000000000000000000000000000'::&geometry) returns &geometry |
st_hexagongrid(size float8, bounds &geometry, OUT geom &geometry, OUT i int, OUT j int) returns SETOF record | st_interpolatepoint(line &geometry, point &geometry) returns float8 |
st_intersection(&geography, &geography) returns &geography | st_intersection(geom1 &geometry, geom2 &geometry, gridsize float8 DEFAULT '-1'::int) returns &geometry |
st_intersection(text, text) returns &geometry | st_iscollection(&geometry) returns bool | st_ispolygonccw(&geometry) returns bool | st_ispolygoncw(&geometry) returns bool |
st_isring(&geometry) returns bool | st_issimple(&geometry) returns bool | st_isvalid(&geometry, int) returns bool | st_isvaliddetail(geom &geometry, flags int DEFAULT 0) returns &valid_detail |
st_isvalidreason(&geometry) returns text | st_isvalidreason(&geometry, int) returns text | st_isvalidtrajectory(&geometry) returns bool | st_length2dspheroid(&geometry, &spheroid) returns float8 |
st_lengthspheroid(&geometry, &spheroid) returns float8 | st_letters(letters text, font json DEFAULT NULL::json) returns &geometry |
st_linecrossingdirection(line1 &geometry, line2 &geometry) returns int | st_linefromencodedpolyline(txtin text, nprecision int DEFAULT 5) returns &geometry |
st_linefrommultipoint(&geometry) returns &geometry | st_linefromwkb(bytea) returns &geometry | st_linefromwkb(bytea, int) returns &geometry |
st_lineinterpolatepoint(&geometry, float8) returns &geometry | st_lineinterpolatepoints(&geometry, float8, repeat bool DEFAULT true) returns &geometry |
st_linelocatepoint(geom1 &geometry, geom2 &geometry) returns float8 | st_linemerge(&geometry) returns &geometry | st_linemerge(&geometry, bool) returns &geometry |
st_linestringfromwkb(bytea) returns &geometry | st_linestringfromwkb(bytea, int) returns &geometry | st_linesubstring(&geometry, float8, float8) returns &geometry |
st_linetocurve(geometry &geometry) returns &geometry | st_locatealong(geometry &geometry, measure float8, leftrightoffset float8 DEFAULT 0.0) returns &geometry |
st_locatebetween(geometry &geometry, frommeasure float8, tomeasure float8, leftrightoffset float8 DEFAULT 0.0) returns &geometry |
st_locatebetweenelevations(geometry &geometry, fromelevation float8, toelevation float8) returns &geometry | st_longestline(geom1 &geometry, geom2 &geometry) returns &geometry |
st_makepolygon(&geometry, &geometry[]) returns &geometry | st_makevalid(geom &geometry, params text) returns &geometry | st_makevalid(&geometry) returns &geometry |
st_maxdistance(geom1 &geometry, geom2 &geometry) returns float8 | st_maximuminscribedcircle(&geometry, OUT center &geometry, OUT nearest &geometry, OUT radius float8) returns record |
st_memsize(&geometry) returns int | st_minimumboundingcircle(inputgeom &geometry, segs_per_quarter int DEFAULT 48) returns &geometry |
st_minimumboundingradius(&geometry, OUT center &geometry, OUT radius float8) returns record | st_minimumclearance(&geometry) returns float8 | st_minimumclearanceline(&geometry) returns &geometry |
st_mlinefromwkb(bytea) returns &geometry | st_mlinefromwkb(bytea, int) returns &geometry | st_mpointfromwkb(bytea) returns &geometry | st_mpointfromwkb(bytea, int) returns &geometry |
st_mpolyfromwkb(bytea) returns &geometry | st_mpolyfromwkb(bytea, int) returns &geometry | st_multilinefromwkb(bytea) returns &geometry | st_multilinestringfromtext(text) returns &geometry |
st_multilinestringfromtext(text, int) returns &geometry | st_multipointfromtext(text) returns &geometry | st_multipointfromwkb(bytea) returns &geometry |
st_multipointfromwkb(bytea, int) returns &geometry | st_multipolyfromwkb(bytea) returns &geometry | st_multipolyfromwkb(bytea, int) returns &geometry |
st_multipolygonfromtext(text) returns &geometry | st_multipolygonfromtext(text, int) returns &geometry | st_node(g &geometry) returns &geometry | st_normalize(geom &geometry) returns &geometry |
st_nrings(&geometry) returns int | st_numinteriorring(&geometry) returns int | st_numpatches(&geometry) returns int |
st_offsetcurve(line &geometry, distance float8, params text DEFAULT '') returns &geometry | st_orderingequals(geom1 &geometry, geom2 &geometry) returns bool |
st_orientedenvelope(&geometry) returns &geometry | st_overlaps(geom1 &geometry, geom2 &geometry) returns bool | st_patchn(&geometry, int) returns &geometry |
st_perimeter2d(&geometry) returns float8 | st_pointfromgeohash(text, int DEFAULT NULL::int) returns &geometry | st_pointfromwkb(bytea) returns &geometry |
st_pointfromwkb(bytea, int) returns &geometry | st_pointinsidecircle(&geometry, float8, float8, float8) returns bool |
st_pointm(xcoordinate float8, ycoordinate float8, mcoordinate float8, srid int DEFAULT 0) returns &geometry | st_pointonsurface(&geometry) returns &geometry |
st_points(&geometry) returns &geometry | st_pointzm(xcoordinate float8, ycoordinate float8, zcoordinate float8, mcoordinate float8, srid int DEFAULT 0) returns &geometry |
st_polyfromwkb(bytea) returns &geometry | st_polyfromwkb(bytea, int) returns &geometry | st_polygonfromwkb(bytea) returns &geometry | st_polygonfromwkb(bytea, int) returns &geometry |
st_polygonize(&geometry[]) returns &geometry | st_project(geog &geography, distance float8, azimuth float8) returns &geography |
st_quantizecoordinates(g &geometry, prec_x int, prec_y int DEFAULT NULL::int, prec_z int DEFAULT NULL::int, prec_m int DEFAULT NULL::int) returns &geometry |
st_reduceprecision(geom &geometry, gridsize float8) returns &geometry | st_relate(geom1 &geometry, geom2 &geometry) returns text | st_relate(geom1 &geometry, geom2 &geometry, int) returns text |
st_relate(geom1 &geometry, geom2 &geometry, text) returns bool | st_relatematch(text, text) returns bool | st_removepoint(&geometry, int) returns &geometry |
st_removerepeatedpoints(geom &geometry, tolerance float8 DEFAULT 0.0) returns &geometry | st_reverse(&geometry) returns &geometry | st_rotate(&geometry, float8) returns &geometry |
st_rotate(&geometry, float8, float8, float8) returns &geometry | st_rotate(&geometry, float8, &geometry) returns &geometry | st_rotatex(&geometry, float8) returns &geometry |
st_rotatey(&geometry, float8) returns &geometry | st_rotatez(&geometry, float8) returns &geometry | st_scale(&geometry, float8, float8, float8) returns &geometry |
st_scale(&geometry, &geometry) returns &geometry | st_scale(&geometry, &geometry, origin &geometry) returns &geometry | st_scroll(&geometry, &geometry) returns &geometry |
st_segmentize(geog &geography, max_segment_length float8) returns &geography | st_segmentize(&geometry, float8) returns &geometry |
st_seteffectivearea(&geometry, float8 DEFAULT '-1'::int, int DEFAULT 1) returns &geometry | st_setpoint(&geometry, int, &geometry) returns &geometry |
st_sharedpaths(geom1 &geometry, geom2 &geometry) returns &geometry | st_shiftlongitude(&geometry) returns &geometry | st_shortestline(geom1 &geometry, geom2 &geometry) returns &geometry |
st_simplify(&geometry, float8) returns &geometry | st_simplify(&geometry, float8, bool) returns &geometry |
st_simplifypolygonhull(geom &geometry, vertex_fraction float8, is_outer bool DEFAULT true) returns &geometry | st_simplifypreservetopology(&geometry, float8) returns &geometry |
st_simplifyvw(&geometry, float8) returns &geometry | st_snap(geom1 &geometry, geom2 &geometry, float8) returns &geometry |
st_snaptogrid(geom1 &geometry, geom2 &geometry, float8, float8, float8, float8) returns &geometry | st_snaptogrid(&geometry, float8, float8) returns &geometry |
st_snaptogrid(&geometry, float8, float8, float8, float8) returns &geometry | st_split(geom1 &geometry, geom2 &geometry) returns &geometry |
st_square(size float8, cell_i int, cell_j int, origin &geometry DEFAULT '010100000000000000000000000000000000000000'::&geometry) returns &geometry |
st_squaregrid(size float8, bounds &geometry, OUT geom &geometry, OUT i int, OUT j int) returns SETOF record |
st_subdivide(geom &geometry, maxvertices int DEFAULT 256, gridsize float8 DEFAULT '-1.0'::numeric) returns SETOF &geometry | st_summary(&geography) returns text |
st_summary(&geometry) returns text | st_symdifference(geom1 &geometry, geom2 &geometry, gridsize float8 DEFAULT '-1.0'::numeric) returns &geometry |
st_symmetricdifference(geom1 &geometry, geom2 &geometry) returns &geometry |
st_tileenvelope(zoom int, x int, y int, bounds &geometry DEFAULT '0102000020110F00000200000093107C45F81B73C193107C45F81B73C193107C45F81B734193107C45F81B7341'::&geometry, margin float8 DEFAULT 0.0) returns &geometry |
st_touches(geom1 &geometry, geom2 &geometry) returns bool | st_transform(geom &geometry, from_proj text, to_proj text) returns &geometry |
st_transform(geom &geometry, from_proj text, to_srid int) returns &geometry | st_transform(geom &geometry, to_proj text) returns &geometry |
st_translate(&geometry, float8, float8, float8) returns &geometry | st_transscale(&geometry, float8, float8, float8, float8) returns &geometry |
st_triangulatepolygon(g1 &geometry) returns &geometry | st_unaryunion(&geometry, gridsize float8 DEFAULT '-1.0'::numeric) returns &geometry |
st_union(geom1 &geometry, geom2 &geometry) returns &geometry | st_union(geom1 &geometry, geom2 &geometry, gridsize float8) returns &geometry | st_union(&geometry[]) returns &geometry |
st_voronoilines(g1 &geometry, tolerance float8 DEFAULT 0.0, extend_to &geometry DEFAULT NULL::&geometry) returns &geometry |
st_voronoipolygons(g1 &geometry, tolerance float8 DEFAULT 0.0, extend_to &geometry DEFAULT NULL::&geometry) returns &geometry | st_wkbtosql(wkb bytea) returns &geometry |
st_wrapx(geom &geometry, wrap float8, move float8) returns &geometry | st_zmflag(&geometry) returns smallint | unlockrows(text) returns int |
updategeometrysrid(catalogn_name varchar, schema_name varchar, table_name varchar, column_name varchar, new_srid_in int) returns text | updategeometrysrid(varchar, varchar, int) returns text |
updategeometrysrid(varchar, varchar, varchar, int) returns text$list$, '\s*\|\s*') loop
    execute format('create function @extschema@.%s language plpgsql parallel safe as $b$begin perform pg_catalog.homebase_geo_refused(%L, 0); end$b$', replace(one, '&', '@extschema@.'), split_part(one, '(', 1) || '()');
  end loop;

  -- Aggregates and window functions: a plain call and one with OVER both refuse.
  foreach one in array regexp_split_to_array($list$st_3dextent(&geometry) returns &box3d | st_asflatgeobuf(anyelement) returns bytea | st_asflatgeobuf(anyelement, bool) returns bytea | st_asflatgeobuf(anyelement, bool, text) returns bytea |
st_asgeobuf(anyelement) returns bytea | st_asgeobuf(anyelement, text) returns bytea | st_asmvt(anyelement) returns bytea | st_asmvt(anyelement, text) returns bytea |
st_asmvt(anyelement, text, int) returns bytea | st_asmvt(anyelement, text, int, text) returns bytea | st_asmvt(anyelement, text, int, text, text) returns bytea |
st_clusterdbscan(&geometry, float8, int) returns int | st_clusterintersecting(&geometry) returns &geometry[] | st_clusterkmeans(&geometry, int, float8) returns int |
st_clusterwithin(&geometry, float8) returns &geometry[] | st_memcollect(&geometry) returns &geometry | st_memunion(&geometry) returns &geometry | st_polygonize(&geometry) returns &geometry |
st_union(&geometry) returns &geometry | st_union(&geometry, float8) returns &geometry$list$, '\s*\|\s*') loop
    one := replace(one, '&', '@extschema@.');
    execute format('create function pg_catalog.homebase_geo_%s(%s, %s) returns %2$s language plpgsql parallel safe set search_path = pg_catalog, pg_temp as $b$begin perform homebase_geo_refused(%4$L, 0); end$b$',
      split_part(one, '(', 1), split_part(one, ' returns ', 2), substring(one from '\((.*)\)'), split_part(one, '(', 1) || '()');
    execute format('create aggregate @extschema@.%s (sfunc = pg_catalog.homebase_geo_%s, stype = %s)', split_part(one, ' returns ', 1), split_part(one, '(', 1), split_part(one, ' returns ', 2));
  end loop;

  foreach one in array regexp_split_to_array($list$geog_brin_inclusion_add_value(internal, internal, internal, internal) returns boolean | geography_analyze(internal) returns boolean | geography_gist_compress(internal) returns internal |
geography_gist_consistent(internal, &geography, integer) returns boolean | geography_gist_decompress(internal) returns internal |
geography_gist_distance(internal, &geography, integer) returns double precision | geography_gist_penalty(internal, internal, internal) returns internal |
geography_gist_picksplit(internal, internal) returns internal | geography_gist_same(&box2d, &box2d, internal) returns internal | geography_gist_union(bytea, internal) returns internal |
geography_spgist_choose_nd(internal, internal) returns void | geography_spgist_compress_nd(internal) returns internal | geography_spgist_config_nd(internal, internal) returns void |
geography_spgist_inner_consistent_nd(internal, internal) returns void | geography_spgist_leaf_consistent_nd(internal, internal) returns boolean |
geography_spgist_picksplit_nd(internal, internal) returns void | geom2d_brin_inclusion_add_value(internal, internal, internal, internal) returns boolean |
geom3d_brin_inclusion_add_value(internal, internal, internal, internal) returns boolean | geom4d_brin_inclusion_add_value(internal, internal, internal, internal) returns boolean |
geometry_analyze(internal) returns boolean | geometry_gist_compress_2d(internal) returns internal | geometry_gist_compress_nd(internal) returns internal |
geometry_gist_consistent_2d(internal, &geometry, integer) returns boolean | geometry_gist_consistent_nd(internal, &geometry, integer) returns boolean |
geometry_gist_decompress_2d(internal) returns internal | geometry_gist_decompress_nd(internal) returns internal | geometry_gist_distance_2d(internal, &geometry, integer) returns double precision |
geometry_gist_distance_nd(internal, &geometry, integer) returns double precision | geometry_gist_penalty_2d(internal, internal, internal) returns internal |
geometry_gist_penalty_nd(internal, internal, internal) returns internal | geometry_gist_picksplit_2d(internal, internal) returns internal |
geometry_gist_picksplit_nd(internal, internal) returns internal | geometry_gist_same_2d(&geometry, &geometry, internal) returns internal |
geometry_gist_same_nd(&geometry, &geometry, internal) returns internal | geometry_gist_sortsupport_2d(internal) returns void | geometry_gist_union_2d(bytea, internal) returns internal |
geometry_gist_union_nd(bytea, internal) returns internal | geometry_sortsupport(internal) returns void | geometry_spgist_choose_2d(internal, internal) returns void |
geometry_spgist_choose_3d(internal, internal) returns void | geometry_spgist_choose_nd(internal, internal) returns void | geometry_spgist_compress_2d(internal) returns internal |
geometry_spgist_compress_3d(internal) returns internal | geometry_spgist_compress_nd(internal) returns internal | geometry_spgist_config_2d(internal, internal) returns void |
geometry_spgist_config_3d(internal, internal) returns void | geometry_spgist_config_nd(internal, internal) returns void | geometry_spgist_inner_consistent_2d(internal, internal) returns void |
geometry_spgist_inner_consistent_3d(internal, internal) returns void | geometry_spgist_inner_consistent_nd(internal, internal) returns void |
geometry_spgist_leaf_consistent_2d(internal, internal) returns boolean | geometry_spgist_leaf_consistent_3d(internal, internal) returns boolean |
geometry_spgist_leaf_consistent_nd(internal, internal) returns boolean | geometry_spgist_picksplit_2d(internal, internal) returns void |
geometry_spgist_picksplit_3d(internal, internal) returns void | geometry_spgist_picksplit_nd(internal, internal) returns void |
gserialized_gist_joinsel_2d(internal, oid, internal, smallint) returns double precision | gserialized_gist_joinsel_nd(internal, oid, internal, smallint) returns double precision |
gserialized_gist_sel_2d(internal, oid, internal, integer) returns double precision | gserialized_gist_sel_nd(internal, oid, internal, integer) returns double precision |
pgis_asflatgeobuf_finalfn(internal) returns bytea | pgis_asflatgeobuf_transfn(internal, anyelement) returns internal | pgis_asflatgeobuf_transfn(internal, anyelement, boolean) returns internal |
pgis_asflatgeobuf_transfn(internal, anyelement, boolean, text) returns internal | pgis_asgeobuf_finalfn(internal) returns bytea | pgis_asgeobuf_transfn(internal, anyelement) returns internal |
pgis_asgeobuf_transfn(internal, anyelement, text) returns internal | pgis_asmvt_combinefn(internal, internal) returns internal | pgis_asmvt_deserialfn(bytea, internal) returns internal |
pgis_asmvt_finalfn(internal) returns bytea | pgis_asmvt_serialfn(internal) returns bytea | pgis_asmvt_transfn(internal, anyelement) returns internal |
pgis_asmvt_transfn(internal, anyelement, text) returns internal | pgis_asmvt_transfn(internal, anyelement, text, integer) returns internal |
pgis_asmvt_transfn(internal, anyelement, text, integer, text) returns internal | pgis_asmvt_transfn(internal, anyelement, text, integer, text, text) returns internal |
pgis_geometry_accum_transfn(internal, &geometry) returns internal | pgis_geometry_accum_transfn(internal, &geometry, double precision) returns internal |
pgis_geometry_accum_transfn(internal, &geometry, double precision, integer) returns internal | pgis_geometry_clusterintersecting_finalfn(internal) returns &geometry[] |
pgis_geometry_clusterwithin_finalfn(internal) returns &geometry[] | pgis_geometry_collect_finalfn(internal) returns &geometry | pgis_geometry_makeline_finalfn(internal) returns &geometry |
pgis_geometry_polygonize_finalfn(internal) returns &geometry | pgis_geometry_union_parallel_combinefn(internal, internal) returns internal |
pgis_geometry_union_parallel_deserialfn(bytea, internal) returns internal | pgis_geometry_union_parallel_finalfn(internal) returns &geometry |
pgis_geometry_union_parallel_serialfn(internal) returns bytea | pgis_geometry_union_parallel_transfn(internal, &geometry) returns internal |
pgis_geometry_union_parallel_transfn(internal, &geometry, double precision) returns internal | postgis_index_supportfn(internal) returns internal$list$, '\s*\|\s*') loop
    execute format('create function @extschema@.%s language internal as %L', replace(one, '&', '@extschema@.'), 'hashhandler');
    execute format('revoke execute on function @extschema@.%s from public', split_part(replace(one, '&', '@extschema@.'), ' returns ', 1));
  end loop;
end
$outer$;
update pg_language set lanvalidator = 0 where lanname = 'sql';
create function @extschema@.st_swapordinates(@extschema@.geometry, cstring) returns @extschema@.geometry language sql stable begin atomic
  select pg_catalog.homebase_geo_refused('st_swapordinates()', $1);
end;
update pg_language set lanvalidator = 'pg_catalog.fmgr_sql_validator'::regproc where lanname = 'sql';
do $outer$
declare
  one record;
begin
  for one in values ('~~', 'contains_nd'), ('@@', 'within_nd'), ('~~=', 'same_nd'), ('<<->>', 'distance_centroid_nd'), ('|=|', 'distance_cpa') loop
    execute format('create operator @extschema@.%s (leftarg = @extschema@.geometry, rightarg = @extschema@.geometry, procedure = @extschema@.geometry_%s)', one.column1, one.column2);
  end loop;
end
$outer$;
