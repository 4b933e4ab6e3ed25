-- Suggests places within reach of the table only, and its own.

create or replace function public.plan_candidates(plan uuid, most integer default 60)
  returns table (place_id uuid, trips jsonb)
  language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
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
        -- Within reach, which is about 60 km, or not everybody's but the table's own.
        and (not p.everybody or abs(p.latitude - middle[1]) < 0.54
          and abs(p.longitude - middle[0]) * cos(radians(middle[1])) < 0.54)
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
