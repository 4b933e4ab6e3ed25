-- What people do with a plan: start it, propose, vote, confirm, reopen, cancel, restore. Every step is one
-- function, one transaction, and refuses what is not allowed with an error of the catalogue.

-- polling, confirmed, done or cancelled, at the time of the statement.
create function private.plan_state(plan public.plans) returns text
  language sql stable security definer set search_path = ''
  return case
    when plan.status = 'confirmed' and exists (
      select 1 from public.time_options as t
      where t.id = plan.chosen_time_id
        and t.ends_at + make_interval(hours => private.limit_of('done_after_hours')) <= now()
    ) then 'done'
    else plan.status::text
  end;

-- The plan, locked until the end of the transaction, if the caller sits at it (and, on demand, hosts it).
-- A stranger gets the same answer as for a plan that does not exist.
create function private.plan_of_caller(plan uuid, as_host boolean) returns public.plans
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans;
begin
  select * into this from public.plans as p
    where p.id = plan and private.is_plan_member(plan) for no key update;
  if not found then
    perform private.refuse('plan_not_found');
  end if;
  if as_host and not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  end if;
  return this;
end $$;

create function private.require_polling(this public.plans) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'polling' then
    perform private.refuse('plan_not_polling');
  end if;
end $$;

create function private.notify_table(plan uuid, kind public.notification_kind) returns void
  language sql security definer set search_path = ''
  begin atomic
    insert into public.notifications (user_id, kind, plan_id, actor_id)
    select m.user_id, notify_table.kind, plan, auth.uid() from public.plan_members as m
    where m.plan_id = plan and m.user_id is distinct from auth.uid() and m.rsvp <> 'declined';
  end;

create function private.add_time(plan uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  option uuid;
begin
  if add_time.starts_at <= now() then
    perform private.refuse('time_in_past');
  elsif add_time.starts_at > now() + make_interval(days => private.limit_of('time_option_days')) then
    perform private.refuse('time_too_far');
  elsif add_time.ends_at is null
    or add_time.ends_at - add_time.starts_at not between interval '15 minutes' and interval '12 hours' then
    perform private.refuse('time_bad_length');
  end if;
  insert into public.time_options (plan_id, starts_at, ends_at, proposed_by)
    values (plan, add_time.starts_at, add_time.ends_at, auth.uid()) returning id into option;
  return option;
exception when unique_violation then
  perform private.refuse('time_duplicate');
end $$;

create function private.add_place(plan uuid, place uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  option uuid;
begin
  insert into public.place_options (plan_id, place_id, proposed_by)
    values (plan, place, auth.uid()) returning id into option;
  return option;
exception
  when unique_violation then perform private.refuse('place_duplicate');
  when foreign_key_violation then perform private.refuse('place_not_found');
end $$;

-- Starts a plan and seats its host. `times` is a JSON array of {starts_at, ends_at}, `places` are place ids,
-- `people` are people one shares a circle or a plan with, who find the plan on their home screen.
create function public.create_plan(
  title text,
  time_zone text,
  note text default '',
  circle uuid default null,
  times jsonb default '[]',
  places uuid[] default '{}',
  people uuid[] default '{}',
  vote_deadline timestamptz default null,
  capacity integer default null,
  guests_may_propose boolean default true,
  results_hidden boolean default false
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  new_plan uuid;
  account_age interval;
  entry jsonb;
  place uuid;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  if circle is not null and circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  end if;
  if create_plan.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  end if;
  select now() - p.created_at into account_age from public.profiles as p
    where p.id = auth.uid() for update; -- two plans at once are counted one after the other
  if account_age < make_interval(days => private.limit_of('new_account_days')) and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = auth.uid() and m.role = 'host' and p.created_at > now() - interval '1 day'
  ) >= private.limit_of('plans_per_day') then
    perform private.refuse('too_many_plans');
  end if;

  insert into public.plans
    (circle_id, title, note, time_zone, vote_deadline, capacity, guests_may_propose, results_hidden)
  values
    (circle, btrim(create_plan.title), btrim(create_plan.note), create_plan.time_zone,
     create_plan.vote_deadline, create_plan.capacity, create_plan.guests_may_propose, create_plan.results_hidden)
  returning id into new_plan;
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, auth.uid(), 'host');
  insert into public.plan_members (plan_id, user_id)
    select new_plan, person from (
      select distinct person from unnest(people) as person
      where person <> auth.uid() and person in (select private.known_people())
    ) as known;
  for entry in select * from jsonb_array_elements(times) loop
    perform private.add_time(new_plan, (entry ->> 'starts_at')::timestamptz, (entry ->> 'ends_at')::timestamptz);
  end loop;
  foreach place in array places loop
    perform private.add_place(new_plan, place);
  end loop;
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $$;

create function private.plan_for_proposal(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
begin
  perform private.require_polling(this);
  if not this.guests_may_propose and not private.is_plan_host(plan) then
    perform private.refuse('not_allowed_to_propose');
  end if;
end $$;

create function public.propose_time(plan uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.plan_for_proposal(plan);
  return private.add_time(plan, propose_time.starts_at, propose_time.ends_at);
end $$;

create function public.propose_place(plan uuid, place uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.plan_for_proposal(plan);
  return private.add_place(plan, place);
end $$;

-- Sets the caller's answers. `times` and `places` map option ids to "yes", "if_need_be", "no" or null, which
-- takes the answer back. Options that are not mentioned keep theirs, so two devices do not undo each other.
create function public.cast_votes(plan uuid, times jsonb default '{}', places jsonb default '{}') returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
begin
  perform private.require_polling(this);
  if this.vote_deadline <= now() then
    perform private.refuse('voting_closed');
  end if;
  if exists (
    select 1 from jsonb_object_keys(times) as key
    where not exists (select 1 from public.time_options as o where o.plan_id = plan and o.id::text = key)
  ) or exists (
    select 1 from jsonb_object_keys(places) as key
    where not exists (select 1 from public.place_options as o where o.plan_id = plan and o.id::text = key)
  ) then
    perform private.refuse('option_not_found');
  end if;

  delete from public.time_votes as v using jsonb_each_text(times) as given
    where v.user_id = auth.uid() and v.option_id = given.key::uuid and given.value is null;
  insert into public.time_votes as v (option_id, plan_id, user_id, answer)
    select given.key::uuid, plan, auth.uid(), given.value::public.vote_answer
    from jsonb_each_text(times) as given where given.value is not null
    on conflict (option_id, user_id) do update set answer = excluded.answer, voted_at = now()
    where v.answer is distinct from excluded.answer;

  delete from public.place_votes as v using jsonb_each_text(places) as given
    where v.user_id = auth.uid() and v.option_id = given.key::uuid and given.value is null;
  insert into public.place_votes as v (option_id, plan_id, user_id, answer)
    select given.key::uuid, plan, auth.uid(), given.value::public.vote_answer
    from jsonb_each_text(places) as given where given.value is not null
    on conflict (option_id, user_id) do update set answer = excluded.answer, voted_at = now()
    where v.answer is distinct from excluded.answer;
end $$;

-- The host chooses one time and one place. A place that is known to be closed then is refused; one whose
-- hours are unknown is not.
create function public.confirm_plan(plan uuid, time_option uuid, place_option uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
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
  update public.plans set status = 'confirmed', chosen_time_id = time_option, chosen_place_id = place_option,
    revision = revision + 1 where id = plan;
  update public.plan_members set rsvp = 'going', waitlisted_at = null
    where plan_id = plan and role = 'host';
  perform private.notify_table(plan, 'plan_confirmed');
end $$;

-- Back to voting. Who had said yes said it to another time or place, so those answers are asked again; a no
-- stays a no.
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
    vote_deadline = null, revision = revision + 1 where id = plan;
  update public.plan_members set rsvp = 'pending', waitlisted_at = null
    where plan_id = plan and rsvp <> 'declined';
  delete from public.arrivals where plan_id = plan;
  perform private.notify_table(plan, 'plan_reopened');
end $$;

create function public.cancel_plan(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  end if;
  update public.plans set status = 'cancelled', revision = revision + 1 where id = plan;
  perform private.notify_table(plan, 'plan_cancelled');
end $$;

-- Brings a cancelled plan back to where it was, until the day it was for is over.
create function public.restore_plan(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status <> 'cancelled' then
    perform private.refuse('plan_not_cancelled');
  end if;
  if exists (
    select 1 from public.time_options as t
    where t.id = this.chosen_time_id
      and (now() at time zone this.time_zone)::date > (t.ends_at at time zone this.time_zone)::date
  ) then
    perform private.refuse('plan_over');
  end if;
  update public.plans set revision = revision + 1,
    status = case when chosen_time_id is null then 'polling' else 'confirmed' end::public.plan_status
    where id = plan;
  perform private.notify_table(plan, 'plan_restored');
end $$;

grant execute on function
  public.create_plan(text, text, text, uuid, jsonb, uuid[], uuid[], timestamptz, integer, boolean, boolean),
  public.propose_time(uuid, timestamptz, timestamptz), public.propose_place(uuid, uuid),
  public.cast_votes(uuid, jsonb, jsonb), public.confirm_plan(uuid, uuid, uuid), public.reopen_plan(uuid),
  public.cancel_plan(uuid), public.restore_plan(uuid)
  to authenticated;
