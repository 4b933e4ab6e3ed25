-- Nobody's home can be located: start points are kept on a coarse grid, trips are estimated between cells of it,
-- for the plan's own places and for candidates that the database chooses, and a plan seats people who agreed to
-- meet its host before.

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

grant execute on function private.grid_latitude(double precision),
  private.grid_longitude(double precision, double precision) to authenticated, service_role;

create trigger keep_start_on_grid before insert or update on public.private_profiles
  for each row execute function private.keep_start_on_grid();

update public.private_profiles set start_latitude = start_latitude where start_latitude is not null;

-- Minutes between the cells of two positions, in steps of five. Estimate: 1.3 times the straight line at 18 km/h
-- door to door, plus 5 minutes. Both ends are on the grid: moving a place inside its cell changes nothing.
create function private.trip_minutes(
  from_latitude double precision, from_longitude double precision,
  to_latitude double precision, to_longitude double precision
) returns integer
  language sql immutable parallel safe set search_path = ''
  return (
    select (ceil((5 + 1.3 * 2 * 6371 * asin(least(1, sqrt(
      power(sin(radians(b.latitude - a.latitude) / 2), 2)
      + cos(radians(a.latitude)) * cos(radians(b.latitude))
        * power(sin(radians(b.longitude - a.longitude) / 2), 2)
    ))) / 18 * 60) / 5) * 5)::integer
    from (
      select private.grid_latitude(from_latitude) as latitude,
        private.grid_longitude(from_latitude, from_longitude) as longitude
    ) as a, (
      select private.grid_latitude(to_latitude) as latitude,
        private.grid_longitude(to_latitude, to_longitude) as longitude
    ) as b
  );

-- Minutes from each person's start to the places on the plan (of those, to `places`, if any are given), for the
-- people of the plan who have set a start. The points themselves never leave the database.
create or replace function public.plan_trips(plan uuid, places uuid[] default null)
  returns table (place_id uuid, user_id uuid, minutes integer)
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id, m.user_id,
      private.trip_minutes(s.start_latitude, s.start_longitude, p.latitude, p.longitude)
    from public.place_options as o
    join public.places as p on p.id = o.place_id
    join public.plan_members as m on m.plan_id = o.plan_id
    join public.private_profiles as s on s.id = m.user_id and s.start_latitude is not null
    where o.plan_id = plan and private.is_plan_member(plan)
      and (places is null or p.id = any (places));
  end;

create index places_point_idx on public.places using gist (point(longitude, latitude));
-- Nearest places are found by places_point_idx; the pair of columns served no query.
drop index public.places_position_idx;

-- Places that may be suggested for a plan: the nearest to the middle of its people's starts (without any, of its own
-- places) that are known to be safe for everyone who may come and are not on it. One row a place, with each person's
-- minutes as an object, so that no limit on rows cuts a place in half.
create function public.plan_candidates(plan uuid, most integer default 60)
  returns table (place_id uuid, trips jsonb)
  language plpgsql stable security definer set search_path = '' as $$
declare
  middle point;
  diets public.diet[];
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
  return query
    select near.id, coalesce((
      select jsonb_object_agg(m.user_id,
        private.trip_minutes(s.start_latitude, s.start_longitude, near.latitude, near.longitude))
      from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
      where m.plan_id = plan_candidates.plan and s.start_latitude is not null
    ), '{}')
    from (
      select p.id, p.latitude, p.longitude from public.places as p
      where not exists (
          select 1 from public.place_options as o where o.plan_id = plan_candidates.plan and o.place_id = p.id
        )
        -- The rule of functions/_shared/diets.ts.
        and not exists (
          select 1 from unnest(diets) as wanted
          where wanted <> all (p.safe_diets)
            and not (wanted in ('vegetarian', 'pescatarian', 'lactose_free') and 'vegan' = any (p.safe_diets))
            and not (wanted = 'pescatarian' and 'vegetarian' = any (p.safe_diets))
        )
      order by point(p.longitude, p.latitude) operator(pg_catalog.<->) middle
      limit least(greatest(most, 1), 200)
    ) as near;
end $$;

grant execute on function public.plan_candidates(uuid, integer) to authenticated;

-- ---------------------------------------------------------------------------------------------------------
-- Consent

-- Since when a person has taken part in the plan by themselves: came by a link, answered, or said that they come.
-- Null for those whom the host seated and who have done nothing yet.
alter table public.plan_members add column accepted_at timestamptz;

create function private.note_accepted() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if new.accepted_at is null and (
    new.role = 'host' or new.answered_at is not null or new.rsvp in ('going', 'maybe', 'waitlisted')
    or tg_op = 'INSERT' and new.user_id = (select private.caller())
  ) then
    new.accepted_at := now();
  end if;
  return new;
end $$;

update public.plan_members as m set accepted_at = m.joined_at
  where m.role = 'host' or m.answered_at is not null or m.rsvp in ('going', 'maybe', 'waitlisted')
    or exists (select 1 from public.profiles as p where p.id = m.user_id and p.is_guest);

create trigger note_accepted before insert or update on public.plan_members
  for each row execute function private.note_accepted();

-- The people whom the caller may seat at a new plan: of a shared circle, which one only enters by oneself, or of a
-- shared plan that they joined themselves.
create function private.invitable_people() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.user_id from public.plan_members as m
    where m.plan_id in (select private.my_plan_ids()) and m.accepted_at is not null
    union
    select m.user_id from public.circle_members as m
    where m.circle_id in (select private.my_circle_ids());
  end;

do $rewrite$
begin
  execute replace(
    pg_catalog.pg_get_functiondef(
      'public.create_plan(text, text, text, uuid, jsonb, uuid[], uuid[], timestamptz, integer, boolean, boolean)'::regprocedure),
    'private.known_people()', 'private.invitable_people()');
end $rewrite$;
