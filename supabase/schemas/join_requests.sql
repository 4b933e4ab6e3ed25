-- The plan's own address: what it shows to people who are not at the table, and their requests to join.

-- A request that was declined stays, and the person may ask again a few times; taking a seat removes it.
create table private.join_requests (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  asked_at timestamptz not null default now(),
  declined_at timestamptz,
  times_asked smallint not null default 1,
  -- The guest at the table who the person says they are, on a device that they lost; null for a new seat.
  seat_of uuid references public.profiles (id) on delete cascade,
  primary key (plan_id, user_id)
);

create index join_requests_user_idx on private.join_requests (user_id);
create index join_requests_seat_idx on private.join_requests (seat_of);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The plan of an address, unless it is a sample table.
create function private.plan_of_address(plan uuid) returns public.plans
  language plpgsql stable security definer set search_path = '' as $$
declare
  this public.plans;
begin
  select * into this from public.plans as p
    where p.id = plan_of_address.plan and not exists (select 1 from private.sample_plans as s where s.plan_id = p.id);
  if not found then
    perform private.refuse('plan_not_found');
  end if;
  return this;
end $$;

-- What the plan's address shows to anybody: title, host (first name) and number of people who are in, without the time. `joined`:
-- the caller sits there. `opens`: a name is enough to join. `request`: the caller's own, `asked`, `declined` (they may
-- ask again) or `refused` (they may not); or `removed`, or `moved`: another device has the seat that was theirs.
create function public.preview_plan(plan uuid)
  returns table (title text, host_name text, people integer, plan_state text, joined boolean, opens boolean, request text,
    language text)
  language plpgsql stable security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_address(preview_plan.plan);
begin
  return query
    select this.title, split_part(host.display_name, ' ', 1),
      (select count(*)::integer from public.plan_members as m
        where m.plan_id = this.id and m.accepted_at is not null and m.rsvp <> 'declined'),
      private.plan_state(this), private.is_plan_member(this.id), this.joins_by_link,
      case
        when exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = (select private.caller()))
          then 'removed'
        else coalesce((select case when r.declined_at is null then 'asked'
            when r.times_asked < private.limit_of('join_requests_per_plan') then 'declined' else 'refused' end
          from private.join_requests as r where r.plan_id = this.id and r.user_id = (select private.caller())),
          (select 'moved' from public.notifications as n
          where n.plan_id = this.id and n.user_id = (select private.caller()) and n.kind = 'seat_moved' limit 1))
      end,
      private_host.language
    from public.plans as p
    left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
    left join public.profiles as host on host.id = h.user_id
    left join public.private_profiles as private_host on private_host.id = h.user_id
    where p.id = this.id;
end $$;

-- Notes a request to one plan, which the caller has locked. Answers `new`, `asked` or `refused` (declined as often as a
-- person may ask). An open request is not changed: a host may be about to answer it. A person who is `back` says that
-- they sit there already, so a full table is no reason to refuse.
create function private.note_join_request(plan uuid, person uuid, seat_of uuid, back boolean) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  earlier private.join_requests;
begin
  select * into earlier from private.join_requests as r
    where r.plan_id = note_join_request.plan and r.user_id = person;
  if found and earlier.declined_at is null then
    return 'asked';
  elsif earlier.times_asked >= private.limit_of('join_requests_per_plan') then
    return 'refused';
  elsif not note_join_request.back and (
    select count(*) from public.plan_members as m where m.plan_id = note_join_request.plan
  ) >= private.limit_of('plan_people') then
    perform private.refuse('plan_full');
  elsif not (
    private.count_daily_use('join person ' || person, private.limit_of('join_requests_per_person'))
    and private.count_daily_use('join network ' || private.network_of_caller(), private.limit_of('join_requests_per_network'))
  ) then
    perform private.refuse('too_many_join_requests');
  elsif (
    select count(*) from private.join_requests as r where r.plan_id = note_join_request.plan and r.declined_at is null
  ) >= private.limit_of('open_join_requests') then
    perform private.refuse('join_requests_full');
  end if;
  insert into private.join_requests as r (plan_id, user_id, seat_of) values (plan, person, note_join_request.seat_of)
    on conflict on constraint join_requests_pkey
      do update set asked_at = now(), declined_at = null, times_asked = r.times_asked + 1, seat_of = excluded.seat_of;
  return 'new';
end $$;

-- Asks the hosts for a seat, or takes it where they have opened the plan's link. Answers `joined`, `asked` or `refused`
-- (declined as often as a person may ask). Asking while a request is open changes nothing.
create function public.ask_to_join(plan uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_address(ask_to_join.plan);
  noted text;
begin
  -- Requests to one plan are counted one after the other.
  select * into this from public.plans as p where p.id = this.id for no key update;
  if private.is_plan_member(this.id) then
    return 'joined';
  end if;
  perform private.require_open(this);
  if exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = caller) then
    perform private.refuse('removed_before');
  elsif this.joins_by_link then
    insert into public.plan_members (plan_id, user_id) values (this.id, caller);
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      select m.user_id, 'person_joined', this.id, caller from public.plan_members as m
      where m.plan_id = this.id and m.role = 'host';
    return 'joined';
  end if;
  noted := private.note_join_request(this.id, caller, null, false);
  if noted = 'new' then
    perform private.notify_hosts(this.id, 'join_asked');
    return 'asked';
  end if;
  return noted;
end $$;

create function private.people_named(plan uuid, name text) returns setof public.profiles
  language sql stable security definer set search_path = ''
  begin atomic
    select p.* from public.plan_members as m join public.profiles as p on p.id = m.user_id
    where m.plan_id = people_named.plan and lower(p.display_name) = lower(btrim(people_named.name));
  end;

-- The person of that name at the table of an invite, or of a plan whose hosts have opened its link: `guest`, `account`, or
-- `several`, and the name as it is written there; no row for nobody. Says no more than joining would, and is limited by
-- network and day, so that nobody guesses the table.
create function public.namesake(name text, token text default null, plan uuid default null)
  returns table (kind text, called text)
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans;
begin
  if token is not null then
    plan := (private.usable_invite(namesake.token)).plan_id;
  else
    this := private.plan_of_address(namesake.plan);
    perform private.require_open(this);
    if not this.joins_by_link then
      return;
    end if;
  end if;
  if plan is not null and not private.count_daily_use(
    'names ' || namesake.plan || ' network ' || private.network_of_caller(), private.limit_of('names_per_network')
  ) then
    perform private.refuse('too_many_names');
  end if;
  return query
    select case when count(*) > 1 then 'several' when bool_and(p.is_guest) then 'guest' else 'account' end, min(p.display_name)
    from private.people_named(namesake.plan, namesake.name) as p having count(*) > 0;
end $$;

-- A guest who lost their device asks for the seat of the guest with their name, at the plan of an invite or by the plan's
-- own address. Answers the plan, whose address shows what becomes of the request. Where the hosts have not opened that
-- address, the name of nobody makes a request to join like any other, so that the answer tells nothing about the table.
create function public.ask_for_seat(token text default null, plan uuid default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans;
  theirs uuid;
begin
  if token is not null then
    plan := (private.usable_invite(ask_for_seat.token)).plan_id;
  else
    plan := (private.plan_of_address(ask_for_seat.plan)).id;
  end if;
  if not private.is_guest() then
    perform private.refuse('not_a_guest');
  end if;
  select * into this from public.plans as p where p.id = ask_for_seat.plan for no key update;
  if not found then
    perform private.refuse('plan_not_found');
  elsif private.is_plan_member(this.id) then
    return this.id;
  elsif exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = caller) then
    perform private.refuse('removed_before');
  end if;
  perform private.require_open(this);
  select min(p.id::text)::uuid into theirs
    from private.people_named(this.id, (select own.display_name from public.profiles as own where own.id = caller)) as p
    having count(*) = 1 and bool_and(p.is_guest);
  if theirs is null and (token is not null or this.joins_by_link) then
    perform private.refuse('person_not_found');
  elsif private.note_join_request(this.id, caller, theirs, true) = 'new' then
    insert into public.notifications (user_id, kind, plan_id) select theirs, 'seat_asked', this.id where theirs is not null;
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      select m.user_id, 'join_asked', this.id, caller from public.plan_members as m
      where m.plan_id = this.id and m.role in ('host', 'cohost') and m.user_id is distinct from theirs;
  end if;
  return this.id;
end $$;

-- The requests of a plan, the open ones first and the oldest of them first, for its hosts: of each person the name and
-- nothing else. Other people at the table get the open requests for their own seat.
create function public.join_requests(plan uuid)
  returns table (user_id uuid, display_name text, asked_at timestamptz, declined_at timestamptz, seat_of uuid, seat_name text)
  language sql stable security definer set search_path = ''
  begin atomic
    select r.user_id, p.display_name, r.asked_at, r.declined_at, r.seat_of, theirs.display_name
    from private.join_requests as r
    join public.profiles as p on p.id = r.user_id
    left join public.profiles as theirs on theirs.id = r.seat_of
    where r.plan_id = join_requests.plan and (
      r.seat_of = (select private.require_caller()) and r.declined_at is null and private.is_plan_member(join_requests.plan)
      or private.is_plan_host(join_requests.plan))
    order by r.declined_at desc nulls first, r.asked_at, r.user_id;
  end;

-- Gives the person who asked a seat, or declines. A host who has declined may still give the seat.
create function public.answer_join_request(plan uuid, person uuid, welcome boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform 1 from private.join_requests as r where r.plan_id = this.id and r.user_id = person and r.seat_of is null;
  if not found then
    perform private.refuse('person_not_found');
  elsif not welcome then
    update private.join_requests as r set declined_at = coalesce(r.declined_at, now())
      where r.plan_id = this.id and r.user_id = person;
    return;
  end if;
  perform private.require_open(this);
  -- The person has asked, so they take part in the plan from now on.
  insert into public.plan_members (plan_id, user_id, accepted_at) values (this.id, person, now());
  insert into public.notifications (user_id, kind, plan_id, actor_id) values (person, 'plan_invited', this.id, caller);
end $$;

-- Moves the seat of a guest at this plan to the device that asked for it, or declines: by the guest on the old device, or by
-- a host; a host's or cohost's seat only by whom may give that role. `seat_of` is whose seat the caller has seen asked for.
-- Starting point, address, other plans and profile stay with the old device.
create function public.answer_seat_request(plan uuid, person uuid, seat_of uuid, allow boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, seat_of is distinct from (select private.caller()));
  theirs public.plan_members;
begin
  perform 1 from private.join_requests as r
    where r.plan_id = this.id and r.user_id = person and r.seat_of = answer_seat_request.seat_of;
  if not found then
    perform private.refuse('person_not_found');
  elsif not allow then
    update private.join_requests as r set declined_at = coalesce(r.declined_at, now())
      where r.plan_id = this.id and r.user_id = person;
    return;
  end if;
  perform private.require_open(this);
  select m.* into theirs from public.plan_members as m
    join public.profiles as p on p.id = m.user_id and p.is_guest
    where m.plan_id = this.id and m.user_id = answer_seat_request.seat_of;
  if not found then
    perform private.refuse('person_not_found');
  elsif theirs.role <> 'guest' and theirs.user_id <> caller and (theirs.role = 'host' or not exists (
    select 1 from public.plan_members as m where m.plan_id = this.id and m.user_id = caller and m.role = 'host'
  )) then
    perform private.refuse('not_main_host');
  end if;
  delete from private.left_addresses as l where l.plan_id = this.id and l.user_id = theirs.user_id;
  delete from private.outgoing_push as o where o.plan_id = this.id and o.user_id = theirs.user_id;
  update public.plan_members as m set user_id = person where m.plan_id = this.id and m.user_id = theirs.user_id;
  delete from private.join_requests as r where r.plan_id = this.id and r.user_id = person;
  insert into public.notifications (user_id, kind, plan_id, actor_id)
    values (person, 'plan_invited', this.id, caller), (theirs.user_id, 'seat_moved', this.id, null);
end $$;

create function private.end_join_request() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from private.join_requests as r where r.plan_id = new.plan_id and r.user_id = new.user_id;
  return null;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger end_join_request after insert on public.plan_members
  for each row execute function private.end_join_request();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.preview_plan(uuid), public.namesake(text, text, uuid) to anon, authenticated;
grant execute on function public.ask_to_join(uuid), public.ask_for_seat(text, uuid), public.join_requests(uuid),
  public.answer_join_request(uuid, uuid, boolean), public.answer_seat_request(uuid, uuid, uuid, boolean) to authenticated;
