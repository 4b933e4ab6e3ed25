-- Places that members put on their circle's list. Every member reads it, adds to it and removes from it.

insert into private.errors (code, status, message, hint) values
  ('too_many_circle_places', 409, 'A circle can keep sixty places.', 'Remove one that nobody goes to any more.');
insert into private.limits (name, value, reason) values
  ('circle_places', 60, 'A longer list is no longer a choice among friends.');

create table public.circle_places (
  circle_id uuid not null references public.circles (id) on delete cascade,
  place_id uuid not null references public.places (id) on delete cascade,
  put_by uuid default private.caller() references public.profiles (id) on delete set null,
  put_at timestamptz not null default now(),
  primary key (circle_id, place_id)
);
create index circle_places_place_id_idx on public.circle_places (place_id);
create index circle_places_put_by_idx on public.circle_places (put_by);

alter table public.circle_places enable row level security;
grant select, insert (circle_id, place_id), delete on public.circle_places to authenticated;
create policy "places of a circle are read by its members" on public.circle_places
  for select to authenticated using (circle_id = any (array(select private.my_circle_ids())));
create policy "places of a circle are added by its members" on public.circle_places
  for insert to authenticated
  with check (circle_id = any (array(select private.my_circle_ids())) and put_by = (select private.caller()));
create policy "places of a circle are removed by its members" on public.circle_places
  for delete to authenticated using (circle_id = any (array(select private.my_circle_ids())));

create function private.limit_circle_places() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Two places at once are counted one after the other.
  perform 1 from public.circles as c where c.id = new.circle_id for no key update;
  if (select count(*) from public.circle_places as p where p.circle_id = new.circle_id)
    >= private.limit_of('circle_places') then
    perform private.refuse('too_many_circle_places');
  end if;
  return new;
end $$;
create trigger limit_circle_places before insert on public.circle_places
  for each row execute function private.limit_circle_places();
