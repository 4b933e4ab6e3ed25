-- The list of places that a circle's members share.

create table public.circle_places (
  circle_id uuid not null references public.circles (id) on delete cascade,
  place_id uuid not null references public.places (id) on delete cascade,
  put_by uuid default private.caller() references public.profiles (id) on delete set null,
  put_at timestamptz not null default now(),
  primary key (circle_id, place_id)
);

create index circle_places_place_id_idx on public.circle_places (place_id);
create index circle_places_put_by_idx on public.circle_places (put_by);

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.circle_places enable row level security;

create policy "places of a circle are read by its members" on public.circle_places
  for select to authenticated using (circle_id = any (array(select private.my_circle_ids())));
create policy "places of a circle are added by its members" on public.circle_places
  for insert to authenticated
  with check (
    circle_id = any (array(select private.my_circle_ids())) and put_by = (select private.caller())
    and exists (select 1 from public.places as p where p.id = place_id and not p.home)
  );
create policy "places of a circle are removed by its members" on public.circle_places
  for delete to authenticated using (circle_id = any (array(select private.my_circle_ids())));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger limit_circle_places before insert on public.circle_places for each row
  execute function private.enforce_limit('circles', 'circle_id', 'circle_places', 'too_many_circle_places');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, insert (circle_id, place_id), delete on public.circle_places to authenticated;
