-- Measures and relations in the plane.
create function pg_catalog.homebase_geo_same_srid(a @extschema@.geometry, b @extschema@.geometry) returns bool language sql immutable parallel safe cost 1 begin atomic
  select case when homebase_geo_srid($1) = homebase_geo_srid($2) then true
    else homebase_geo_fail(format('Operation on mixed SRID geometries (%s, %s) != (%s, %s)', homebase_geo_name(homebase_geo_type($1)), homebase_geo_srid($1),
      homebase_geo_name(homebase_geo_type($2)), homebase_geo_srid($2)), null, true) end;
end;
-- Which side of the line from a to b the place c is on: its sign.
create function pg_catalog.homebase_geo_side(ax float8, ay float8, bx float8, by float8, cx float8, cy float8) returns float8 language sql immutable parallel safe cost 1 begin atomic
  select (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
end;
create function pg_catalog.homebase_geo_meet(ax float8, ay float8, bx float8, by float8, cx float8, cy float8, dx float8, dy float8) returns bool language sql immutable parallel safe cost 1 begin atomic
  select greatest(ax, bx) >= least(cx, dx) and greatest(cx, dx) >= least(ax, bx) and greatest(ay, by) >= least(cy, dy) and greatest(cy, dy) >= least(ay, by)
    and sign(homebase_geo_side(ax, ay, bx, by, cx, cy)) * sign(homebase_geo_side(ax, ay, bx, by, dx, dy)) <= 0
    and sign(homebase_geo_side(cx, cy, dx, dy, ax, ay)) * sign(homebase_geo_side(cx, cy, dx, dy, bx, by)) <= 0;
end;
-- How far along the piece from a to b, from 0 to 1, the place nearest to p is; and its distance from p.
create function pg_catalog.homebase_geo_along(px float8, py float8, ax float8, ay float8, bx float8, by float8) returns float8 language sql immutable parallel safe cost 1 begin atomic
  select case when ax = bx and ay = by then 0 else greatest(0, least(1, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)))) end;
end;
create function pg_catalog.homebase_geo_gap(px float8, py float8, ax float8, ay float8, bx float8, by float8) returns float8 language sql immutable parallel safe cost 1 begin atomic
  select point(px, py) <-> point(ax + (bx - ax) * homebase_geo_along(px, py, ax, ay, bx, by), ay + (by - ay) * homebase_geo_along(px, py, ax, ay, bx, by));
end;
-- Null where one is empty; of those that do not meet, 1 if only that is asked.
create function pg_catalog.homebase_geo_shape_distance(a @extschema@.geometry, b @extschema@.geometry, only_meeting bool) returns float8 language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  with s as materialized (select * from homebase_geo_segments($1)), t as materialized (select * from homebase_geo_segments($2))
  select case
    when not exists (select from s) or not exists (select from t) then null
    when exists (select from s, t where homebase_geo_meet(s.x1, s.y1, s.x2, s.y2, t.x1, t.y1, t.x2, t.y2)) then 0
    when exists (select from (select distinct on (part) x1, y1 from t) v
      where (select count(*) % 2 from s where s.kind = 2 and (s.y1 > v.y1) <> (s.y2 > v.y1) and v.x1 < s.x1 + (v.y1 - s.y1) * (s.x2 - s.x1) / (s.y2 - s.y1)) = 1) then 0
    when exists (select from (select distinct on (part) x1, y1 from s) v
      where (select count(*) % 2 from t where t.kind = 2 and (t.y1 > v.y1) <> (t.y2 > v.y1) and v.x1 < t.x1 + (v.y1 - t.y1) * (t.x2 - t.x1) / (t.y2 - t.y1)) = 1) then 0
    when only_meeting then 1
    else (select min(least(homebase_geo_gap(s.x1, s.y1, t.x1, t.y1, t.x2, t.y2), homebase_geo_gap(s.x2, s.y2, t.x1, t.y1, t.x2, t.y2),
      homebase_geo_gap(t.x1, t.y1, s.x1, s.y1, s.x2, s.y2), homebase_geo_gap(t.x2, t.y2, s.x1, s.y1, s.x2, s.y2))) from s, t)
  end);
end $$;
create function pg_catalog.homebase_geo_plane_distance(a @extschema@.geometry, b @extschema@.geometry) returns float8 language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return case when homebase_geo_same_srid($1, $2) then case
    when homebase_geo_is_point($1) and homebase_geo_is_point($2) then nullif((homebase_geo_box($1))[1] <-> (homebase_geo_box($2))[1], 'nan'::float8)
    else homebase_geo_shape_distance($1, $2, false) end end;
end $$;
create function @extschema@.st_distance(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select homebase_geo_plane_distance($1, $2);
end;
-- By the name of the operator, which no index answers: the nearest are found by sorting.
create function @extschema@.geometry_distance_centroid(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select homebase_geo_plane_distance($1, $2);
end;
create operator @extschema@.<-> (leftarg = @extschema@.geometry, rightarg = @extschema@.geometry, procedure = @extschema@.geometry_distance_centroid, commutator = operator(@extschema@.<->));

create function pg_catalog.homebase_geo_intersects(a @extschema@.geometry, b @extschema@.geometry) returns bool language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return case when homebase_geo_same_srid($1, $2) then coalesce(homebase_geo_shape_distance($1, $2, true) = 0, false) end;
end $$;
create function pg_catalog.homebase_geo_is_near(a @extschema@.geometry, b @extschema@.geometry, distance float8) returns bool language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return coalesce(homebase_geo_plane_distance($1, $2) <= $3, false);
end $$;
-- Whether every place of b is one of a: -1 no, 0 yes and all on its boundary, 1 yes. The pieces of b are cut where they meet
-- those of a; then each is in a as its middle is.
create function pg_catalog.homebase_geo_cover(a @extschema@.geometry, b @extschema@.geometry) returns int4 language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return (
  with s as materialized (select * from homebase_geo_segments($1)), t as materialized (select *, row_number() over () as id from homebase_geo_segments($2)),
  tolerance(e) as materialized (select 1e-12 * (1 + max(greatest(abs(x1), abs(y1), abs(x2), abs(y2)))) from (select x1, y1, x2, y2 from s union all select x1, y1, x2, y2 from t) all_of),
  cuts as (
    select t.id, 0::float8 as at from t union select t.id, 1 from t where t.kind > 0
    union select t.id, homebase_geo_side(s.x1, s.y1, s.x2, s.y2, t.x1, t.y1) / nullif(homebase_geo_side(s.x1, s.y1, s.x2, s.y2, t.x1, t.y1) - homebase_geo_side(s.x1, s.y1, s.x2, s.y2, t.x2, t.y2), 0)
      from s, t where t.kind > 0 and s.kind > 0 and homebase_geo_meet(s.x1, s.y1, s.x2, s.y2, t.x1, t.y1, t.x2, t.y2)
    union select t.id, homebase_geo_along(s.x1, s.y1, t.x1, t.y1, t.x2, t.y2) from s, t, tolerance where t.kind > 0 and homebase_geo_gap(s.x1, s.y1, t.x1, t.y1, t.x2, t.y2) <= e
    union select t.id, homebase_geo_along(s.x2, s.y2, t.x1, t.y1, t.x2, t.y2) from s, t, tolerance where t.kind > 0 and homebase_geo_gap(s.x2, s.y2, t.x1, t.y1, t.x2, t.y2) <= e
  ),
  places as (
    select distinct t.kind, t.x1 + (t.x2 - t.x1) * p.at as x, t.y1 + (t.y2 - t.y1) * p.at as y, p.at = p.ends as vertex
    from (select id, at, at as ends from cuts where at is not null union all select id, (at + lead(at) over (partition by id order by at)) / 2, null from cuts where at is not null) p join t using (id)
    where p.at is not null
  ),
  located as (
    select v.kind, v.vertex is not null as vertex, f.kind as on_kind, case
      when f.on_line and f.kind = 2 then 0
      when f.on_line then case when f.kind = 1 and v.vertex is not null and f.is_end then 0 else 1 end
      when f.crossings % 2 = 1 then 1 else -1 end as place
    from places v, tolerance, lateral (
      select max(s.kind) as kind, bool_or(homebase_geo_gap(v.x, v.y, s.x1, s.y1, s.x2, s.y2) <= e) as on_line,
        count(*) filter (where s.kind = 2 and (s.y1 > v.y) <> (s.y2 > v.y) and v.x < s.x1 + (v.y - s.y1) * (s.x2 - s.x1) / (s.y2 - s.y1)) as crossings,
        count(*) filter (where s.kind = 1 and (s.x1 = v.x and s.y1 = v.y or s.x2 = v.x and s.y2 = v.y)) = 1 as is_end
      from s) f
  )
  select case
    when not exists (select from t) or not exists (select from s) or exists (select from located where place = -1) then -1
    -- A hole inside of b is not of a.
    when exists (select from t where kind = 2) and (not exists (select from s where kind = 2) or exists (
      select from s, tolerance, lateral (select (s.x1 + s.x2) / 2 as x, (s.y1 + s.y2) / 2 as y) m, lateral (
        select bool_or(homebase_geo_gap(m.x, m.y, t.x1, t.y1, t.x2, t.y2) <= e) as on_line,
          count(*) filter (where (t.y1 > m.y) <> (t.y2 > m.y) and m.x < t.x1 + (m.y - t.y1) * (t.x2 - t.x1) / (t.y2 - t.y1)) as crossings from t where t.kind = 2) f
      where s.kind = 2 and not f.on_line and f.crossings % 2 = 1)) then -1
    when exists (select from located where place = 1) or exists (select from t where kind = 2) then 1
    else 0 end);
end $$;
create function pg_catalog.homebase_geo_covers(a @extschema@.geometry, b @extschema@.geometry, inside int4) returns bool language plpgsql strict immutable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return case when homebase_geo_same_srid($1, $2) then homebase_geo_cover($1, $2) >= inside end;
end $$;

-- These are put in the place of their calls, where an index answers the operator.
create function @extschema@.st_intersects(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_intersects($1, $2);
end;
create function @extschema@.st_disjoint(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql strict immutable parallel safe begin atomic
  select not homebase_geo_intersects($1, $2);
end;
create function @extschema@.st_dwithin(geom1 @extschema@.geometry, geom2 @extschema@.geometry, float8) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) @extschema@.st_expand($2, $3) and homebase_geo_is_near($1, $2, $3);
end;
create function @extschema@.st_covers(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_covers($1, $2, 0);
end;
create function @extschema@.st_coveredby(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_covers($2, $1, 0);
end;
create function @extschema@.st_contains(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_covers($1, $2, 1);
end;
create function @extschema@.st_within(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.&&) $2 and homebase_geo_covers($2, $1, 1);
end;
create function @extschema@.st_equals(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns bool language sql immutable parallel safe begin atomic
  select $1 operator(@extschema@.~=) $2 and homebase_geo_covers($1, $2, 0) and homebase_geo_covers($2, $1, 0);
end;

create function @extschema@.st_area(@extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select coalesce(sum(case when ring = 1 then area else -area end), 0) from (
    select s.ring, abs(sum((s.x1 - homebase_geo_xmin(b)) * (s.y2 - homebase_geo_ymin(b)) - (s.x2 - homebase_geo_xmin(b)) * (s.y1 - homebase_geo_ymin(b)))) / 2
    from homebase_geo_segments($1) s, (select homebase_geo_box($1) offset 0) f(b) where s.kind = 2 group by s.part, s.ring) rings(ring, area);
end;
create function @extschema@.st_area2d(@extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic select @extschema@.st_area($1); end;
create function @extschema@.st_length(@extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select coalesce(sum(point(x1, y1) <-> point(x2, y2)), 0) from homebase_geo_segments($1) where kind = 1;
end;
create function @extschema@.st_length2d(@extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic select @extschema@.st_length($1); end;
create function @extschema@.st_perimeter(@extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select coalesce(sum(point(x1, y1) <-> point(x2, y2)), 0) from homebase_geo_segments($1) where kind = 2;
end;
-- The middle of the parts of the highest dimension, by area, length or number.
create function @extschema@.st_centroid(@extschema@.geometry) returns @extschema@.geometry language sql strict immutable parallel safe begin atomic
  with s as materialized (select s.part, s.ring, s.kind, s.x1 - homebase_geo_xmin(b) as x1, s.y1 - homebase_geo_ymin(b) as y1, s.x2 - homebase_geo_xmin(b) as x2, s.y2 - homebase_geo_ymin(b) as y2
    from homebase_geo_segments($1) s, (select homebase_geo_box($1) offset 0) f(b)),
  rings as (select case when ring = 1 then sign(sum(x1 * y2 - x2 * y1)) else -sign(sum(x1 * y2 - x2 * y1)) end as way, sum(x1 * y2 - x2 * y1) as area,
    sum((x1 + x2) * (x1 * y2 - x2 * y1)) as x, sum((y1 + y2) * (x1 * y2 - x2 * y1)) as y from s where kind = 2 group by part, ring),
  weighed(x, y, weight, kind) as (
    select sum(way * x) / 3, sum(way * y) / 3, sum(way * area), 2 from rings
    union all select sum((x1 + x2) / 2 * (point(x1, y1) <-> point(x2, y2))), sum((y1 + y2) / 2 * (point(x1, y1) <-> point(x2, y2))), sum(point(x1, y1) <-> point(x2, y2)), 1 from s where kind > 0
    union all select sum(x1), sum(y1), count(*), 0 from s)
  select coalesce((select homebase_geo_point(w.x / w.weight + homebase_geo_xmin(b), w.y / w.weight + homebase_geo_ymin(b), homebase_geo_srid($1))
    from weighed w, (select homebase_geo_box($1) offset 0) f(b) where w.weight > 0 order by w.kind desc limit 1), homebase_geo_make(1, 0, homebase_geo_srid($1), '[]'));
end;
create function @extschema@.st_azimuth(geom1 @extschema@.geometry, geom2 @extschema@.geometry) returns float8 language sql strict immutable parallel safe begin atomic
  select case when d.x <> 0 or d.y <> 0 then case when atan2(d.x, d.y) < 0 then atan2(d.x, d.y) + 2 * pi() else atan2(d.x, d.y) end end
  from (select @extschema@.st_x($2) - @extschema@.st_x($1), @extschema@.st_y($2) - @extschema@.st_y($1)) d(x, y);
end;
-- Rings and lines of a valid polygon do not cross, and its holes lie in its shell.
create function @extschema@.st_isvalid(@extschema@.geometry) returns bool language sql strict immutable parallel safe begin atomic
  with s as materialized (select *, row_number() over () as id, count(*) over (partition by part, ring) as pieces from homebase_geo_segments($1) where kind = 2)
  select not exists (
    select from s a, s b where a.id < b.id and homebase_geo_meet(a.x1, a.y1, a.x2, a.y2, b.x1, b.y1, b.x2, b.y2)
      and not (
        -- Pieces that follow each other share an end, and rings may touch at a vertex.
        (a.x2 = b.x1 and a.y2 = b.y1 or a.x1 = b.x2 and a.y1 = b.y2 or a.x1 = b.x1 and a.y1 = b.y1 and (a.part, a.ring) <> (b.part, b.ring) or a.x2 = b.x2 and a.y2 = b.y2 and (a.part, a.ring) <> (b.part, b.ring))
        and not (homebase_geo_side(a.x1, a.y1, a.x2, a.y2, b.x1, b.y1) = 0 and homebase_geo_side(a.x1, a.y1, a.x2, a.y2, b.x2, b.y2) = 0
          and (least(a.x1, a.x2) < greatest(b.x1, b.x2) and least(b.x1, b.x2) < greatest(a.x1, a.x2) or least(a.y1, a.y2) < greatest(b.y1, b.y2) and least(b.y1, b.y2) < greatest(a.y1, a.y2)))
        and ((a.part, a.ring) <> (b.part, b.ring) or b.place = a.place + 1 or a.place = 0 and b.place = a.pieces - 1)))
    and not exists (select from s where x1 = x2 and y1 = y2 and pieces < 4)
    and not exists (
      select from (select distinct on (part, ring) part, (x1 + x2) / 2 as x, (y1 + y2) / 2 as y from s where ring > 1) h
      where (select count(*) % 2 from s where s.part = h.part and s.ring = 1 and (s.y1 > h.y) <> (s.y2 > h.y) and h.x < s.x1 + (h.y - s.y1) * (s.x2 - s.x1) / (s.y2 - s.y1)) = 0);
end;
