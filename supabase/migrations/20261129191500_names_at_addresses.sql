-- The question "Is that you?" says a name as it is written at the table, and stands at a plan's own address, too, where its
-- hosts have opened it. At an address that is not open a guest may say that they were there before.

drop function public.namesake(text, text);
drop function public.ask_for_seat(text);
drop function private.note_join_request(uuid, uuid, uuid);

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

create or replace function public.ask_to_join(plan uuid) returns text
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

grant execute on function public.namesake(text, text, uuid) to anon, authenticated;
grant execute on function public.ask_for_seat(text, uuid) to authenticated;
