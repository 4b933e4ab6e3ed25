-- A guest who lost their device asks for their seat at a plan, and the old device or a host moves it.

alter table private.join_requests add column seat_of uuid;
-- lint: allow lock: the column is new and empty
alter table private.join_requests add constraint join_requests_seat_of_fkey
  foreign key (seat_of) references public.profiles (id) on delete cascade;
-- lint: allow lock: the table has the open requests of the plans of these weeks
create index join_requests_seat_idx on private.join_requests (seat_of);

create function private.note_join_request(plan uuid, person uuid, seat_of uuid) returns text
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
  elsif seat_of is null and (
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
  noted := private.note_join_request(this.id, caller, null);
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

create function public.namesake(token text, name text) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  invite public.invites := private.usable_invite(namesake.token);
begin
  return (
    select case when count(*) > 1 then 'several' when bool_and(p.is_guest) then 'guest' when count(*) = 1 then 'account' end
    from private.people_named(invite.plan_id, namesake.name) as p);
end $$;

create function public.ask_for_seat(token text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  invite public.invites := private.usable_invite(ask_for_seat.token);
  this public.plans;
  theirs uuid;
begin
  if not private.is_guest() then
    perform private.refuse('not_a_guest');
  end if;
  select * into this from public.plans as p where p.id = invite.plan_id for no key update;
  if not found then
    perform private.refuse('plan_not_found');
  elsif private.is_plan_member(this.id) then
    return this.id;
  end if;
  perform private.require_open(this);
  select min(p.id::text)::uuid into theirs
    from private.people_named(this.id, (select own.display_name from public.profiles as own where own.id = caller)) as p
    having count(*) = 1 and bool_and(p.is_guest);
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif private.note_join_request(this.id, caller, theirs) = 'new' then
    insert into public.notifications (user_id, kind, plan_id) values (theirs, 'seat_asked', this.id);
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      select m.user_id, 'join_asked', this.id, caller from public.plan_members as m
      where m.plan_id = this.id and m.role in ('host', 'cohost') and m.user_id <> theirs;
  end if;
  return this.id;
end $$;

drop function public.join_requests(uuid);
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

create or replace function public.answer_join_request(plan uuid, person uuid, welcome boolean) returns void
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

create or replace function public.preview_plan(plan uuid)
  returns table (title text, host_name text, people integer, plan_state text, joined boolean, opens boolean, request text,
    language text)
  language plpgsql stable security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_address(preview_plan.plan);
begin
  return query
    select this.title, split_part(host.display_name, ' ', 1),
      (select count(*)::integer from public.plan_members as m where m.plan_id = this.id),
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

grant execute on function public.namesake(text, text) to anon, authenticated;
grant execute on function public.ask_for_seat(text), public.join_requests(uuid),
  public.answer_seat_request(uuid, uuid, uuid, boolean) to authenticated;
