-- Hosting without an account: a guest may start a few plans and invite people by link. And a table to try Nosh at, one
-- for each visitor, on any backend, without a seed.

insert into private.limits (name, value, reason) values
  ('guest_plans', 3, 'Enough to host a dinner or two; more plans want an address that their host can be reached at.'),
  ('sample_plan_days', 14, 'As long as an invite link; a visitor who comes back later gets a new table.');

insert into private.errors (code, status, message, hint) values
  ('too_many_guest_plans', 409, 'Without an account you can host three plans at a time.',
   'Add an email address under Me, or cancel a plan.');

-- Which plans are only there to be tried, and whose.
create table private.sample_plans (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  person uuid not null unique references public.profiles (id) on delete cascade,
  made_at timestamptz not null default now()
);

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
  results_hidden boolean default false
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
  end if;
  if account_age < make_interval(days => private.limit_of('new_account_days')) and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and p.created_at > now() - interval '1 day'
  ) >= private.limit_of('plans_per_day') then
    perform private.refuse('too_many_plans');
  end if;

  insert into public.plans
    (circle_id, title, note, time_zone, vote_deadline, capacity, guests_may_propose, results_hidden)
  values
    (circle, private.trimmed(create_plan.title), private.trimmed(create_plan.note), create_plan.time_zone,
     create_plan.vote_deadline, create_plan.capacity, create_plan.guests_may_propose, create_plan.results_hidden)
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
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $$;

-- A link into a plan. The token is in the answer and nowhere else. `days` and `uses` are cut to the limits. A guest may
-- make one for a plan of their own, not as a cohost of somebody else's.
create or replace function public.create_invite(plan uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  if private.is_guest() and not exists (
    select 1 from public.plan_members as m
    where m.plan_id = create_invite.plan and m.user_id = caller and m.role = 'host'
  ) then
    perform private.refuse('needs_account');
  elsif this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  end if;
  return query select * from private.new_invite(plan, null, create_invite.days, create_invite.uses);
end $$;

-- The made-up people of the tables to try. Nobody can sign in as them: they have neither address nor password.
insert into auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', person.id::uuid, 'authenticated', 'authenticated', '{}',
  jsonb_build_object('display_name', person.name), now(), now()
from (values
  ('00000000-0000-4000-8000-5a3b1e000001', 'Mia (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000002', 'Jonas (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000003', 'Priya (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000004', 'Tomás (sample)')
) as person (id, name)
on conflict (id) do nothing;
-- Guests, so that no plan is ever handed over to one of them.
update public.profiles set is_guest = true where id::text like '00000000-0000-4000-8000-5a3b1e%';
update public.profiles set diets = '{vegetarian}' where id = '00000000-0000-4000-8000-5a3b1e000003';

-- Whether anybody but its visitor and made-up people sits at a table to try.
create function private.has_real_guests(plan uuid, visitor uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
    select exists (
      select 1 from public.plan_members as m
      where m.plan_id = has_real_guests.plan and m.user_id <> visitor
        and m.user_id::text not like '00000000-0000-4000-8000-5a3b1e%'
    )
  $$;
revoke execute on function private.has_real_guests(uuid, uuid) from public, anon, authenticated;

-- A table to try goes with its visitor.
create function private.remove_sample_plan() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not private.has_real_guests(old.plan_id, old.person) then
    delete from public.plans as p where p.id = old.plan_id;
  end if;
  return old;
end $$;
revoke execute on function private.remove_sample_plan() from public, anon, authenticated;
create trigger remove_sample_plan after delete on private.sample_plans
  for each row execute function private.remove_sample_plan();

-- A table for the caller to try Nosh at: they host it, four made-up people have voted. The same one until it is gone.
-- `title` and `note` are in the caller's language. Where the backend knows places, three of them are on it.
create function public.start_sample_plan(title text, note text, hello text, time_zone text default 'UTC') returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  made_up constant uuid[] := array[
    '00000000-0000-4000-8000-5a3b1e000001', '00000000-0000-4000-8000-5a3b1e000002',
    '00000000-0000-4000-8000-5a3b1e000003', '00000000-0000-4000-8000-5a3b1e000004'
  ];
  day date;
  evening timestamptz;
begin
  -- Two clicks at once get one table.
  perform 1 from public.profiles as p where p.id = caller for update;
  select s.plan_id into new_plan from private.sample_plans as s where s.person = caller;
  if new_plan is not null then
    return new_plan;
  end if;

  insert into public.plans (title, note, time_zone, vote_deadline)
    values (private.trimmed(start_sample_plan.title), private.trimmed(start_sample_plan.note),
      start_sample_plan.time_zone, now() + interval '3 days')
    returning id into new_plan;
  insert into private.sample_plans (plan_id, person) values (new_plan, caller);
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, caller, 'host');
  insert into public.plan_members (plan_id, user_id) select new_plan, person from unnest(made_up) as person;
  -- The next three evenings that are at least four days away.
  for ahead in 4..6 loop
    day := (now() at time zone start_sample_plan.time_zone)::date + ahead;
    evening := (day + time '19:30') at time zone start_sample_plan.time_zone;
    perform private.add_time(new_plan, evening, evening + interval '2 hours');
  end loop;
  insert into public.place_options (plan_id, place_id, proposed_by)
    select new_plan, p.id, made_up[1] from public.places as p order by p.created_at, p.id limit 3;
  -- The first evening suits most, the second everybody if need be, the third half of them.
  insert into public.time_votes (option_id, plan_id, user_id, answer)
  select o.id, new_plan, person.id,
    (array['yes', 'yes', 'yes', 'if_need_be', 'if_need_be', 'yes', 'if_need_be', 'yes', 'no', 'yes', 'yes', 'no']
      )[(o.at - 1) * 4 + person.at]::public.vote_answer
  from (select t.id, row_number() over (order by t.starts_at) as at from public.time_options as t where t.plan_id = new_plan) as o
  cross join unnest(made_up) with ordinality as person (id, at);
  insert into public.place_votes (option_id, plan_id, user_id, answer)
  select o.id, new_plan, person.id,
    (array['yes', 'if_need_be', 'yes', 'yes', 'no', 'yes', 'yes', 'if_need_be', 'if_need_be', 'yes', 'no', 'yes']
      )[(o.at - 1) * 4 + person.at]::public.vote_answer
  from (select p.id, row_number() over (order by p.id) as at from public.place_options as p where p.plan_id = new_plan) as o
  cross join unnest(made_up) with ordinality as person (id, at);
  insert into public.messages (plan_id, author_id, client_id, body)
    values (new_plan, made_up[1], gen_random_uuid(), private.trimmed(start_sample_plan.hello));
  return new_plan;
end $$;
revoke execute on function public.start_sample_plan(text, text, text, text) from public, anon;
grant execute on function public.start_sample_plan(text, text, text, text) to authenticated;

-- Clears tables that were tried long enough. One at which real people sit too is kept, as a plan like others.
create function private.clear_sample_plans() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  delete from private.sample_plans as s
    where s.made_at < now() - make_interval(days => private.limit_of('sample_plan_days'));
end $$;
revoke execute on function private.clear_sample_plans() from public, anon, authenticated;
select cron.schedule('sample-plans', '17 4 * * *', 'select private.clear_sample_plans()');
