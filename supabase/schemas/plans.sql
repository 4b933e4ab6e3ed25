-- Functions and policies of plans: starting, cancelling, restoring, asking for votes, calling to the table. Every
-- step is one function and one transaction; a step that is not allowed is refused with an error of the catalogue.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Set-returning and definer: policies ask for them once a statement, and do not recurse into the policies of
-- plan_members. One sits at a few dozen plans; the planner would guess a thousand.
-- Tables that are listed without naming a plan ask for an array of them, by which an index finds the rows. Tables that
-- are read plan by plan (members, options, votes, arrivals, ratings) ask with `in`, whose hash is made once: an array
-- would be sorted for each plan of a list, and the home screen of a thousand plans took eight times as long.
create function private.my_plan_ids() returns setof uuid
  language sql stable security definer rows 20 set search_path = ''
  begin atomic
    select m.plan_id from public.plan_members as m where m.user_id = (select private.caller());
  end;

create function private.my_hosted_plan_ids() returns setof uuid
  language sql stable security definer rows 20 set search_path = ''
  begin atomic
    select m.plan_id from public.plan_members as m
    where m.user_id = (select private.caller()) and m.role in ('host', 'cohost');
  end;

-- Those of one's plans that are being voted on.
create function private.my_polling_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id from public.plan_members as m join public.plans as p on p.id = m.plan_id
    where m.user_id = (select private.caller()) and p.status = 'polling';
  end;

create function private.is_plan_member(plan uuid) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from public.plan_members as m where m.plan_id = plan and m.user_id = (select private.caller())
  );

create function private.is_plan_host(plan uuid) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from public.plan_members as m
    where m.plan_id = plan and m.user_id = (select private.caller()) and m.role in ('host', 'cohost')
  );

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

-- The plan, locked until the end of the transaction, if the caller sits at it (and, on demand, hosts it). A
-- stranger gets the same answer as for a plan that does not exist. Seat and role are read after the lock is held:
-- they may have changed while it was waited for.
create function private.plan_of_caller(plan uuid, as_host boolean) returns public.plans
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans;
begin
  -- A stranger takes no lock.
  if private.is_plan_member(plan) then
    perform 1 from public.plans as p where p.id = plan for no key update;
  end if;
  select * into this from public.plans as p where p.id = plan and exists (
    select 1 from public.plan_members as m where m.plan_id = plan and m.user_id = caller
  );
  if not found then
    perform private.refuse('plan_not_found');
  end if;
  if as_host and not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  end if;
  return this;
end $$;

create function private.require_open(this public.plans) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
end $$;

create function private.require_polling(this public.plans) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_open(this);
  if this.status <> 'polling' then
    perform private.refuse('plan_not_polling');
  end if;
end $$;

-- Refuses what is for the day of a confirmed plan only.
create function private.require_the_day(this public.plans) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (select t.starts_at from public.time_options as t where t.id = this.chosen_time_id)
    > now() + make_interval(hours => private.limit_of('arrival_opens_hours')) then
    perform private.refuse('not_the_day');
  end if;
end $$;

-- A deadline after the last time that could be suggested is refused.
create function private.check_deadline() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is null then
    return new;
  elsif new.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  elsif new.vote_deadline > now() + make_interval(days => private.limit_of('time_option_days')) then
    perform private.refuse('time_too_far');
  end if;
  return new;
end $$;

-- A calendar must hear of a new title or note as well as of a new time (its SEQUENCE).
create function private.count_revision() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.revision = old.revision and (new.title, new.note) is distinct from (old.title, old.note) then
    new.revision := old.revision + 1;
  end if;
  return new;
end $$;

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
  results_hidden boolean default false,
  decides_itself boolean default false,
  new_places jsonb default '[]'
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  account_age interval;
  entry jsonb;
  place uuid;
begin
  if circle is not null and circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  end if;
  if create_plan.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  end if;
  select now() - p.created_at into account_age from public.profiles as p
    where p.id = caller for update; -- two plans at once are counted one after the other
  if private.is_guest() and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and private.plan_state(p) in ('polling', 'confirmed')
      and not exists (select 1 from private.sample_plans as s where s.plan_id = p.id)
  ) >= private.limit_of('guest_plans') then
    perform private.refuse('too_many_guest_plans');
  elsif private.is_guest() and not private.count_daily_use(
    'guest plan network ' || private.network_of_caller(), private.limit_of('guest_plans_per_network')
  ) then
    perform private.refuse('too_many_plans');
  end if;
  if account_age < make_interval(days => private.limit_of('new_account_days')) and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and p.created_at > now() - interval '1 day'
  ) >= private.limit_of('plans_per_day') then
    perform private.refuse('too_many_plans');
  end if;

  insert into public.plans
    (circle_id, title, note, time_zone, vote_deadline, capacity, guests_may_propose, results_hidden,
     decides_itself)
  values
    (circle, private.trimmed(create_plan.title), private.trimmed(create_plan.note), create_plan.time_zone,
     create_plan.vote_deadline, create_plan.capacity, create_plan.guests_may_propose, create_plan.results_hidden,
     create_plan.decides_itself)
  returning id into new_plan;
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, caller, 'host');
  insert into public.plan_members (plan_id, user_id)
    select new_plan, person from (
      select distinct person from unnest(people) as person
      where person <> caller and person in (select private.invitable_people())
    ) as known;
  for entry in select * from jsonb_array_elements(times) loop
    perform private.add_time(new_plan, (entry ->> 'starts_at')::timestamptz, (entry ->> 'ends_at')::timestamptz);
  end loop;
  foreach place in array places loop
    perform private.add_place(new_plan, place);
  end loop;
  for entry in select * from jsonb_array_elements(new_places) loop
    perform private.add_named_place(new_plan, entry ->> 'name', entry);
  end loop;
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $$;

create function public.cancel_plan(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_open(this);
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

create function private.tell_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is not null and private.plan_state(new) = 'confirmed' then
    -- Several corrections are one line in the activity, until it was read.
    delete from public.notifications as n
      where n.plan_id = new.id and n.kind = 'plan_changed' and n.read_at is null;
    perform private.notify_table(new.id, 'plan_changed');
  end if;
  return null;
end $$;

-- Asks everybody for whom a question is open to vote, and returns how many they are.
create function public.nudge_voters(plan uuid) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  nudged integer;
begin
  perform private.require_polling(this);
  if this.vote_deadline <= now() then
    perform private.refuse('voting_closed');
  elsif this.nudged_at > now() - make_interval(hours => private.limit_of('nudge_hours')) then
    perform private.refuse('nudged_today');
  end if;
  insert into public.notifications (user_id, kind, plan_id, actor_id)
    select who.user_id, 'vote_nudge', this.id, caller from private.plan_next(this.id) as who
    where who.user_id <> caller and who.step in ('times', 'places');
  get diagnostics nudged = row_count;
  if nudged = 0 then
    perform private.refuse('nobody_to_nudge');
  end if;
  update public.plans as p set nudged_at = now() where p.id = this.id;
  return nudged;
end $$;

-- Another choice, or none, ends a booking, and the table is not ready any more. A place that is added to a time decided
-- alone ends the booking only.
create function private.clear_ready() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if (new.chosen_time_id, new.chosen_place_id) is distinct from (old.chosen_time_id, old.chosen_place_id) then
    new.booked_seats := null;
    new.booked_name := null;
  end if;
  if new.chosen_time_id is distinct from old.chosen_time_id
    or old.chosen_place_id is not null and new.chosen_place_id is distinct from old.chosen_place_id then
    new.ready_at := null;
    new.ready_by := null;
  end if;
  return new;
end $$;

-- A host says that the table is ready: once, and with the message that stays in the conversation (`said`, in the
-- host's words). Saying it again changes nothing.
create function public.call_to_table(plan uuid, said text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_the_day(this);
  if this.ready_at is not null then
    return;
  end if;
  insert into public.messages (plan_id, author_id, client_id, body)
    values (plan, caller, gen_random_uuid(), said);
  update public.plans as p set ready_at = now(), ready_by = caller where p.id = plan;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.plans enable row level security;
alter table public.plan_members enable row level security;

create policy "plans are read by their people" on public.plans
  for select to authenticated using (id = any (array(select private.my_plan_ids())));
create policy "plans are edited by their hosts" on public.plans
  for update to authenticated
  using (id = any (array(select private.my_hosted_plan_ids())))
  with check (id = any (array(select private.my_hosted_plan_ids())));

create policy "members are read by the table" on public.plan_members
  for select to authenticated using (plan_id in (select private.my_plan_ids()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger touch before update on public.plans
  for each row execute function private.touch_updated_at();
create trigger limit_people before insert on public.plan_members
  for each row execute function private.enforce_limit('plans', 'plan_id', 'plan_people', 'plan_full');
create trigger count_revision before update on public.plans
  for each row execute function private.count_revision();
create trigger clear_ready before update of chosen_time_id, chosen_place_id on public.plans
  for each row execute function private.clear_ready();
create trigger check_deadline before update of vote_deadline on public.plans
  for each row when (new.vote_deadline is distinct from old.vote_deadline)
  execute function private.check_deadline();
create trigger check_new_deadline before insert on public.plans
  for each row when (new.vote_deadline is not null) execute function private.check_deadline();
create trigger tell_change after update of title, note on public.plans
  for each row when ((new.title, new.note) is distinct from (old.title, old.note)
    and new.status = 'confirmed' and old.status = 'confirmed')
  execute function private.tell_change();
create trigger a_trim before insert or update of title, note, veto_reason on public.plans
  for each row execute function private.trim_columns('title', 'note', 'veto_reason');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, update (title, note, vote_deadline, capacity, guests_may_propose, results_hidden, decides_itself,
  joins_by_link, booked_seats, booked_name) on public.plans to authenticated;
grant select on public.plan_members to authenticated;
grant execute on function private.my_plan_ids(), private.my_hosted_plan_ids(), private.my_polling_plan_ids(),
  private.is_plan_member(uuid), private.is_plan_host(uuid) to authenticated, service_role;
grant execute on function
  public.create_plan(text, text, text, uuid, jsonb, uuid[], uuid[], timestamptz, integer, boolean, boolean, boolean,
    jsonb),
  public.cancel_plan(uuid), public.restore_plan(uuid), public.nudge_voters(uuid), public.call_to_table(uuid, text)
  to authenticated;
