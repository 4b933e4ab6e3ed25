-- A place that is not known to be safe for somebody who may come is chosen only by a host who names these people.

insert into private.errors (code, status, message, hint) values
  ('unsafe_for_some', 409, 'This place is not confirmed safe for everyone who may come.', 'Look at who it is, ask the kitchen, and choose again.');

-- Whether what is known to be safe covers a diet: the rule of functions/_shared/diets.ts.
create function private.covers(safe public.diet[], wanted public.diet) returns boolean
  language sql immutable parallel safe set search_path = ''
  return wanted = any (safe)
    or (wanted in ('vegetarian', 'pescatarian', 'lactose_free') and 'vegan' = any (safe))
    or (wanted = 'pescatarian' and 'vegetarian' = any (safe));

-- The members of the plan whom the place is not known to be safe for, of those who may come at that time.
create function private.unsafe_for(plan uuid, time_option uuid, place uuid) returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.user_id
    from public.plan_members as m
    join public.profiles as who on who.id = m.user_id
    join public.places as p on p.id = unsafe_for.place
    where m.plan_id = unsafe_for.plan and m.rsvp <> 'declined'
      and not exists (
        select 1 from public.time_votes as v
        where v.option_id = unsafe_for.time_option and v.user_id = m.user_id and v.answer = 'no'
      )
      and exists (select 1 from unnest(who.diets) as wanted where not private.covers(p.safe_diets, wanted));
  end;

-- The host chooses one time and one place. A place that is known to be closed then is refused; one whose hours are
-- unknown is not. `unsafe_for` names the people whom the place is not known to be safe for: all of them, so that
-- nobody is sat at such a table by one click.
drop function public.confirm_plan(uuid, uuid, uuid);
create function public.confirm_plan(
  plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  meal public.time_options;
  place uuid;
begin
  perform private.require_polling(this);
  select * into meal from public.time_options as o where o.id = time_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  select o.place_id into place from public.place_options as o where o.id = place_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if meal.starts_at <= now() then
    perform private.refuse('time_in_past');
  end if;
  if not coalesce(private.place_open_during(place, meal.starts_at, meal.ends_at), true) then
    perform private.refuse('place_closed');
  end if;
  if exists (
    select 1 from private.unsafe_for(plan, time_option, place) as person
    where person <> all (coalesce(confirm_plan.unsafe_for, '{}'))
  ) then
    perform private.refuse('unsafe_for_some');
  end if;
  -- Seated before the plan is confirmed: nobody who has to wait is promoted meanwhile.
  update public.plan_members as m set rsvp = 'going', waitlisted_at = null
    where m.plan_id = confirm_plan.plan and m.role = 'host';
  perform private.fill_table(plan);
  update public.plans as p set status = 'confirmed', chosen_time_id = time_option, chosen_place_id = place_option,
    revision = p.revision + 1 where p.id = plan;
  perform private.notify_table(plan, 'plan_confirmed');
end $$;

revoke execute on function public.confirm_plan(uuid, uuid, uuid, uuid[]) from public, anon;
grant execute on function public.confirm_plan(uuid, uuid, uuid, uuid[]) to authenticated;
