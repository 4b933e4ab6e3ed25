-- Plans that decide themselves: after the deadline the best pair of the ranking is proposed, everybody may object
-- for some hours, then it is confirmed as if the host had chosen it. The ranking is the module of the functions;
-- the database says which plans are due, checks what was ranked, and keeps the one window for objections.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.is_to_decide(plan public.plans) returns boolean
  language sql stable set search_path = ''
  return plan.decides_itself and plan.status = 'polling' and plan.vote_deadline <= now()
    and plan.decided_deadline is distinct from plan.vote_deadline;

-- The plan, locked, if it is still to be decided and is as it was when it was ranked; null otherwise.
create function private.plan_to_decide(plan uuid, deadline timestamptz, revision integer) returns public.plans
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans;
begin
  select * into this from public.plans as p where p.id = plan for no key update;
  if not found or not private.is_to_decide(this) or this.vote_deadline <> deadline or not exists (
    select 1 from public.plan_channels as c where c.plan_id = plan and c.revision = plan_to_decide.revision
  ) then
    return null;
  end if;
  return this;
end $$;

-- The plans whose deadline has passed, with all that the ranking reads, as their host may read it (the shape of
-- functions/_shared/ranking/plan_rows.ts). `revision` names the state that was read.
create function public.plans_to_decide() returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
declare
  this public.plans;
  host uuid;
  trips jsonb;
  all_plans jsonb := '[]';
  claims text := coalesce(current_setting('request.jwt.claims', true), '');
begin
  for this in
    select p.* from public.plans as p where private.is_to_decide(p)
    order by p.vote_deadline, p.id limit private.limit_of('plans_decided_at_once')
  loop
    select m.user_id into host from public.plan_members as m where m.plan_id = this.id and m.role = 'host';
    -- Trips as the host sees them.
    perform set_config('request.jwt.claims',
      jsonb_build_object('sub', host, 'role', 'authenticated', 'aal', 'aal2')::text, true);
    select coalesce(jsonb_agg(to_jsonb(t)), '[]') into trips from public.plan_trips(this.id) as t;
    perform set_config('request.jwt.claims', claims, true);
    all_plans := all_plans || jsonb_build_object(
      'deadline', this.vote_deadline,
      'revision', (select c.revision from public.plan_channels as c where c.plan_id = this.id),
      'from', now() + make_interval(
        hours => private.limit_of('veto_ends_hours'), mins => private.limit_of('veto_least_minutes')),
      'trips', trips,
      'ratings', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', r.plan_id, 'place_id', r.place_id, 'user_id', r.user_id, 'stars', r.stars,
          'created_at', r.created_at, 'ate', r.ate, 'lacked', r.lacked, 'eaten_at', r.eaten_at)), '[]')
        from public.ratings as r
        join public.plan_members as seen on seen.plan_id = r.plan_id and seen.user_id = host
        where r.place_id in (select o.place_id from public.place_options as o where o.plan_id = this.id)
      ),
      'photos', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', f.plan_id, 'place_id', f.place_id, 'author_id', f.author_id, 'photos', f.photos)), '[]')
        from public.place_photos as f
        join public.plan_members as seen on seen.plan_id = f.plan_id and seen.user_id = host
        where f.place_id in (select o.place_id from public.place_options as o where o.plan_id = this.id)
      ),
      'rows', jsonb_build_object(
        'id', this.id,
        'plan_members', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'user_id', m.user_id, 'rsvp', m.rsvp, 'required', m.required,
            'profiles', jsonb_build_object(
              'display_name', who.display_name, 'diets', who.diets, 'diets_known', who.diets_known, 'budget', who.budget))
            order by m.joined_at, m.user_id), '[]')
          from public.plan_members as m join public.profiles as who on who.id = m.user_id
          where m.plan_id = this.id
        ),
        'time_options', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'id', o.id, 'starts_at', o.starts_at, 'ends_at', o.ends_at, 'time_votes', (
              select coalesce(jsonb_agg(jsonb_build_object('user_id', v.user_id, 'answer', v.answer)), '[]')
              from public.time_votes as v where v.option_id = o.id)) order by o.starts_at, o.id), '[]')
          from public.time_options as o where o.plan_id = this.id
        ),
        'place_options', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'id', o.id, 'place_id', o.place_id, 'place_votes', (
              select coalesce(jsonb_agg(jsonb_build_object('user_id', v.user_id, 'answer', v.answer)), '[]')
              from public.place_votes as v where v.option_id = o.id),
            'places', jsonb_build_object(
              'id', k.id, 'name', k.name, 'safe_diets', k.safe_diets, 'price', k.price, 'time_zone', k.time_zone,
              'place_hours', (
                select coalesce(jsonb_agg(jsonb_build_object(
                  'weekday', h.weekday, 'opens', h.opens, 'closes', h.closes)), '[]')
                from public.place_hours as h where h.place_id = k.id))) order by o.created_at, o.id), '[]')
          from public.place_options as o join public.places as k on k.id = o.place_id where o.plan_id = this.id
        )
      )
    );
  end loop;
  return all_plans;
end $$;

-- Proposes a pair, if the plan is as it was when it was ranked and the pair can still be chosen without naming
-- anybody; a time alone only for a plan without any place. False changes nothing: the next run ranks again.
create function public.propose_choice(
  plan uuid, deadline timestamptz, revision integer, time_option uuid, place_option uuid default null
) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_to_decide(plan, deadline, revision);
  meal public.time_options;
  place uuid;
begin
  if this.id is null then
    return false;
  end if;
  select * into meal from public.time_options as o where o.id = time_option and o.plan_id = plan;
  select o.place_id into place from public.place_options as o where o.id = place_option and o.plan_id = plan;
  if meal.id is null
    or place is null and (
      place_option is not null or exists (select 1 from public.place_options as o where o.plan_id = propose_choice.plan))
    or meal.starts_at - make_interval(
      hours => private.limit_of('veto_ends_hours'), mins => private.limit_of('veto_least_minutes')) <= now()
    or not coalesce(private.place_open_during(place, meal.starts_at, meal.ends_at), true)
    or exists (select 1 from private.unsafe_for(plan, time_option, place)) then
    return false;
  end if;
  perform set_config('nosh.decides_itself', 'on', true);
  update public.plans as p set decided_deadline = deadline, undecided = null,
      proposed_time_id = time_option, proposed_place_id = place_option, proposed_at = now(),
      veto_until = least(
        now() + make_interval(hours => private.limit_of('veto_hours')),
        meal.starts_at - make_interval(hours => private.limit_of('veto_ends_hours')))
    where p.id = plan;
  perform private.notify_table(plan, 'plan_proposed');
  perform set_config('nosh.decides_itself', '', true);
  return true;
end $$;

-- An objection may wait on a device for a connection. It names the window that it is for, so that it does not meet a
-- later proposal of the same plan.
create function public.veto_plan(plan uuid, reason text default '', until timestamptz default null) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  if this.status = 'polling' and this.vetoed_by = caller then
    return;
  elsif this.status <> 'polling' or this.veto_until is null or this.veto_until <= now()
    or this.veto_until <> veto_plan.until then
    perform private.refuse('nothing_proposed');
  elsif exists (
    select 1 from public.plan_members as m
    where m.plan_id = veto_plan.plan and m.user_id = caller and m.rsvp = 'declined'
  ) then
    perform private.refuse('not_coming');
  end if;
  update public.plans as p set decides_itself = false, vetoed_by = caller, vetoed_at = now(),
      veto_reason = veto_plan.reason
    where p.id = veto_plan.plan;
  perform private.notify_table(plan, 'plan_vetoed');
end $$;

-- Leaves the plan to its hosts, and says why; false if it changed since it was ranked.
create function public.leave_undecided(plan uuid, deadline timestamptz, revision integer, reason text) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_to_decide(plan, deadline, revision);
begin
  if this.id is null then
    return false;
  end if;
  perform set_config('nosh.decides_itself', 'on', true);
  perform private.leave_to_hosts(plan, reason);
  perform set_config('nosh.decides_itself', '', true);
  return true;
end $$;

-- Says why the plan is left to its hosts.
create function private.leave_to_hosts(plan uuid, reason text) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update public.plans as p set undecided = leave_to_hosts.reason, decided_deadline = p.vote_deadline,
      proposed_time_id = null, proposed_place_id = null, proposed_at = null, veto_until = null
    where p.id = leave_to_hosts.plan;
  perform private.notify_hosts(plan, 'plan_undecided');
end $$;

-- Confirms the proposals that nobody objected to. Proposals that have become impossible go to the hosts. Two runs
-- at once confirm once: the plan's row decides.
create function private.confirm_proposals() returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  this public.plans;
  failure text;
  confirmed integer := 0;
begin
  -- What follows is told by mail, although nobody calls.
  perform set_config('nosh.decides_itself', 'on', true);
  for due in select p.id from public.plans as p where p.veto_until <= now() order by p.veto_until, p.id loop
    select * into this from public.plans as p
      where p.id = due and p.veto_until <= now() and p.status = 'polling' for no key update skip locked;
    continue when not found;
    begin
      perform private.settle_plan(due, this.proposed_time_id, this.proposed_place_id, '{}');
      confirmed := confirmed + 1;
    exception when others then
      get stacked diagnostics failure = pg_exception_detail;
      if sqlstate not like 'PT4__' then
        raise warning 'plan % was not confirmed: %', due, sqlerrm;
        continue;
      end if;
      perform private.leave_to_hosts(due,
        case failure when 'unsafe_for_some' then 'unsafe' when 'place_closed' then 'closed' else 'too_late' end);
    end;
  end loop;
  perform set_config('nosh.decides_itself', '', true);
  return confirmed;
end $$;

-- A moved deadline, another state, or a host who decides by hand.
create function private.end_proposal() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if (new.vote_deadline, new.status) is distinct from (old.vote_deadline, old.status) then
    new.undecided := null;
    new.vetoed_by := null;
    new.vetoed_at := null;
    new.veto_reason := '';
  elsif new.decides_itself or not old.decides_itself then
    return new;
  end if;
  new.proposed_time_id := null;
  new.proposed_place_id := null;
  new.proposed_at := null;
  new.veto_until := null;
  return new;
end $$;

-- People were asked about a proposal among other options. Before a deletion, so that the plan no longer refers to it.
create function private.options_changed() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  changed uuid := case tg_op when 'DELETE' then old.plan_id else new.plan_id end;
begin
  if exists (select 1 from public.plans as p where p.id = changed and p.proposed_time_id is not null) then
    perform private.leave_to_hosts(changed, 'options_changed');
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;

-- The clock: confirms what is due, and has the function rank where a deadline has passed.
create function private.decide_plans() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.confirm_proposals();
  if exists (select 1 from public.plans as p where private.is_to_decide(p)) then
    perform private.call_function('decide-plans');
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger end_proposal before update of vote_deadline, status, decides_itself on public.plans
  for each row execute function private.end_proposal();
create trigger end_proposal_added after insert on public.time_options
  for each row execute function private.options_changed();
create trigger end_proposal_removed before delete on public.time_options
  for each row execute function private.options_changed();
create trigger end_proposal_added after insert on public.place_options
  for each row execute function private.options_changed();
create trigger end_proposal_removed before delete on public.place_options
  for each row execute function private.options_changed();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.plans_to_decide(), public.propose_choice(uuid, timestamptz, integer, uuid, uuid),
  public.leave_undecided(uuid, timestamptz, integer, text) to service_role;
grant execute on function public.veto_plan(uuid, text, timestamptz) to authenticated;
