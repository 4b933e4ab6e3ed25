-- "The table is ready" is something that a plan knows, not something that anybody at it may shout: a broadcast on
-- the plan's channel says nothing of who sent it, so what is shown is what the plan says when it is read.

alter table public.plans
  -- Since when the chosen table is ready, and which host said so.
  add column ready_at timestamptz,
  add column ready_by uuid references public.profiles (id) on delete set null;

create index plans_ready_by_idx on public.plans (ready_by);

-- Another choice, or none, is another table.
create function private.clear_ready() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if (new.chosen_time_id, new.chosen_place_id) is distinct from (old.chosen_time_id, old.chosen_place_id) then
    new.ready_at := null;
    new.ready_by := null;
  end if;
  return new;
end $$;

create trigger clear_ready before update of chosen_time_id, chosen_place_id on public.plans
  for each row execute function private.clear_ready();

-- A host says that the table is ready: once, and with the message that stays in the conversation (`said`, in the
-- host's words). Saying it again changes nothing.
create function public.call_to_table(plan uuid, said text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (select t.starts_at from public.time_options as t where t.id = this.chosen_time_id)
    > now() + make_interval(hours => private.limit_of('arrival_opens_hours')) then
    perform private.refuse('not_the_day');
  elsif this.ready_at is not null then
    return;
  end if;
  insert into public.messages (plan_id, author_id, client_id, body)
    values (plan, auth.uid(), gen_random_uuid(), said);
  update public.plans as p set ready_at = now(), ready_by = auth.uid() where p.id = plan;
end $$;

revoke execute on function public.call_to_table(uuid, text) from public, anon;
grant execute on function public.call_to_table(uuid, text) to authenticated;
