-- Any host may invite, with an account or without; plans of guests are limited for a network.
create or replace function public.create_invite(plan uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  end if;
  return query select * from private.new_invite(plan, null, create_invite.days, create_invite.uses);
end $$;

create or replace function public.create_plan(
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
  place_names text[] default '{}'
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  account_age interval;
  entry jsonb;
  place uuid;
  named text;
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
  foreach named in array place_names loop
    perform private.add_named_place(new_plan, named);
  end loop;
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $$;

insert into private.limits (name, value, reason) values
  ('guest_plans_per_network', 20, 'A whole table may sit in one room; new guests from there do not count anew.');
