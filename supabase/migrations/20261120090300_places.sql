-- Where one can eat: what is known of a place, and, for diets, only what is known to be safe.

create table public.places (
  id uuid primary key default gen_random_uuid(),
  name text not null check (private.is_text(name, 1, 80)),
  about text not null default '' check (char_length(about) <= 280),
  cuisines text[] not null default '{}' check (cardinality(cuisines) <= 6),
  address text not null default '' check (char_length(address) <= 160),
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  price smallint not null check (price between 1 and 4),
  -- Diets that are known to be safe here. A diet that is missing is unknown, not unsafe, and never safe.
  safe_diets public.diet[] not null default '{}',
  time_zone text not null check (private.is_time_zone(time_zone)),
  source public.place_source not null default 'member',
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index places_created_by_idx on public.places (created_by);
create index places_name_trgm_idx on public.places using gin (name extensions.gin_trgm_ops);
create index places_position_idx on public.places (latitude, longitude);

-- Weekly hours in the place's own zone. `closes` at or before `opens` means after midnight. A place without
-- any row has unknown hours, which is not the same as closed.
create table public.place_hours (
  id uuid primary key default gen_random_uuid(),
  place_id uuid not null references public.places (id) on delete cascade,
  weekday smallint not null check (weekday between 1 and 7), -- ISO: 1 is Monday
  opens time not null,
  closes time not null,
  unique (place_id, weekday, opens)
);

create table public.saved_places (
  user_id uuid not null references public.profiles (id) on delete cascade,
  place_id uuid not null references public.places (id) on delete cascade,
  saved_at timestamptz not null default now(),
  primary key (user_id, place_id)
);

create index saved_places_place_id_idx on public.saved_places (place_id);

create trigger touch before update on public.places
  for each row execute function private.touch_updated_at();

-- Whether a place is open from start to end: true, false, or null when its hours are not known. The rule is
-- the same as `openDuring` in functions/_shared/hours.ts: one weekly interval, or the one that began the day
-- before and runs past midnight, must contain the whole meal.
create function private.place_open_during(place uuid, starts_at timestamptz, ends_at timestamptz)
  returns boolean
  language sql stable security definer set search_path = ''
  begin atomic
    with local as (
      select
        starts_at at time zone p.time_zone as starts,
        ends_at at time zone p.time_zone as ends
      from public.places as p where p.id = place
    ), intervals as (
      select
        day.on_date + h.opens as opens,
        day.on_date + h.closes + case when h.closes <= h.opens then interval '1 day' else interval '0' end as closes
      from local
      cross join lateral (
        select (local.starts::date - back) as on_date from generate_series(0, 1) as back
      ) as day
      join public.place_hours as h
        on h.place_id = place and h.weekday = extract(isodow from day.on_date)::integer
    )
    select case
      when not exists (select 1 from public.place_hours as h where h.place_id = place) then null
      else exists (select 1 from intervals, local where local.starts >= intervals.opens and local.ends <= intervals.closes)
    end;
  end;

alter table public.places enable row level security;
alter table public.place_hours enable row level security;
alter table public.saved_places enable row level security;

grant select on public.places, public.place_hours to authenticated;
grant insert (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by)
  on public.places to authenticated;
grant update (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone)
  on public.places to authenticated;
grant insert (place_id, weekday, opens, closes), update (weekday, opens, closes), delete
  on public.place_hours to authenticated;
grant select, insert (user_id, place_id), delete on public.saved_places to authenticated;

create policy "places are read by everyone signed in" on public.places
  for select to authenticated using (true);
create policy "places are added by members" on public.places
  for insert to authenticated
  with check (created_by = (select auth.uid()) and not (select private.is_guest()));
create policy "places are changed by who added them" on public.places
  for update to authenticated
  using (created_by = (select auth.uid()) and not (select private.is_guest()))
  with check (created_by = (select auth.uid()));

create policy "hours are read by everyone signed in" on public.place_hours
  for select to authenticated using (true);
create policy "hours are added by who added the place" on public.place_hours
  for insert to authenticated with check (
    place_id in (select p.id from public.places as p where p.created_by = (select auth.uid()))
    and not (select private.is_guest())
  );
create policy "hours are changed by who added the place" on public.place_hours
  for update to authenticated using (
    place_id in (select p.id from public.places as p where p.created_by = (select auth.uid()))
    and not (select private.is_guest())
  );
create policy "hours are removed by who added the place" on public.place_hours
  for delete to authenticated using (
    place_id in (select p.id from public.places as p where p.created_by = (select auth.uid()))
    and not (select private.is_guest())
  );

create policy "saved places are read by their person" on public.saved_places
  for select to authenticated using (user_id = (select auth.uid()));
create policy "saved places are added by their person" on public.saved_places
  for insert to authenticated with check (user_id = (select auth.uid()));
create policy "saved places are removed by their person" on public.saved_places
  for delete to authenticated using (user_id = (select auth.uid()));
