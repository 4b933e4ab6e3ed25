-- Functions and policies of times, places and votes.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The plans whose votes of others the caller may see: all of theirs, except those that hide results until the
-- caller has voted. An array of plans here, too: a join reads all plans where people have many.
create function private.open_result_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id
    from public.plans as p
    where p.id = any (array(select private.my_plan_ids()))
      and (
        not p.results_hidden
        or p.status <> 'polling'
        or exists (
          select 1 from public.time_votes as v where v.plan_id = p.id and v.user_id = (select private.caller()))
        or exists (
          select 1 from public.place_votes as v where v.plan_id = p.id and v.user_id = (select private.caller()))
      );
  end;

create function private.add_time(plan uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  option uuid;
begin
  if add_time.starts_at <= now() then
    perform private.refuse('time_in_past');
  elsif add_time.starts_at > now() + make_interval(days => private.limit_of('time_option_days')) then
    perform private.refuse('time_too_far');
  elsif add_time.ends_at is null
    or add_time.ends_at - add_time.starts_at not between interval '15 minutes' and interval '12 hours' then
    perform private.refuse('time_bad_length');
  end if;
  insert into public.time_options (plan_id, starts_at, ends_at, proposed_by)
    values (plan, add_time.starts_at, add_time.ends_at, (select private.caller())) returning id into option;
  return option;
exception when unique_violation then
  perform private.refuse('time_duplicate');
end $$;

create function private.add_place(plan uuid, place uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  option uuid;
begin
  -- Whose table it is offered at reads it: an id alone must not open it. A home is proposed by who added it.
  if not private.reads_place(place) or exists (
    select 1 from public.places as p
    where p.id = add_place.place and p.home and p.created_by is distinct from (select private.caller())
  ) then
    perform private.refuse('place_not_found');
  end if;
  insert into public.place_options (plan_id, place_id, proposed_by)
    values (plan, place, (select private.caller())) returning id into option;
  return option;
exception
  when unique_violation then perform private.refuse('place_duplicate');
  when foreign_key_violation then perform private.refuse('place_not_found');
end $$;

-- Writes down a place of which only the name is known, and offers it. Its clock is the plan's. The caller has locked
-- the plan, so that of two people who type one name at once the second is refused. What is known beside the name, as
-- all who add a place may give it: `address`, `latitude` and `longitude`, `time_zone` (else the plan's), and `home`,
-- whether it is at the caller's home.
create function private.add_named_place(plan uuid, name text, details jsonb) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  place uuid;
  given record;
begin
  select * into given from jsonb_to_record(add_named_place.details) as d (
    address text, latitude double precision, longitude double precision, time_zone text, home boolean);
  if exists (
    select 1 from public.place_options as o join public.places as p on p.id = o.place_id
    where o.plan_id = add_named_place.plan
      and private.plain(p.name) = private.plain(private.trimmed(add_named_place.name))
  ) then
    perform private.refuse('place_duplicate');
  end if;
  insert into public.places as p (name, time_zone, created_by, home, address, latitude, longitude)
    select add_named_place.name, coalesce(given.time_zone, this.time_zone), (select private.caller()),
      coalesce(given.home, false), case when given.home then '' else coalesce(given.address, '') end,
      case when not coalesce(given.home, false) then given.latitude end,
      case when not coalesce(given.home, false) then given.longitude end
    from public.plans as this where this.id = plan
    returning p.id into place;
  if given.home and private.trimmed(given.address) <> '' then
    perform public.save_home(place, given.address, given.latitude, given.longitude);
  end if;
  return private.add_place(plan, place);
end $$;

-- After the deadline nobody can vote for what is added; only a host, who decides, may still add to the plan.
create function private.plan_for_proposal(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
begin
  perform private.require_polling(this);
  if not private.is_plan_host(plan) then
    if not this.guests_may_propose then
      perform private.refuse('not_allowed_to_propose');
    elsif this.vote_deadline <= now() then
      perform private.refuse('voting_closed');
    end if;
  end if;
end $$;

-- Once the time is decided, times and places are added by hosts alone.
create function private.plan_for_option(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
begin
  if this.status <> 'confirmed' then
    perform private.plan_for_proposal(plan);
  elsif not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
end $$;

create function public.propose_time(plan uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.plan_for_option(plan);
  return private.add_time(plan, propose_time.starts_at, propose_time.ends_at);
end $$;

create function public.propose_place(plan uuid, place uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.plan_for_option(plan);
  return private.add_place(plan, place);
end $$;

-- Adds a place to the plan by its name, with the details that are known; everyone who may suggest a place may do so,
-- guests too. The place is the caller's. Returns the option.
create function public.propose_named_place(plan uuid, name text, details jsonb default '{}') returns uuid
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.plan_for_option(plan);
  return private.add_named_place(plan, propose_named_place.name, propose_named_place.details);
end $$;

-- Sets the caller's answers. `times` and `places` map option ids to "yes", "if_need_be", "no" or null, which
-- takes the answer back. Options that are not mentioned keep theirs, so two devices do not undo each other.
create function public.cast_votes(plan uuid, times jsonb default '{}', places jsonb default '{}') returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  perform private.require_polling(this);
  if this.vote_deadline <= now() then
    perform private.refuse('voting_closed');
  end if;
  if exists (
    select 1 from jsonb_object_keys(times) as key
    where not exists (select 1 from public.time_options as o where o.plan_id = plan and o.id::text = key)
  ) or exists (
    select 1 from jsonb_object_keys(places) as key
    where not exists (select 1 from public.place_options as o where o.plan_id = plan and o.id::text = key)
  ) then
    perform private.refuse('option_not_found');
  end if;

  delete from public.time_votes as v using jsonb_each_text(times) as given
    where v.user_id = caller and v.option_id = given.key::uuid and given.value is null;
  -- Not now(), which is when the transaction began: seats are filled in the order in which the plan was locked.
  insert into public.time_votes as v (option_id, plan_id, user_id, answer, yes_at)
    select given.key::uuid, plan, caller, given.value::public.vote_answer,
      case given.value when 'yes' then clock_timestamp() end
    from jsonb_each_text(times) as given where given.value is not null
    on conflict (option_id, user_id) do update
      set answer = excluded.answer, voted_at = now(), yes_at = coalesce(v.yes_at, excluded.yes_at)
    where v.answer is distinct from excluded.answer;

  delete from public.place_votes as v using jsonb_each_text(places) as given
    where v.user_id = caller and v.option_id = given.key::uuid and given.value is null;
  insert into public.place_votes as v (option_id, plan_id, user_id, answer)
    select given.key::uuid, plan, caller, given.value::public.vote_answer
    from jsonb_each_text(places) as given where given.value is not null
    on conflict (option_id, user_id) do update set answer = excluded.answer, voted_at = now()
    where v.answer is distinct from excluded.answer;
end $$;

create function private.note_answered() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  voter record := coalesce(new, old);
  times boolean := exists (
    select 1 from public.time_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id);
  places boolean := exists (
    select 1 from public.place_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id);
begin
  update public.plan_members as m set times_answered = times, places_answered = places,
      answered_at = case when times or places then coalesce(m.answered_at, now()) end
    where m.plan_id = voter.plan_id and m.user_id = voter.user_id
      and (m.times_answered, m.places_answered) is distinct from (times, places);
  return null;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.time_options enable row level security;
alter table public.place_options enable row level security;
alter table public.time_votes enable row level security;
alter table public.place_votes enable row level security;

create policy "times are read by the table" on public.time_options
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "times are withdrawn by proposer or host" on public.time_options
  for delete to authenticated using (
    plan_id = any (array(select private.my_polling_plan_ids()))
    and (plan_id = any (array(select private.my_hosted_plan_ids())) or proposed_by = (select private.caller()))
  );

create policy "places are read by the table" on public.place_options
  for select to authenticated using (plan_id in (select private.my_plan_ids()));
create policy "places are withdrawn by proposer or host" on public.place_options
  for delete to authenticated using (
    plan_id = any (array(select private.my_polling_plan_ids()))
    and (plan_id = any (array(select private.my_hosted_plan_ids())) or proposed_by = (select private.caller()))
  );

create policy "time votes are read by the table" on public.time_votes
  for select to authenticated
  using (user_id = (select private.caller()) or plan_id in (select private.open_result_plan_ids()));

create policy "place votes are read by the table" on public.place_votes
  for select to authenticated
  using (user_id = (select private.caller()) or plan_id in (select private.open_result_plan_ids()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger limit_times before insert on public.time_options
  for each row execute function private.enforce_limit('plans', 'plan_id', 'time_options', 'too_many_times');
create trigger limit_places before insert on public.place_options
  for each row execute function private.enforce_limit('plans', 'plan_id', 'place_options', 'too_many_places');
create trigger note_answered after insert or delete on public.time_votes
  for each row execute function private.note_answered();
create trigger note_answered after insert or delete on public.place_votes
  for each row execute function private.note_answered();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, delete on public.time_options, public.place_options to authenticated;
grant select on public.time_votes, public.place_votes to authenticated;
grant execute on function private.open_result_plan_ids() to authenticated, service_role;
grant execute on function public.propose_time(uuid, timestamptz, timestamptz), public.propose_place(uuid, uuid),
  public.propose_named_place(uuid, text, jsonb), public.cast_votes(uuid, jsonb, jsonb) to authenticated;
