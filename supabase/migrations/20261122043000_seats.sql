-- Seats: whoever sits keeps the seat, nobody overtakes the line, and confirming seats no more than there are.

insert into private.errors (code, status, message, hint) values
  ('no_seat_free', 409, 'There are not enough free seats for your party.', 'Your answer is as it was. Ask the host for more seats.');

-- When the answer was given: the order in which a confirmed table is filled.
alter table public.plan_members add column rsvp_at timestamptz;

create function private.note_rsvp() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- Not now(), which is when the transaction began: the order is the one in which the plan was locked.
  new.rsvp_at := clock_timestamp();
  return new;
end $$;

create trigger note_rsvp before update of rsvp on public.plan_members
  for each row when (new.rsvp is distinct from old.rsvp) execute function private.note_rsvp();

-- Seats people from the waitlist in order while they fit, at a plan that is not over. A party that does not fit
-- holds the line: those behind it do not overtake.
create or replace function private.promote_waitlist(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans;
  next public.plan_members;
begin
  select * into this from public.plans as p where p.id = plan;
  if not found or private.plan_state(this) not in ('polling', 'confirmed') then
    return;
  end if;
  loop
    select * into next from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' order by m.waitlisted_at, m.user_id limit 1;
    exit when not found
      or private.seats_taken(plan) + 1 + next.plus_ones > coalesce(this.capacity, 32767);
    update public.plan_members as m set rsvp = 'going', waitlisted_at = null
      where m.plan_id = plan and m.user_id = next.user_id;
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      values (next.user_id, 'seat_freed', plan, (select private.caller()));
  end loop;
end $$;

-- A plan that comes back may have seats that became free while it was cancelled.
drop trigger promote_on_capacity on public.plans;
create trigger promote_on_capacity after update of capacity, status on public.plans
  for each row when ((new.capacity, new.status) is distinct from (old.capacity, old.status))
  execute function private.promote_after_change();

-- Fills the table: the host's party, then the others who are going in the order of their answers, as many as fit.
-- From the first party that does not fit on, all wait, before those who waited already.
create function private.fill_table(plan uuid) returns void
  language sql security definer set search_path = ''
  begin atomic
    with parties as (
      select m.user_id, m.role, coalesce(m.rsvp_at, m.joined_at) as since,
        sum(1 + m.plus_ones) over (
          order by m.role = 'host' desc, coalesce(m.rsvp_at, m.joined_at), m.user_id) as seats
      from public.plan_members as m where m.plan_id = plan and m.rsvp = 'going'
    )
    update public.plan_members as m set rsvp = 'waitlisted', waitlisted_at = parties.since
      from parties, public.plans as p
      where m.plan_id = plan and m.user_id = parties.user_id and p.id = plan
        and parties.seats > p.capacity and parties.role <> 'host';
    select private.promote_waitlist(plan);
  end;

create or replace function public.set_rsvp(plan uuid, answer public.rsvp_status, plus_ones integer default 0)
  returns public.rsvp_status
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
  before public.plan_members;
  result public.rsvp_status := case when answer = 'waitlisted' then 'going' else answer end;
  party integer := case when answer in ('going', 'waitlisted') then set_rsvp.plus_ones else 0 end;
  taken_by_others integer;
  others_wait boolean;
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
  select * into before from public.plan_members as m where m.plan_id = plan and m.user_id = caller;
  if result = 'going' and this.capacity is not null then
    taken_by_others := private.seats_taken(plan)
      - case when before.rsvp = 'going' then 1 + before.plus_ones else 0 end;
    others_wait := exists (
      select 1 from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' and m.user_id <> caller
        and (before.waitlisted_at is null or m.waitlisted_at < before.waitlisted_at)
    );
    if before.rsvp = 'going' then
      -- Who sits keeps the seat: a party that is too large is refused as a whole.
      if party > before.plus_ones and (taken_by_others + 1 + party > this.capacity or others_wait) then
        perform private.refuse('no_seat_free');
      end if;
    elsif taken_by_others + 1 + party > this.capacity or others_wait then
      result := 'waitlisted';
    end if;
  end if;
  update public.plan_members as m
    set rsvp = result, plus_ones = party,
      -- Not now(), which is when the transaction began: the line is in the order in which the plan was locked.
      waitlisted_at = case when result = 'waitlisted' then coalesce(before.waitlisted_at, clock_timestamp()) end
    where m.plan_id = plan and m.user_id = caller;
  perform private.promote_waitlist(plan);
  return (select m.rsvp from public.plan_members as m where m.plan_id = plan and m.user_id = caller);
end $$;

create or replace function public.confirm_plan(plan uuid, time_option uuid, place_option uuid) returns void
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
  -- Seated before the plan is confirmed: nobody who has to wait is promoted meanwhile.
  update public.plan_members set rsvp = 'going', waitlisted_at = null
    where plan_id = plan and role = 'host';
  perform private.fill_table(plan);
  update public.plans set status = 'confirmed', chosen_time_id = time_option, chosen_place_id = place_option,
    revision = revision + 1 where id = plan;
  perform private.notify_table(plan, 'plan_confirmed');
end $$;
