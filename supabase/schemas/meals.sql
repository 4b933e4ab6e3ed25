-- Functions and policies of arrivals and ratings.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function public.mark_arrival(plan uuid, status public.arrival_status, eta_minutes integer default null)
  returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
  before public.arrival_status;
begin
  perform private.require_the_day(this);
  select a.status into before from public.arrivals as a where a.plan_id = plan and a.user_id = caller;
  -- An arrival can be taken back; a message that was late cannot make someone leave the table again.
  if before = 'arrived' and mark_arrival.status = 'on_the_way' then
    perform private.refuse('arrival_backwards');
  end if;
  insert into public.arrivals as a (plan_id, user_id, status, eta)
    values (plan, caller, mark_arrival.status,
      case when mark_arrival.status = 'on_the_way' and eta_minutes is not null
        then now() + make_interval(mins => least(greatest(eta_minutes, 0), 720)) end)
    on conflict on constraint arrivals_pkey do update set status = excluded.status, eta = excluded.eta;
end $$;

-- `ate` and `lacked`: the caller's diets for which there was a proper meal, and for which there was none.
create function public.rate_plan(
  plan uuid, stars integer, comment text default '', ate public.diet[] default '{}', lacked public.diet[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  if private.plan_state(this) <> 'done' then
    perform private.refuse('plan_not_done');
  end if;
  insert into public.ratings as r (plan_id, user_id, place_id, stars, comment, ate, lacked, eaten_at)
    values (plan, caller, (select o.place_id from public.place_options as o where o.id = this.chosen_place_id),
      rate_plan.stars, private.trimmed(rate_plan.comment), coalesce(rate_plan.ate, '{}'),
      coalesce(rate_plan.lacked, '{}'),
      (select o.starts_at from public.time_options as o where o.id = this.chosen_time_id))
    on conflict on constraint ratings_pkey
    do update set stars = excluded.stars, comment = excluded.comment, place_id = excluded.place_id,
      ate = excluded.ate, lacked = excluded.lacked, eaten_at = excluded.eaten_at;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.arrivals enable row level security;
alter table public.ratings enable row level security;

create policy "arrivals are read by the table" on public.arrivals
  for select to authenticated using (plan_id in (select private.my_plan_ids()));

create policy "ratings are read by the table" on public.ratings
  for select to authenticated using (plan_id in (select private.my_plan_ids()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger touch before update on public.ratings
  for each row execute function private.touch_updated_at();
create trigger touch before update on public.arrivals
  for each row execute function private.touch_updated_at();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select on public.arrivals, public.ratings to authenticated;
grant execute on function public.mark_arrival(uuid, public.arrival_status, integer),
  public.rate_plan(uuid, integer, text, public.diet[], public.diet[]) to authenticated;
