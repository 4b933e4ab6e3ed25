-- Policies choose rows by arrays that are made once a statement. With `in (select f())` the planner takes a set of
-- unknown size for a large one, and joins it with the whole table.

-- Whose votes of others one may see: of one's own plans, all but those that hide results until one has voted.
create or replace function private.open_result_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id
    from public.plan_members as m join public.plans as p on p.id = m.plan_id
    where m.user_id = (select private.caller())
      and (
        not p.results_hidden
        or p.status <> 'polling'
        or exists (select 1 from public.time_votes as v where v.plan_id = p.id and v.user_id = m.user_id)
        or exists (select 1 from public.place_votes as v where v.plan_id = p.id and v.user_id = m.user_id)
      );
  end;

create or replace function private.known_people() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select other.user_id
    from public.plan_members as mine join public.plan_members as other on other.plan_id = mine.plan_id
    where mine.user_id = (select private.caller())
    union
    select other.user_id
    from public.circle_members as mine join public.circle_members as other on other.circle_id = mine.circle_id
    where mine.user_id = (select private.caller());
  end;

create or replace function private.invitable_people() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select other.user_id
    from public.plan_members as mine join public.plan_members as other on other.plan_id = mine.plan_id
    where mine.user_id = (select private.caller()) and other.accepted_at is not null
    union
    select other.user_id
    from public.circle_members as mine join public.circle_members as other on other.circle_id = mine.circle_id
    where mine.user_id = (select private.caller());
  end;

-- Those of one's plans that are being voted on.
create function private.my_polling_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id from public.plan_members as m join public.plans as p on p.id = m.plan_id
    where m.user_id = (select private.caller()) and p.status = 'polling';
  end;

grant execute on function private.my_polling_plan_ids() to authenticated, service_role;

-- One sits at a few dozen plans; the planner would guess a thousand.
alter function private.my_plan_ids() rows 20;
alter function private.my_hosted_plan_ids() rows 20;
alter function private.open_result_plan_ids() rows 20;
alter function private.known_people() rows 50;

alter policy "times are withdrawn by proposer or host" on public.time_options using (
  plan_id in (select private.my_polling_plan_ids())
  and (plan_id in (select private.my_hosted_plan_ids()) or proposed_by = (select private.caller()))
);
alter policy "places are withdrawn by proposer or host" on public.place_options using (
  plan_id in (select private.my_polling_plan_ids())
  and (plan_id in (select private.my_hosted_plan_ids()) or proposed_by = (select private.caller()))
);

do $rewrite$
declare
  path text := current_setting('search_path');
  made record;
  body text;
  -- As Postgres prints `in (select private.my_plan_ids())`.
  pattern text := 'IN \( SELECT private\.(\w+)\(\) AS \w+\)';
begin
  perform set_config('search_path', '', true);
  for made in
    select p.schemaname, p.tablename, p.policyname, p.qual, p.with_check from pg_catalog.pg_policies as p
    where p.schemaname in ('public', 'storage', 'realtime') and concat(p.qual, p.with_check) ~ pattern
  loop
    body := format('alter policy %I on %I.%I', made.policyname, made.schemaname, made.tablename);
    if made.qual is not null then
      body := body || ' using ('
        || regexp_replace(made.qual, pattern, '= any (array(select private.\1()))', 'g') || ')';
    end if;
    if made.with_check is not null then
      body := body || ' with check ('
        || regexp_replace(made.with_check, pattern, '= any (array(select private.\1()))', 'g') || ')';
    end if;
    execute body;
  end loop;
  perform set_config('search_path', path, true);
end $rewrite$;
