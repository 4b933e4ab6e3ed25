-- A person's usual times: for lunch and dinner of each weekday, whether they can. Only the person reads them; the app
-- offers them as answers on a new plan, and they count for nothing until the person sends them as votes.

create type public.day_part as enum ('lunch', 'dinner');

create table public.usual_times (
  user_id uuid not null default private.caller() references public.profiles (id) on delete cascade,
  -- ISO: 1 is Monday.
  weekday smallint not null check (weekday between 1 and 7),
  part public.day_part not null,
  answer public.vote_answer not null,
  primary key (user_id, weekday, part)
);

alter table public.usual_times enable row level security;
grant select, insert, update, delete on public.usual_times to authenticated;
create policy "usual times are read by their person" on public.usual_times
  for select to authenticated using (user_id = (select private.caller()));
create policy "usual times are written by their person" on public.usual_times
  for insert to authenticated with check (user_id = (select private.caller()));
create policy "usual times are changed by their person" on public.usual_times
  for update to authenticated
  using (user_id = (select private.caller())) with check (user_id = (select private.caller()));
create policy "usual times are removed by their person" on public.usual_times
  for delete to authenticated using (user_id = (select private.caller()));

-- A person's own data of this and of plans that decide themselves, for the export.
create function private.habits_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'usual_times', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'weekday', u.weekday, 'part', u.part, 'answer', u.answer) order by u.weekday, u.part), '[]')
        from public.usual_times as u where u.user_id = person),
      'objections', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', p.id, 'reason', p.veto_reason, 'at', p.vetoed_at) order by p.vetoed_at), '[]')
        from public.plans as p where p.vetoed_by = person));
  end;
revoke execute on function private.habits_data(uuid) from public, anon, authenticated;

do $rewrite$
declare
  definition text := pg_catalog.pg_get_functiondef('public.export_my_data()'::regprocedure);
  changed text := replace(definition, 'private.further_data(',
    'private.habits_data((select private.require_caller())) || private.further_data(');
begin
  if changed = definition then
    raise exception 'export_my_data() is not as this migration expects it';
  end if;
  execute changed;
end $rewrite$;
