-- Comparison of values by their bytes, of boxes by core's functions for polygons, and the index classes.
do $outer$
declare
  kind text;
  one record;
begin
  foreach kind in array array['geometry', 'geography'] loop
    for one in values
      ('lt', 'bytealt', '<', '>', '>=', 'scalarltsel', 'scalarltjoinsel'), ('le', 'byteale', '<=', '>=', '>', 'scalarlesel', 'scalarlejoinsel'),
      ('eq', 'byteaeq', '=', '=', null, 'eqsel', 'eqjoinsel'),
      ('ge', 'byteage', '>=', '<=', '<', 'scalargesel', 'scalargejoinsel'), ('gt', 'byteagt', '>', '<', '<=', 'scalargtsel', 'scalargtjoinsel')
    loop
      execute format('create function @extschema@.%1$s_%2$s(@extschema@.%1$s, @extschema@.%1$s) returns bool language internal strict immutable parallel safe as %3$L', kind, one.column1, one.column2);
      execute format('create operator @extschema@.%2$s (leftarg = @extschema@.%1$s, rightarg = @extschema@.%1$s, procedure = @extschema@.%1$s_%3$s, commutator = operator(@extschema@.%4$s)%5$s, restrict = %6$s, join = %7$s%8$s)',
        kind, one.column3, one.column1, one.column4, case when one.column5 is null then '' else format(', negator = operator(@extschema@.%s)', one.column5) end, one.column6, one.column7,
        case when one.column1 = 'eq' then ', hashes, merges' else '' end);
    end loop;
    execute replace($$
      create function @extschema@.KIND_cmp(@extschema@.KIND, @extschema@.KIND) returns integer language internal strict immutable parallel safe as 'byteacmp';
      create operator class @extschema@.btree_KIND_ops default for type @extschema@.KIND using btree as operator 1 @extschema@.<, operator 2 @extschema@.<=, operator 3 @extschema@.=,
        operator 4 @extschema@.>=, operator 5 @extschema@.>, function 1 @extschema@.KIND_cmp(@extschema@.KIND, @extschema@.KIND);
    $$, 'KIND', kind);
  end loop;
end
$outer$;
create function @extschema@.geometry_hash(@extschema@.geometry) returns integer language internal strict immutable parallel safe as 'hashvarlena';
create operator class @extschema@.hash_geometry_ops default for type @extschema@.geometry using hash as operator 1 @extschema@.=, function 1 @extschema@.geometry_hash(@extschema@.geometry);
-- Upstream has none; without it a hash join on geography could not be made.
create function pg_catalog.homebase_geography_hash(@extschema@.geography) returns integer language internal strict immutable parallel safe as 'hashvarlena';
create operator class @extschema@.hash_geography_ops default for type @extschema@.geography using hash as operator 1 @extschema@.=, function 1 pg_catalog.homebase_geography_hash(@extschema@.geography);

-- Boxes. A value is a rectangle to these functions; they differ from exact comparison by 1e-6 at most.
do $outer$
declare
  one record;
begin
  for one in values
    ('overlaps', 'poly_overlap', '&&', '&&', 'areasel', 'areajoinsel'), ('same', 'poly_same', '~=', '~=', 'contsel', 'contjoinsel'),
    ('left', 'poly_left', '<<', '>>', 'positionsel', 'positionjoinsel'), ('right', 'poly_right', '>>', '<<', 'positionsel', 'positionjoinsel'),
    ('overleft', 'poly_overleft', '&<', null, 'positionsel', 'positionjoinsel'), ('overright', 'poly_overright', '&>', null, 'positionsel', 'positionjoinsel'),
    ('below', 'poly_below', '<<|', '|>>', 'positionsel', 'positionjoinsel'), ('above', 'poly_above', '|>>', '<<|', 'positionsel', 'positionjoinsel'),
    ('overbelow', 'poly_overbelow', '&<|', null, 'positionsel', 'positionjoinsel'), ('overabove', 'poly_overabove', '|&>', null, 'positionsel', 'positionjoinsel'),
    ('contains', 'homebase_geo_box_contains', '~', '@', 'contsel', 'contjoinsel'), ('within', 'homebase_geo_box_within', '@', '~', 'contsel', 'contjoinsel')
  loop
    if one.column2 like 'poly%' then
      execute format('create function @extschema@.geometry_%s(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language internal strict immutable parallel safe as %L', one.column1, one.column2);
    else
      -- Not put in the place of its call, where the index would not be found: it has a FROM.
      execute format('create function @extschema@.geometry_%s(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql strict immutable parallel safe begin atomic
        select b.answer from (select homebase_geo_box($1) %s homebase_geo_box($2)) b(answer); end', one.column1, case one.column1 when 'contains' then '@>' else '<@' end);
    end if;
    execute format('create operator @extschema@.%s (leftarg = @extschema@.geometry, rightarg = @extschema@.geometry, procedure = @extschema@.geometry_%s%s, restrict = %s, join = %s)',
      one.column3, one.column1, case when one.column4 is null then '' else format(', commutator = operator(@extschema@.%s)', one.column4) end, one.column5, one.column6);
  end loop;
end
$outer$;
create function @extschema@.geometry_distance_box(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns float8 language internal strict immutable parallel safe as 'poly_distance';
create operator @extschema@.<#> (leftarg = @extschema@.geometry, rightarg = @extschema@.geometry, procedure = @extschema@.geometry_distance_box, commutator = operator(@extschema@.<#>));
-- Compares two dimensions only.
create function @extschema@.geometry_overlaps_nd(@extschema@.geometry, @extschema@.geometry) returns bool language internal strict immutable parallel safe as 'poly_overlap';
create operator @extschema@.&&& (leftarg = @extschema@.geometry, rightarg = @extschema@.geometry, procedure = @extschema@.geometry_overlaps_nd, commutator = operator(@extschema@.&&&), restrict = areasel, join = areajoinsel);

-- On the sphere: the degrees first, then the boxes around the vectors.
create function @extschema@.geography_overlaps(@extschema@.geography, @extschema@.geography) returns bool language sql strict immutable parallel safe begin atomic
  select coalesce(a[1] <= b[4] and b[1] <= a[4] and a[2] <= b[5] and b[2] <= a[5] and a[3] <= b[6] and b[3] <= a[6], false)
  from (select homebase_geo_sphere($1), homebase_geo_sphere($2) where homebase_geo_box($1) && homebase_geo_box($2) union all select null, null limit 1) s(a, b);
end;
create operator @extschema@.&& (leftarg = @extschema@.geography, rightarg = @extschema@.geography, procedure = @extschema@.geography_overlaps, commutator = operator(@extschema@.&&), restrict = areasel, join = areajoinsel);

-- The classes: the keys are boxes, which core's functions for polygons take from the values.
create function pg_catalog.homebase_geo_consistent(internal, @extschema@.geometry, int2, oid, internal) returns bool language internal strict immutable parallel safe as 'gist_poly_consistent';
create function pg_catalog.homebase_geo_consistent(internal, @extschema@.geography, int2, oid, internal) returns bool language internal strict immutable parallel safe as 'gist_poly_consistent';
create operator class @extschema@.gist_geometry_ops_2d default for type @extschema@.geometry using gist as
  operator 1 @extschema@.<<, operator 2 @extschema@.&<, operator 3 @extschema@.&&, operator 4 @extschema@.&>, operator 5 @extschema@.>>, operator 6 @extschema@.~=, operator 7 @extschema@.~, operator 8 @extschema@.@,
  operator 9 @extschema@.&<|, operator 10 @extschema@.<<|, operator 11 @extschema@.|>>, operator 12 @extschema@.|&>,
  function 1 pg_catalog.homebase_geo_consistent(internal, @extschema@.geometry, int2, oid, internal), function 2 gist_box_union(internal, internal), function 3 gist_poly_compress(internal),
  function 5 gist_box_penalty(internal, internal, internal), function 6 gist_box_picksplit(internal, internal), function 7 gist_box_same(box, box, internal), storage box;
create operator class @extschema@.gist_geometry_ops_nd for type @extschema@.geometry using gist as operator 3 @extschema@.&&&,
  function 1 pg_catalog.homebase_geo_consistent(internal, @extschema@.geometry, int2, oid, internal), function 2 gist_box_union(internal, internal), function 3 gist_poly_compress(internal),
  function 5 gist_box_penalty(internal, internal, internal), function 6 gist_box_picksplit(internal, internal), function 7 gist_box_same(box, box, internal), storage box;
create operator class @extschema@.gist_geography_ops default for type @extschema@.geography using gist as operator 3 @extschema@.&&,
  function 1 pg_catalog.homebase_geo_consistent(internal, @extschema@.geography, int2, oid, internal), function 2 gist_box_union(internal, internal), function 3 gist_poly_compress(internal),
  function 5 gist_box_penalty(internal, internal, internal), function 6 gist_box_picksplit(internal, internal), function 7 gist_box_same(box, box, internal), storage box;
