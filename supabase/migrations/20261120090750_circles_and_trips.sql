-- What people do with circles, and how far it is for each of them.

create function public.create_circle(name text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  new_circle uuid;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  insert into public.circles (name) values (btrim(create_circle.name)) returning id into new_circle;
  insert into public.circle_members (circle_id, user_id, role) values (new_circle, auth.uid(), 'owner');
  return new_circle;
end $$;

-- Takes someone out of a circle; oneself, or, as an admin, another. Admins are removed by the owner only.
create function public.remove_circle_member(circle uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  mine public.circle_role;
  theirs public.circle_role;
begin
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = auth.uid();
  select m.role into theirs from public.circle_members as m where m.circle_id = circle and m.user_id = person;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'owner' then
    perform private.refuse('owner_cannot_leave');
  elsif person <> auth.uid() and mine = 'member' then
    perform private.refuse('not_circle_admin');
  elsif person <> auth.uid() and theirs = 'admin' and mine <> 'owner' then
    perform private.refuse('not_circle_owner');
  end if;
  delete from public.circle_members where circle_id = circle and user_id = person;
end $$;

-- Makes a member an admin or the other way, by the owner; with `owner` the caller hands the circle over and
-- stays as an admin.
create function public.set_circle_role(circle uuid, person uuid, role public.circle_role) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  end if;
  perform 1 from public.circles as c where c.id = circle for no key update;
  if not exists (
    select 1 from public.circle_members as m
    where m.circle_id = circle and m.user_id = auth.uid() and m.role = 'owner'
  ) then
    perform private.refuse('not_circle_owner');
  elsif not exists (
    select 1 from public.circle_members as m where m.circle_id = circle and m.user_id = person
  ) then
    perform private.refuse('person_not_found');
  end if;
  if person = auth.uid() then
    if set_circle_role.role <> 'owner' then
      perform private.refuse('owner_cannot_leave');
    end if;
    return;
  end if;
  if set_circle_role.role = 'owner' then
    update public.circle_members as m set role = 'admin' where m.circle_id = circle and m.user_id = auth.uid();
  end if;
  update public.circle_members as m set role = set_circle_role.role
    where m.circle_id = circle and m.user_id = person;
end $$;

-- Minutes from each person's start point to each of `places` (those on the plan, if none are given), for the
-- people of the plan who have set one. The points themselves never leave the database, and minutes come in
-- steps of five so that they give nobody's door away. Estimate: 1.3 times the straight line at 18 km/h door
-- to door, plus 5 minutes.
create function public.plan_trips(plan uuid, places uuid[] default null)
  returns table (place_id uuid, user_id uuid, minutes integer)
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id, m.user_id,
      (ceil((5 + 1.3 * d.kilometres / 18 * 60) / 5) * 5)::integer
    from public.places as p
    join public.plan_members as m on m.plan_id = plan
    join public.private_profiles as s on s.id = m.user_id and s.start_latitude is not null
    cross join lateral (
      select 2 * 6371 * asin(least(1, sqrt(
        power(sin(radians(p.latitude - s.start_latitude) / 2), 2)
        + cos(radians(s.start_latitude)) * cos(radians(p.latitude))
          * power(sin(radians(p.longitude - s.start_longitude) / 2), 2)
      ))) as kilometres
    ) as d
    where private.is_plan_member(plan)
      and case
        when places is null then p.id in (select o.place_id from public.place_options as o where o.plan_id = plan)
        else p.id = any (places)
      end;
  end;

grant execute on function
  public.create_circle(text), public.remove_circle_member(uuid, uuid),
  public.set_circle_role(uuid, uuid, public.circle_role), public.plan_trips(uuid, uuid[])
  to authenticated;
