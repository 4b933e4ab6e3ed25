-- The plan's own address: what it shows to people who are not at the table, and their requests to join.

-- A request that was declined stays, and the person may ask again a few times; taking a seat removes it.
create table private.join_requests (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  asked_at timestamptz not null default now(),
  declined_at timestamptz,
  times_asked smallint not null default 1,
  primary key (plan_id, user_id)
);

create index join_requests_user_idx on private.join_requests (user_id);

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

-- What the plan's address shows to anybody: title, host (first name) and number of people, without the time. `joined`:
-- the caller sits there. `opens`: a name is enough to join. `request`: the caller's own, `asked`, `declined` (they may
-- ask again) or `refused` (they may not); or `removed`.
create function public.preview_plan(plan uuid)
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
        else (select case when r.declined_at is null then 'asked'
            when r.times_asked < private.limit_of('join_requests_per_plan') then 'declined' else 'refused' end
          from private.join_requests as r where r.plan_id = this.id and r.user_id = (select private.caller()))
      end,
      private_host.language
    from public.plans as p
    left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
    left join public.profiles as host on host.id = h.user_id
    left join public.private_profiles as private_host on private_host.id = h.user_id
    where p.id = this.id;
end $$;

-- Asks the hosts for a seat, or takes it where they have opened the plan's link. Answers `joined`, `asked` or `refused`
-- (declined as often as a person may ask). Asking while a request is open changes nothing.
create function public.ask_to_join(plan uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_address(ask_to_join.plan);
  earlier private.join_requests;
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
  select * into earlier from private.join_requests as r where r.plan_id = this.id and r.user_id = caller;
  if found and earlier.declined_at is null then
    return 'asked';
  elsif earlier.times_asked >= private.limit_of('join_requests_per_plan') then
    return 'refused';
  elsif (select count(*) from public.plan_members as m where m.plan_id = this.id) >= private.limit_of('plan_people') then
    perform private.refuse('plan_full');
  elsif not (
    private.count_daily_use('join person ' || caller, private.limit_of('join_requests_per_person'))
    and private.count_daily_use('join network ' || private.network_of_caller(), private.limit_of('join_requests_per_network'))
  ) then
    perform private.refuse('too_many_join_requests');
  elsif (
    select count(*) from private.join_requests as r where r.plan_id = this.id and r.declined_at is null
  ) >= private.limit_of('open_join_requests') then
    perform private.refuse('join_requests_full');
  end if;
  insert into private.join_requests as r (plan_id, user_id) values (this.id, caller)
    on conflict on constraint join_requests_pkey
      do update set asked_at = now(), declined_at = null, times_asked = r.times_asked + 1;
  perform private.notify_hosts(this.id, 'join_asked');
  return 'asked';
end $$;

-- The requests of a plan, the open ones first and the oldest of them first, for its hosts: of each person the name and
-- nothing else.
create function public.join_requests(plan uuid)
  returns table (user_id uuid, display_name text, asked_at timestamptz, declined_at timestamptz)
  language plpgsql stable security definer set search_path = '' as $$
begin
  if not private.is_plan_member(join_requests.plan) then
    perform private.require_caller();
    perform private.refuse('plan_not_found');
  elsif not private.is_plan_host(join_requests.plan) then
    perform private.refuse('not_host');
  end if;
  return query
    select r.user_id, p.display_name, r.asked_at, r.declined_at
    from private.join_requests as r join public.profiles as p on p.id = r.user_id
    where r.plan_id = join_requests.plan order by r.declined_at desc nulls first, r.asked_at, r.user_id;
end $$;

-- Gives the person who asked a seat, or declines. A host who has declined may still give the seat.
create function public.answer_join_request(plan uuid, person uuid, welcome boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform 1 from private.join_requests as r where r.plan_id = this.id and r.user_id = person;
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

grant execute on function public.preview_plan(uuid) to anon, authenticated;
grant execute on function public.ask_to_join(uuid), public.join_requests(uuid),
  public.answer_join_request(uuid, uuid, boolean) to authenticated;
