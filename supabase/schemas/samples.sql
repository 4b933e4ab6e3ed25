-- A table to try Nosh at, one for each visitor, on any backend, without a seed. Its made-up people are in
-- rows/sample_people.sql.

-- Which plans are only there to be tried, and whose.
create table private.sample_plans (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  person uuid not null unique references public.profiles (id) on delete cascade,
  made_at timestamptz not null default now()
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A table for the caller to try Nosh at: they host it, four made-up people have voted. The same one until it is gone.
-- `title` and `note` are in the caller's language. Where the backend knows places of everybody's, three of them are on
-- it.
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
    select new_plan, p.id, made_up[1] from public.places as p
    where p.everybody order by p.created_at, p.id limit 3;
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

-- A table to try goes with its visitor.
create function private.remove_sample_plan() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not private.has_real_guests(old.plan_id, old.person) then
    delete from public.plans as p where p.id = old.plan_id;
  end if;
  return old;
end $$;

-- Clears tables that were tried long enough. One at which real people sit too is kept, as a plan like others.
create function private.clear_sample_plans() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  delete from private.sample_plans as s
    where s.made_at < now() - make_interval(days => private.limit_of('sample_plan_days'));
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger remove_sample_plan after delete on private.sample_plans
  for each row execute function private.remove_sample_plan();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.start_sample_plan(text, text, text, text) to authenticated;
