-- Measures and relations on the earth. Distances on the spheroid by Thomas's formula of the second order, which is right to a
-- metre in 10,000 km; near the other side of the earth by Lambert's of the first. The nearest places of two shapes are
-- found on the sphere. Null where a number is none.
create function pg_catalog.homebase_geo_between(lon1 float8, lat1 float8, lon2 float8, lat2 float8, use_spheroid bool) returns float8
language plpgsql immutable parallel safe cost 20 set search_path = pg_catalog, pg_temp as $$
declare
  flattening constant float8 := 0.0033528106647475126;
  a float8 := case when use_spheroid then atan2((1 - flattening) * sind(lat1), cosd(lat1)) else radians(lat1) end;
  b float8 := case when use_spheroid then atan2((1 - flattening) * sind(lat2), cosd(lat2)) else radians(lat2) end;
  p float8 := sin((b + a) / 2) ^ 2;
  q float8 := sin((b - a) / 2) ^ 2;
  l float8 := least(1, q + (1 - p - q) * sind((lon2 - lon1) / 2) ^ 2);
  d float8 := 2 * asin(sqrt(greatest(l, 0)));
  t float8;
  u float8;
  v float8;
  x float8;
  y float8;
begin
  if l = 'nan' then return null; end if;
  if l <= 0 then return 0; end if;
  if not use_spheroid then return 6371008.771415059 * d; end if;
  if l >= 1 then return 20003931.4586; end if;
  t := d / sin(d);
  u := 2 * p * (1 - q) / (1 - l);
  v := 2 * q * (1 - p) / l;
  x := u + v;
  y := u - v;
  return least(20003931.4586, 6378137 * sin(d) * (t - flattening / 4 * (t * x - y)
    + case when d > 3 then 0 else flattening ^ 2 / 64 * (x * (8 * t * t * cos(d) + (t - 4 * t * t * cos(d) + cos(d)) * x) - y * (8 * t * t + 2 * cos(d) * y) + 4 * t * t * x * y) end));
end $$;
create function pg_catalog.homebase_geo_turn(degrees float8) returns float8 language sql immutable parallel safe cost 1 begin atomic select degrees - 360 * round(degrees / 360); end;
-- Whether a place is inside of the polygons of a shape: its meridian to the north crosses their rings an odd number of
-- times, unless the pole is inside, where a ring of the north goes around it.
create function pg_catalog.homebase_geo_inside(lon float8, lat float8, shape @extschema@.geometry) returns bool language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  with s as materialized (select part, ring, x1, y1, x2, y2, homebase_geo_turn(x1 - lon) as d1, homebase_geo_turn(x2 - lon) as d2 from homebase_geo_segments(shape) where kind = 2)
  select (
    (select count(*) from s where (d1 > 0) <> (d2 > 0) and abs(d1 - d2) < 180
      and degrees(atan((tand(y1) * sind(d2) - tand(y2) * sind(d1)) / sind(d2 - d1))) > lat)
    + (select count(*) from (select from s group by part, ring having abs(sum(homebase_geo_turn(x2 - x1))) > 180 and avg(y1) > 0) poles)
  ) % 2 = 1);
end $$;
-- The nearest places of two shapes: longitude and latitude of both, the same twice where the shapes meet; null where one is empty.
create function pg_catalog.homebase_geo_nearest(one @extschema@.geometry, other @extschema@.geometry) returns float8[] language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  with s as materialized (select * from homebase_geo_arcs($1)), t as materialized (select * from homebase_geo_arcs($2)),
  ends(lon, lat, v, a, b, n, na, bn, c, d, turned) as (
    select s.lon1, s.lat1, s.a, t.a, t.b, t.n, homebase_geo_cross(t.n, t.a), homebase_geo_cross(t.b, t.n), homebase_geo_dot(s.a, t.n), homebase_geo_dot(t.n, t.n), false from s, t
    union all select s.lon2, s.lat2, s.b, t.a, t.b, t.n, homebase_geo_cross(t.n, t.a), homebase_geo_cross(t.b, t.n), homebase_geo_dot(s.b, t.n), homebase_geo_dot(t.n, t.n), false from s, t where s.kind = 1
    union all select t.lon1, t.lat1, t.a, s.a, s.b, s.n, homebase_geo_cross(s.n, s.a), homebase_geo_cross(s.b, s.n), homebase_geo_dot(t.a, s.n), homebase_geo_dot(s.n, s.n), true from s, t
    union all select t.lon2, t.lat2, t.b, s.a, s.b, s.n, homebase_geo_cross(s.n, s.a), homebase_geo_cross(s.b, s.n), homebase_geo_dot(t.b, s.n), homebase_geo_dot(s.n, s.n), true from s, t where t.kind = 1
  ),
  feet as (
    select lon, lat, v, turned, case
      when d > 0 and homebase_geo_dot(na, f) >= 0 and homebase_geo_dot(bn, f) >= 0 and f <> '{0,0,0}' then f
      when homebase_geo_dot(v, a) >= homebase_geo_dot(v, b) then a else b end as foot
    from (select *, case when d > 0 then array[v[1] - c * n[1] / d, v[2] - c * n[2] / d, v[3] - c * n[3] / d] end as f from ends offset 0) p
  ),
  best as (
    select lon, lat, turned, degrees(atan2(foot[2], foot[1])) as foot_lon, degrees(atan2(foot[3], sqrt(foot[1] ^ 2 + foot[2] ^ 2))) as foot_lat
    from feet, lateral (select sqrt(homebase_geo_dot(foot, foot)) offset 0) l(size)
    order by (v[1] - foot[1] / size) ^ 2 + (v[2] - foot[2] / size) ^ 2 + (v[3] - foot[3] / size) ^ 2 limit 1
  )
  select case
    when not exists (select from s) or not exists (select from t) then null
    when exists (select from s, t where s.kind > 0 and t.kind > 0
        and sign(homebase_geo_dot(s.n, t.a)) * sign(homebase_geo_dot(s.n, t.b)) < 0 and sign(homebase_geo_dot(t.n, s.a)) * sign(homebase_geo_dot(t.n, s.b)) < 0
        and homebase_geo_dot(s.n, t.a) * homebase_geo_dot(t.n, s.a) < 0
        and homebase_geo_dot(s.m, t.m) > 0)
      or exists (select from (select distinct on (part) lon1, lat1 from t) v where homebase_geo_inside(v.lon1, v.lat1, $1))
      or exists (select from (select distinct on (part) lon1, lat1 from s) v where homebase_geo_inside(v.lon1, v.lat1, $2)) then '{0,0,0,0}'
    else (select case when turned then array[foot_lon, foot_lat, lon, lat] else array[lon, lat, foot_lon, foot_lat] end from best) end);
end $$;
create function pg_catalog.homebase_geo_distance(one @extschema@.geography, other @extschema@.geography, use_spheroid bool) returns float8
language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  a box := homebase_geo_box(one);
  b box := homebase_geo_box(other);
  places float8[];
begin
  if homebase_geo_is_point(one) and homebase_geo_is_point(other) then
    return homebase_geo_between(homebase_geo_xmin(a), homebase_geo_ymin(a), homebase_geo_xmin(b), homebase_geo_ymin(b), use_spheroid);
  end if;
  places := homebase_geo_nearest(homebase_geo_flat(one), homebase_geo_flat(other));
  return homebase_geo_between(places[1], places[2], places[3], places[4], use_spheroid);
end $$;
create function @extschema@.st_distance(geog1 @extschema@.geography, geog2 @extschema@.geography, use_spheroid boolean default true) returns float8 language sql strict immutable parallel safe begin atomic
  select homebase_geo_distance($1, $2, $3);
end;
create function @extschema@.st_distance(text, text) returns float8 language sql strict immutable parallel safe begin atomic
  select @extschema@.st_distance(homebase_geo_read($1), homebase_geo_read($2));
end;
create function @extschema@.st_distancesphere(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select homebase_geo_distance(homebase_geo_round_earth($1), homebase_geo_round_earth($2), false);
end;
create function @extschema@.st_distancespheroid(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select homebase_geo_distance(homebase_geo_round_earth($1), homebase_geo_round_earth($2), true);
end;
-- By the name of the operator, on the sphere as upstream; no index answers it: the nearest are found by sorting.
create function @extschema@.geography_distance_knn(@extschema@.geography, @extschema@.geography) returns float8 language sql strict immutable parallel safe begin atomic
  select homebase_geo_distance($1, $2, false);
end;
create operator @extschema@.<-> (leftarg = @extschema@.geography, rightarg = @extschema@.geography, procedure = @extschema@.geography_distance_knn, commutator = operator(@extschema@.<->));

-- A box that overlaps each shape within the distance: the shape's own box, wider by the distance as a straight line.
create function @extschema@._st_expand(@extschema@.geography, float8) returns @extschema@.geography language sql strict immutable parallel safe cost 1 begin atomic
  select homebase_geo_join_geography(polygon(homebase_geo_degrees(w.wider)), decode('304326 [] ' || homebase_geo_list(w.wider), 'escape'))
  from (select homebase_geo_sphere($1), $2 / 6335439 * 1.0001 + 1e-9 offset 0) s(box, by), lateral (
    select array[box[1] - by, box[2] - by, box[3] - by, box[4] + by, box[5] + by, box[6] + by] offset 0) w(wider);
end;
create function pg_catalog.homebase_geo_is_near(one @extschema@.geography, other @extschema@.geography, distance float8, use_spheroid bool) returns bool language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return coalesce(homebase_geo_distance($1, $2, $4) <= $3 + 1e-8, false);
end $$;
create function @extschema@.st_dwithin(geog1 @extschema@.geography, geog2 @extschema@.geography, tolerance float8, use_spheroid boolean default true) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) @extschema@._st_expand($2, $3) and homebase_geo_is_near($1, $2, $3, $4);
end;
create function @extschema@.st_dwithin(text, text, float8) returns bool language sql immutable parallel safe begin atomic
  select @extschema@.st_dwithin(homebase_geo_read($1), homebase_geo_read($2), $3);
end;
create function @extschema@.st_intersects(geog1 @extschema@.geography, geog2 @extschema@.geography) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_is_near($1, $2, 0.00001, true);
end;
create function @extschema@.st_intersects(text, text) returns bool language sql immutable parallel safe begin atomic
  select @extschema@.st_intersects(homebase_geo_read($1), homebase_geo_read($2));
end;
-- The vertices of b are of a, and its arcs cross none of a's.
create function pg_catalog.homebase_geo_covers(one @extschema@.geography, other @extschema@.geography) returns bool language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  with a as materialized (select homebase_geo_flat($1) as shape), b as materialized (select homebase_geo_flat($2) as shape),
  s as materialized (select x.* from a, homebase_geo_arcs(a.shape) x), t as materialized (select x.* from b, homebase_geo_arcs(b.shape) x)
  select exists (select from t) and not exists (
      select from (select lon1, lat1 from t union select lon2, lat2 from t) v, a
      where not homebase_geo_inside(v.lon1, v.lat1, a.shape) and not coalesce(homebase_geo_distance(homebase_geo_round_earth(homebase_geo_point(v.lon1, v.lat1, 4326)), $1, false) < 1e-3, false))
    and not exists (select from s, t where s.kind > 0 and t.kind > 0
        and homebase_geo_dot(s.n, t.a) * homebase_geo_dot(s.n, t.b) < -1e-24 and homebase_geo_dot(t.n, s.a) * homebase_geo_dot(t.n, s.b) < -1e-24
        and homebase_geo_dot(s.n, t.a) * homebase_geo_dot(t.n, s.a) < 0
        and homebase_geo_dot(s.m, t.m) > 0)
    and not exists (select from s, b where exists (select from t where t.kind = 2) and homebase_geo_inside(s.lon1, s.lat1, b.shape)
      and not coalesce(homebase_geo_distance(homebase_geo_round_earth(homebase_geo_point(s.lon1, s.lat1, 4326)), $2, false) < 1e-3 and not homebase_geo_inside(s.lon1, s.lat1, b.shape), false))
    and (exists (select from s where kind = 2) or not exists (select from t where kind = 2)));
end $$;
create function @extschema@.st_covers(geog1 @extschema@.geography, geog2 @extschema@.geography) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_covers($1, $2);
end;
create function @extschema@.st_covers(text, text) returns bool language sql immutable parallel safe begin atomic
  select @extschema@.st_covers(homebase_geo_read($1), homebase_geo_read($2));
end;
create function @extschema@.st_coveredby(geog1 @extschema@.geography, geog2 @extschema@.geography) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_covers($2, $1);
end;
create function @extschema@.st_coveredby(text, text) returns bool language sql immutable parallel safe begin atomic
  select @extschema@.st_coveredby(homebase_geo_read($1), homebase_geo_read($2));
end;

create function @extschema@.st_length(geog @extschema@.geography, use_spheroid boolean default true) returns float8 language sql strict immutable parallel safe begin atomic
  select coalesce(sum(homebase_geo_between(x1, y1, x2, y2, $2)), 0) from homebase_geo_segments(homebase_geo_flat($1)) where kind = 1;
end;
create function @extschema@.st_perimeter(geog @extschema@.geography, use_spheroid boolean default true) returns float8 language sql strict immutable parallel safe begin atomic
  select coalesce(sum(homebase_geo_between(x1, y1, x2, y2, $2)), 0) from homebase_geo_segments(homebase_geo_flat($1)) where kind = 2;
end;
-- The latitude on a sphere of the spheroid's area that has the same area to the equator.
create function pg_catalog.homebase_geo_authalic(lat float8) returns float8 language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  select asin(greatest(-1, least(1, 0.9933056200098587 * (s / (1 - 0.0066943799901413 * s * s) - ln((1 - 0.0818191908426215 * s) / (1 + 0.0818191908426215 * s)) / 0.163638381685243) / 1.99553108747593)))
  from (select sind(lat) offset 0) v(s));
end $$;
create function @extschema@.st_area(geog @extschema@.geography, use_spheroid boolean default true) returns float8 language sql strict immutable parallel safe begin atomic
  select coalesce(sum(case when ring = 1 then size else -size end), 0) * case when $2 then 6371007.180918475 else 6371008.771415059 end ^ 2
  from (
    -- Around a pole the sum is of what lies outside.
    select ring, least(turned, 4 * pi() - turned) from (
      select ring, case when abs(sum(d)) > 180 then 2 * pi() - abs(sum(a)) else abs(sum(a)) end as turned
      from (
        select part, ring, homebase_geo_turn(x2 - x1) as d,
          2 * atan2(tand(homebase_geo_turn(x2 - x1) / 2) * (tan(b1 / 2) + tan(b2 / 2)), 1 + tan(b1 / 2) * tan(b2 / 2)) as a
        from (select part, ring, x1, x2, case when $2 then homebase_geo_authalic(y1) else radians(y1) end as b1, case when $2 then homebase_geo_authalic(y2) else radians(y2) end as b2
          from homebase_geo_segments(homebase_geo_flat($1)) where kind = 2 offset 0) s
      ) pieces group by part, ring
    ) rings
  ) sizes(ring, size);
end;
create function @extschema@.st_area(text) returns float8 language sql strict immutable parallel safe begin atomic select @extschema@.st_area(homebase_geo_read($1)); end;
create function @extschema@.st_length(text) returns float8 language sql strict immutable parallel safe begin atomic select @extschema@.st_length(homebase_geo_read($1)); end;
create function @extschema@.st_centroid(text) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic select @extschema@.st_centroid(homebase_geo_read($1)); end;
-- The direction of the sum of all places of the highest dimension; by Stokes, of a polygon half the sum of its arcs' angles
-- along their normals.
create function @extschema@.st_centroid(@extschema@.geography, use_spheroid boolean default true) returns @extschema@.geography language sql strict immutable parallel safe begin atomic
  with arcs as materialized (select kind, a, b, n, sqrt(homebase_geo_dot(n, n)) as sine, homebase_geo_dot(a, b) as cosine from homebase_geo_arcs(homebase_geo_flat($1))),
  sums(kind, x, y, z, ax, ay, az) as (
    select 2, sum(atan2(sine, cosine) * n[1] / sine), sum(atan2(sine, cosine) * n[2] / sine), sum(atan2(sine, cosine) * n[3] / sine), sum(a[1]), sum(a[2]), sum(a[3]) from arcs where kind = 2 and sine > 0
    union all select 1, sum((a[1] + b[1]) * f.w), sum((a[2] + b[2]) * f.w), sum((a[3] + b[3]) * f.w), 0, 0, 0 from arcs, lateral (select tan(atan2(sine, cosine) / 2)) f(w) where kind > 0
    union all select 0, sum(a[1]), sum(a[2]), sum(a[3]), 0, 0, 0 from arcs)
  select coalesce((select homebase_geo_round_earth(homebase_geo_point(degrees(atan2(w.way * y, w.way * x)), degrees(atan2(w.way * z, sqrt(x * x + y * y))), 4326))
    from sums, lateral (select case when x * ax + y * ay + z * az < 0 then -1 else 1 end) w(way) where x * x + y * y + z * z > 1e-30 order by kind desc limit 1),
    homebase_geo_round_earth(homebase_geo_make(1, 0, 4326, '[]')));
end;
