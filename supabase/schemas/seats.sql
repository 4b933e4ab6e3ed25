-- Seats of a plan: a seated person keeps the seat, nobody overtakes the line, and confirming fills no more seats
-- than there are. Only the host gives roles.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.seats_taken(plan uuid) returns integer
  language sql stable security definer set search_path = ''
  return (
    select coalesce(sum(who.seats), 0)::integer from private.plan_people(plan) as who
  );

-- Seats people from the waitlist in order while they fit, at a decided plan that is not over. A party that does not fit
-- holds the line: those behind it do not overtake.
create function private.promote_waitlist(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans;
  next public.plan_members;
begin
  select * into this from public.plans as p where p.id = plan;
  if not found or private.plan_state(this) <> 'confirmed' then
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

create function private.promote_after_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'plans' then
    perform private.promote_waitlist(new.id);
  else
    perform private.promote_waitlist(old.plan_id);
  end if;
  return null;
end $$;

-- Fills the table of a plan that was just decided: the host's party, then the others who are expected in the order of
-- their first yes, as many as fit. From the first party that does not fit on, all wait, before those who waited
-- already.
create function private.fill_table(plan uuid) returns void
  language sql security definer set search_path = ''
  begin atomic
    with parties as (
      select who.user_id, who.role, who.since,
        sum(who.seats) over (order by who.role = 'host' desc, who.since, who.user_id) as seats
      from private.plan_people(plan) as who where who.seats > 0
    )
    update public.plan_members as m set rsvp = 'waitlisted', waitlisted_at = parties.since
      from parties, public.plans as p
      where m.plan_id = plan and m.user_id = parties.user_id and p.id = plan
        and parties.seats > p.capacity and parties.role <> 'host';
    select private.promote_waitlist(plan);
  end;

create function private.note_rsvp() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- Not now(), which is when the transaction began: the order is the one in which the plan was locked.
  new.rsvp_at := clock_timestamp();
  return new;
end $$;

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

-- Whether anybody but its visitor and made-up people sits at a table to try.
create function private.has_real_guests(plan uuid, visitor uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
    select exists (
      select 1 from public.plan_members as m
      where m.plan_id = has_real_guests.plan and m.user_id <> visitor
        and m.user_id::text not like '00000000-0000-4000-8000-5a3b1e%'
    )
  $$;

-- Answers "are you coming": going, maybe, declined or pending. Returns what it became, which is `waitlisted`
-- when the table is full.
create function public.set_rsvp(plan uuid, answer public.rsvp_status, plus_ones integer default 0)
  returns public.rsvp_status
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
  before public.plan_members;
  result public.rsvp_status := case when answer = 'waitlisted' then 'going' else answer end;
  party integer := case when answer in ('going', 'waitlisted') then set_rsvp.plus_ones else 0 end;
  own_seats integer := (select who.seats from private.plan_people(plan) as who where who.user_id = caller);
  taken_by_others integer;
  others_wait boolean;
begin
  perform private.require_open(this);
  select * into before from public.plan_members as m where m.plan_id = plan and m.user_id = caller;
  -- Seats are given when the plan is decided.
  if result = 'going' and this.status = 'confirmed' and this.capacity is not null then
    taken_by_others := private.seats_taken(plan) - own_seats;
    others_wait := exists (
      select 1 from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' and m.user_id <> caller
        and (before.waitlisted_at is null or m.waitlisted_at < before.waitlisted_at)
    );
    if own_seats > 0 then
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
  -- Who does not come is not on the way either.
  delete from public.arrivals as a where result = 'declined' and a.plan_id = set_rsvp.plan and a.user_id = caller;
  if this.status = 'confirmed' and result = 'declined' and before.rsvp not in ('declined', 'waitlisted') then
    perform private.notify_hosts(plan, 'not_coming');
  end if;
  perform private.promote_waitlist(plan);
  return (select m.rsvp from public.plan_members as m where m.plan_id = plan and m.user_id = caller);
end $$;

-- Makes someone cohost or guest again; with `host` the caller hands the plan over. Only the host does, except that
-- a cohost may step down.
create function public.set_member_role(plan uuid, person uuid, role public.plan_role) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  mine public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = caller);
  theirs public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = person);
begin
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif mine <> 'host' and not (person = caller and set_member_role.role = 'guest') then
    perform private.refuse('not_main_host');
  elsif theirs = 'host' and set_member_role.role <> 'host' then
    perform private.refuse('host_cannot_leave');
  elsif theirs = 'host' then
    return;
  elsif set_member_role.role = 'host' then
    if (select p.is_guest from public.profiles as p where p.id = person) then
      perform private.refuse('needs_account');
    end if;
    update public.plan_members as m set role = 'cohost' where m.plan_id = plan and m.user_id = caller;
  end if;
  update public.plan_members as m set role = set_member_role.role where m.plan_id = plan and m.user_id = person;
end $$;

create function public.set_member_required(plan uuid, person uuid, required boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  update public.plan_members as m set required = set_member_required.required
    where m.plan_id = this.id and m.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
  end if;
end $$;

-- Takes someone off the table; oneself, or, as a host, another.
create function public.remove_member(plan uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, person is distinct from caller);
  mine public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = caller);
  theirs public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = person);
  answer public.rsvp_status;
begin
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'host' then
    perform private.refuse('host_cannot_leave');
  elsif theirs = 'cohost' and person <> caller and mine <> 'host' then
    perform private.refuse('not_main_host');
  end if;
  delete from public.plan_members as m where m.plan_id = plan and m.user_id = person returning m.rsvp into answer;
  if person <> caller then
    insert into private.removals (plan_id, user_id) values (plan, person)
      on conflict (plan_id, user_id) do update set removed_at = clock_timestamp();
  elsif private.plan_state(this) = 'confirmed' and answer not in ('declined', 'waitlisted') then
    perform private.notify_hosts(plan, 'not_coming');
  end if;
end $$;

-- A table or circle must not lose the one who looks after it: before a person goes, another takes over. Runs
-- however the person goes, an administrator's deletion included.
create function private.hand_over() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  hosted record;
  owned record;
  successor uuid;
begin
  for hosted in
    select p.id, private.plan_state(p) as state from public.plans as p
    join public.plan_members as m on m.plan_id = p.id and m.user_id = old.id and m.role = 'host'
  loop
    select m.user_id into successor from public.plan_members as m
      join public.profiles as who on who.id = m.user_id and not who.is_guest
      where m.plan_id = hosted.id and m.user_id <> old.id
      order by m.role = 'cohost' desc, exists (
        select 1 from private.plan_people(hosted.id) as person where person.user_id = m.user_id and person.seats > 0
      ) desc, m.joined_at limit 1;
    update public.plan_members as m set role = 'guest' where m.plan_id = hosted.id and m.user_id = old.id;
    if successor is not null then
      update public.plan_members as m set role = 'host' where m.plan_id = hosted.id and m.user_id = successor;
    elsif not exists (select from public.plan_members as m where m.plan_id = hosted.id and m.user_id <> old.id) then
      delete from public.plans where id = hosted.id;
    elsif hosted.state in ('polling', 'confirmed') then
      -- Only guests are left, and nobody who could confirm or change anything.
      update public.plans set status = 'cancelled', revision = revision + 1 where id = hosted.id;
    end if;
  end loop;
  for owned in
    select m.circle_id from public.circle_members as m where m.user_id = old.id and m.role = 'owner'
  loop
    select m.user_id into successor from public.circle_members as m
      where m.circle_id = owned.circle_id and m.user_id <> old.id
      order by m.role = 'admin' desc, m.joined_at limit 1;
    if successor is null then
      delete from public.circles where id = owned.circle_id;
    else
      update public.circle_members as m set role = 'member'
        where m.circle_id = owned.circle_id and m.user_id = old.id;
      update public.circle_members as m set role = 'owner'
        where m.circle_id = owned.circle_id and m.user_id = successor;
    end if;
  end loop;
  return old;
end $$;

-- By what the caller hears of a plan.
create function public.plan_reach(plan uuid) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  end if;
  return private.reach(plan, caller);
end $$;

-- Of the caller's plan, for hosts, and only the ids: not why.
create function public.plan_unreachable(plan uuid) returns setof uuid
  language plpgsql stable security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  elsif not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  end if;
  return query select other.id from private.unreached(plan) as other (id) where other.id <> caller;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger promote_on_leave after delete on public.plan_members
  for each row when (old.rsvp <> 'declined') execute function private.promote_after_change();
create trigger hand_over before delete on public.profiles
  for each row execute function private.hand_over();
create trigger note_rsvp before update of rsvp on public.plan_members
  for each row when (new.rsvp is distinct from old.rsvp) execute function private.note_rsvp();
-- A plan that comes back may have seats that became free while it was cancelled.
create trigger promote_on_capacity after update of capacity, status on public.plans
  for each row when ((new.capacity, new.status) is distinct from (old.capacity, old.status))
  execute function private.promote_after_change();
create trigger note_accepted before insert or update on public.plan_members
  for each row execute function private.note_accepted();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.set_rsvp(uuid, public.rsvp_status, integer),
  public.set_member_role(uuid, uuid, public.plan_role), public.set_member_required(uuid, uuid, boolean),
  public.remove_member(uuid, uuid), public.plan_unreachable(uuid), public.plan_reach(uuid) to authenticated;
