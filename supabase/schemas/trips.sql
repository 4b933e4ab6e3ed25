-- How far it is for each person. Nobody's home can be located: start points are kept on a coarse grid, and trips
-- are estimated between cells of it, for the plan's own places and for candidates that the database chooses. The
-- cell of each start and each place is worked out once and not once a pair.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A cell of the grid is 0.005 degrees of latitude high (about 550 m) and as wide. Its middle stands for all in it.
create function private.grid_latitude(latitude double precision) returns double precision
  language sql immutable parallel safe set search_path = ''
  return round((latitude / 0.005)::numeric)::double precision * 5 / 1000;

create function private.grid_longitude(latitude double precision, longitude double precision)
  returns double precision
  language sql immutable parallel safe set search_path = ''
  return (
    -- Wider in degrees towards the poles, so that a cell keeps its size on the ground.
    select greatest(-180, least(180, round((longitude / step.degrees)::numeric)::double precision * step.degrees))
    from (select 0.005 / greatest(cos(radians(private.grid_latitude(latitude))), 0.01) as degrees) as step
  );

-- Minutes between two points that are on the grid, in steps of five. Estimate: 1.3 times the straight line at 18 km/h
-- door to door, plus 5 minutes.
create function private.grid_minutes(
  from_latitude double precision, from_longitude double precision,
  to_latitude double precision, to_longitude double precision
) returns integer
  language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return ceil((5 + 1.3 * 2 * 6371 * asin(least(1, sqrt(
    power(sin(radians(to_latitude - from_latitude) / 2), 2)
    + cos(radians(from_latitude)) * cos(radians(to_latitude))
      * power(sin(radians(to_longitude - from_longitude) / 2), 2)
  ))) / 18 * 60) / 5) * 5;
end $$;

create function private.keep_start_on_grid() returns trigger
  language plpgsql set search_path = '' as $$
declare
  latitude double precision := new.start_latitude;
begin
  -- Out of range is for the column's own check to refuse.
  if latitude between -90 and 90 and new.start_longitude between -180 and 180 then
    new.start_latitude := private.grid_latitude(latitude);
    new.start_longitude := private.grid_longitude(latitude, new.start_longitude);
  end if;
  return new;
end $$;

-- Minutes from each person's start to the places on the plan (of those, to `places`, if any are given), for the
-- people of the plan who have set a start. A place without a position has none. The points themselves never leave the
-- database.
create function public.plan_trips(plan uuid, places uuid[] default null)
  returns table (place_id uuid, user_id uuid, minutes integer)
  language sql stable security definer set search_path = ''
  begin atomic
    with starts as materialized (
      select m.user_id, private.grid_latitude(s.start_latitude) as latitude,
        private.grid_longitude(s.start_latitude, s.start_longitude) as longitude
      from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
      where m.plan_id = plan_trips.plan and s.start_latitude is not null and private.is_plan_member(plan_trips.plan)
    ), ends as materialized (
      select p.id, private.grid_latitude(p.latitude) as latitude,
        private.grid_longitude(p.latitude, p.longitude) as longitude
      from public.place_options as o join public.places as p on p.id = o.place_id
      where o.plan_id = plan_trips.plan and p.latitude is not null and (plan_trips.places is null or p.id = any (plan_trips.places))
    )
    select ends.id, starts.user_id,
      private.grid_minutes(starts.latitude, starts.longitude, ends.latitude, ends.longitude)
    from ends cross join starts;
  end;

-- Places that may be suggested for a plan: the nearest to the middle of its people's starts (without any, of its own
-- places) that are known to be safe for everyone who may come and are not on it. One row a place, with each person's
-- minutes as an object, so that no limit on rows cuts a place in half. In the same time however many places there are:
-- by nearness where most are safe for the table, by an index on diets where few are. Which is better depends on the
-- diets: they are planned for each time.
create function public.plan_candidates(plan uuid, most integer default 60)
  returns table (place_id uuid, trips jsonb)
  language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  middle point;
  diets public.diet[];
  -- What the time is now in the zones of the plan and of its places.
  clocks timestamp[];
begin
  if not private.is_plan_member(plan) then
    return;
  end if;
  select point(avg(at.longitude), avg(at.latitude)) into middle from (
    select s.start_longitude as longitude, s.start_latitude as latitude
    from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
    where m.plan_id = plan and m.rsvp <> 'declined' and s.start_latitude is not null
  ) as at having count(*) > 0;
  if middle is null then
    select point(avg(p.longitude), avg(p.latitude)) into middle
      from public.place_options as o join public.places as p on p.id = o.place_id
      where o.plan_id = plan having count(*) > 0;
  end if;
  if middle is null then
    return;
  end if;
  select coalesce(array_agg(distinct diet), '{}') into diets
    from public.plan_members as m join public.profiles as who on who.id = m.user_id
    cross join unnest(who.diets) as diet
    where m.plan_id = plan and m.rsvp <> 'declined';
  clocks := array(
    select timezone(p.time_zone, now()) from public.plans as p where p.id = plan
    union
    select timezone(p.time_zone, now())
      from public.place_options as o join public.places as p on p.id = o.place_id where o.plan_id = plan);
  return query
    with near as materialized (
      select p.id, p.latitude, p.longitude,
        point(p.longitude, p.latitude) operator(pg_catalog.<->) middle as distance
      from public.places as p
      where p.id <> all (array(
          select o.place_id from public.place_options as o where o.plan_id = plan_candidates.plan
        ))
        and (p.everybody or p.created_by = (select private.caller())
          or p.id = any (array(select private.my_place_ids())))
        and p.latitude is not null
        -- Within reach, which is about 60 km, and on the clock of the plan or of its own places, as those with a start
        -- may all be far from the meal; or not everybody's but the table's own.
        and (not p.everybody or abs(p.latitude - middle[1]) < 0.54
          and abs(p.longitude - middle[0]) * cos(radians(middle[1])) < 0.54
          and timezone(p.time_zone, now()) = any (clocks))
        and private.diets_that_hold(p.safe_diets) operator(pg_catalog.@>) diets
      order by point(p.longitude, p.latitude) operator(pg_catalog.<->) middle
      limit least(greatest(most, 1), 200)
    ), starts as materialized (
      select m.user_id, private.grid_latitude(s.start_latitude) as latitude,
        private.grid_longitude(s.start_latitude, s.start_longitude) as longitude
      from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
      where m.plan_id = plan_candidates.plan and s.start_latitude is not null
    ), ends as materialized (
      select near.id, near.distance, private.grid_latitude(near.latitude) as latitude,
        private.grid_longitude(near.latitude, near.longitude) as longitude
      from near
    )
    select ends.id, coalesce((
      select jsonb_object_agg(starts.user_id,
        private.grid_minutes(starts.latitude, starts.longitude, ends.latitude, ends.longitude))
      from starts
    ), '{}')
    from ends order by ends.distance, ends.id;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger keep_start_on_grid before insert or update on public.private_profiles
  for each row execute function private.keep_start_on_grid();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.grid_latitude(double precision),
  private.grid_longitude(double precision, double precision) to authenticated, service_role;
grant execute on function public.plan_trips(uuid, uuid[]), public.plan_candidates(uuid, integer) to authenticated;
