-- A host decides: a time with its place, or a time alone whose place follows; another pair; or back to voting. A place
-- that is not known to be safe for somebody who may come is chosen only by a host who names these people.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Whether a person found a proper meal for a diet at a place, by their newest answer at a table where the reader sat,
-- too: the rule of functions/_shared/ranking/past_meals.ts. It says nothing about another person or diet.
create function private.ate_here(place uuid, person uuid, diet public.diet, reader uuid) returns boolean
  language sql stable set search_path = ''
  return coalesce((
    select ate_here.diet = any (r.ate) from public.ratings as r
    where r.place_id = ate_here.place and r.user_id = ate_here.person and ate_here.diet = any (r.ate || r.lacked)
      and r.plan_id in (select m.plan_id from public.plan_members as m where m.user_id = ate_here.reader)
    order by r.eaten_at desc, ate_here.diet = any (r.ate) limit 1
  ), false);

-- The members of the plan whom the place is not known to be safe for, of those who may come at that time. What a person
-- ate there counts as far as the caller may read it; where nobody calls, as far as the host may.
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
      and exists (
        select 1 from unnest(who.diets) as wanted
        where not private.covers(p.safe_diets, wanted)
          and not private.ate_here(p.id, m.user_id, wanted, coalesce((select private.caller()), (
            select host.user_id from public.plan_members as host
            where host.plan_id = unsafe_for.plan and host.role = 'host')))
      );
  end;

-- Refuses a time and place (null: decided later) that cannot be chosen for a plan, which the caller has locked. A meal
-- that has begun without a place may still get one. See confirm_plan.
create function private.check_choice(plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  meal public.time_options;
  place uuid;
begin
  select * into meal from public.time_options as o where o.id = time_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if meal.starts_at <= now() and not exists (
    select 1 from public.plans as p where p.id = plan and p.chosen_time_id = time_option and p.chosen_place_id is null
  ) then
    perform private.refuse('time_in_past');
  end if;
  if place_option is null then
    return;
  end if;
  select o.place_id into place from public.place_options as o where o.id = place_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if not coalesce(private.place_open_during(place, meal.starts_at, meal.ends_at), true) then
    perform private.refuse('place_closed');
  end if;
  if exists (
    select 1 from private.unsafe_for(plan, time_option, place) as person
    where person <> all (coalesce(check_choice.unsafe_for, '{}'))
  ) then
    perform private.refuse('unsafe_for_some');
  end if;
end $$;

-- Gives a plan in voting, which the caller has locked, its time and, unless that is null, its place. See confirm_plan.
create function private.settle_plan(
  plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[]
) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.check_choice(plan, time_option, place_option, settle_plan.unsafe_for);
  update public.plans as p set status = 'confirmed', chosen_time_id = time_option, chosen_place_id = place_option,
    revision = p.revision + 1 where p.id = plan;
  perform private.fill_table(plan);
  perform private.notify_table(plan, 'plan_confirmed');
end $$;

-- The host chooses one time and one place, or without `place_option` the time alone. A place that is known to be closed
-- then is refused; one whose hours are unknown is not. `unsafe_for` names the people whom the place is not known to be
-- safe for: all of them, so that nobody is sat at such a table by one click.
create function public.confirm_plan(
  plan uuid, time_option uuid, place_option uuid default null, unsafe_for uuid[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_polling(this);
  perform private.keep_before(this);
  perform private.settle_plan(plan, time_option, place_option, confirm_plan.unsafe_for);
  perform private.keep_after(plan);
end $$;

-- Gives a confirmed plan another pair. Everybody but who said no is asked again, and earlier votes count no more; the
-- caller comes. A place for a time that was decided alone is no move: answers, arrivals and a ready table stay.
-- `was_time` and `was_place` are the pair that the caller saw: of two hosts at once, the second is refused. The pair
-- that is chosen already changes nothing, so that a call whose response was lost can be repeated.
create function public.change_choice(
  plan uuid, was_time uuid, time_option uuid, was_place uuid default null, place_option uuid default null,
  unsafe_for uuid[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  is_move boolean := this.chosen_time_id <> time_option or this.chosen_place_id is not null;
  told text := case when is_move then 'plan_moved' else 'plan_placed' end;
begin
  perform private.require_open(this);
  if this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (this.chosen_time_id, this.chosen_place_id) is not distinct from (time_option, place_option) then
    return;
  elsif (this.chosen_time_id, this.chosen_place_id) is distinct from (was_time, was_place) then
    perform private.refuse('choice_changed');
  end if;
  perform private.check_choice(plan, time_option, place_option, change_choice.unsafe_for);
  perform private.keep_before(this);
  update public.plans as p set chosen_time_id = time_option, chosen_place_id = place_option, revision = p.revision + 1,
      moved_from_time_id = case when is_move then this.chosen_time_id else p.moved_from_time_id end,
      moved_from_place_id = case when is_move then this.chosen_place_id else p.moved_from_place_id end
    where p.id = change_choice.plan;
  if is_move then
    update public.plan_members as m
      set rsvp = case m.user_id when caller then 'going' else 'pending' end::public.rsvp_status, waitlisted_at = null
      where m.plan_id = change_choice.plan and (m.rsvp <> 'declined' or m.user_id = caller);
    delete from public.arrivals as a where a.plan_id = change_choice.plan;
  end if;
  perform private.promote_waitlist(plan);
  -- Several changes are one line in the activity, until it was read.
  delete from public.notifications as n
    where n.plan_id = change_choice.plan and n.kind::text in (told, 'plan_placed') and n.read_at is null;
  perform private.notify_table(plan, told::public.notification_kind);
  perform private.keep_after(plan);
end $$;

-- Back to voting. A yes was for another time or place, so these people are asked again; a no stays a no.
create function public.reopen_plan(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  end if;
  update public.plans set status = 'polling', chosen_time_id = null, chosen_place_id = null,
    moved_from_time_id = null, moved_from_place_id = null, vote_deadline = null, revision = revision + 1 where id = plan;
  update public.plan_members set rsvp = 'pending', waitlisted_at = null
    where plan_id = plan and rsvp <> 'declined';
  delete from public.arrivals where plan_id = plan;
  perform private.notify_table(plan, 'plan_reopened');
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.confirm_plan(uuid, uuid, uuid, uuid[]),
  public.change_choice(uuid, uuid, uuid, uuid, uuid, uuid[]), public.reopen_plan(uuid) to authenticated;
