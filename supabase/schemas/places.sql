-- Functions and policies of places: adding, changing, finding, saving. The search is by full text first, then by
-- similar spelling.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The places that the caller reads beside everybody's and those that they added: offered at their tables, on the lists
-- of their circles, saved by them.
create function private.my_place_ids() returns setof uuid
  language sql stable security definer rows 100 set search_path = ''
  begin atomic
    select o.place_id from public.place_options as o where o.plan_id in (select private.my_plan_ids())
    union
    select c.place_id from public.circle_places as c where c.circle_id in (select private.my_circle_ids())
    union
    select s.place_id from public.saved_places as s where s.user_id = (select private.caller());
  end;

-- The policy of places, for functions that bypass it.
create function private.reads_place(place uuid) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from public.places as p where p.id = place
      and (p.everybody or p.created_by = (select private.caller())
        or p.id = any (array(select private.my_place_ids())))
  );

-- The places that the caller may change: their own with an account, and those of their tables, unless it is a home, is
-- on a circle's list, or is read by everybody.
create function private.my_editable_place_ids() returns setof uuid
  language sql stable security definer rows 100 set search_path = ''
  begin atomic
    select p.id from public.places as p
    where p.created_by = (select private.caller()) and not (select private.is_guest())
    union
    select p.id from public.place_options as o join public.places as p on p.id = o.place_id
    where o.plan_id in (select private.my_plan_ids()) and not p.everybody and not p.home
      and not exists (select 1 from public.circle_places as c where c.place_id = p.id);
  end;

-- The homes whose address the caller reads beside their own: of decided plans, until they are over, where they are
-- expected.
create function private.my_home_ids() returns setof uuid
  language sql stable security definer rows 10 set search_path = ''
  begin atomic
    select o.place_id from public.plan_members as m
    join public.plans as p on p.id = m.plan_id and p.status = 'confirmed'
    join public.place_options as o on o.id = p.chosen_place_id
    join public.place_homes as h on h.place_id = o.place_id
    where m.user_id = (select private.caller()) and private.plan_state(p) = 'confirmed' and exists (
      select 1 from private.plan_people(p.id) as who where who.user_id = m.user_id and who.seats > 0);
  end;

-- The address of a home for one person, as its policy has it, for calendars and mails; null where they do not read it.
create function private.home_for(place uuid, plan uuid, person uuid) returns public.place_homes
  language sql stable security definer set search_path = ''
  begin atomic
    select h from public.place_homes as h
    where h.place_id = home_for.place and (h.user_id = person or exists (
      select 1 from private.plan_people(home_for.plan) as who
      where who.user_id = person and who.state in ('expected', 'on_the_way', 'here')));
  end;

-- Says that a place of the caller is at someone's home, and where. From then on its address is read by the caller, and
-- by the people who are expected there. A place that others can find already cannot become a home.
create function public.save_home(
  place uuid, address text, latitude double precision default null, longitude double precision default null
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.places;
begin
  select * into this from public.places as p where p.id = save_home.place and p.created_by = caller for no key update;
  if not found then
    perform private.refuse('place_not_found');
  elsif this.everybody or exists (select 1 from public.circle_places as c where c.place_id = this.id)
    or exists (select 1 from public.saved_places as s where s.place_id = this.id and s.user_id <> caller) then
    perform private.refuse('place_is_shared');
  end if;
  update public.places as p set home = true, address = '', latitude = null, longitude = null, phone = '',
    booking_url = '' where p.id = this.id;
  insert into public.place_homes as h (place_id, user_id, address, latitude, longitude)
    values (this.id, caller, private.trimmed(save_home.address), save_home.latitude, save_home.longitude)
    on conflict (place_id) do update
      set address = excluded.address, latitude = excluded.latitude, longitude = excluded.longitude;
end $$;

-- Whether a place is open from start to end: true, false, or null when its hours are not known. Opening hours that
-- touch or overlap are one: a place that is open round the clock is open across midnight. The rule is that of
-- openDuring in functions/_shared/ranking/hours.ts; hours_cases.ts there holds the cases of both.
create function private.place_open_during(place uuid, starts_at timestamptz, ends_at timestamptz)
  returns boolean
  language sql stable security definer set search_path = ''
  begin atomic
    with local as (
      select
        starts_at at time zone p.time_zone as starts,
        ends_at at time zone p.time_zone as ends
      from public.places as p where p.id = place
    ), open as (
      select range_agg(tsrange(
        day.on_date + h.opens,
        day.on_date + h.closes + case when h.closes <= h.opens then interval '1 day' else interval '0' end
      )) as hours
      from local
      -- An interval of the day before may run past midnight, and the meal may end on a later day.
      cross join lateral (
        select local.starts::date + step as on_date
        from generate_series(-1, greatest(local.ends::date - local.starts::date, 0)) as step
      ) as day
      join public.place_hours as h
        on h.place_id = place and h.weekday = extract(isodow from day.on_date)::integer
    )
    select case
      when not exists (select 1 from public.place_hours as h where h.place_id = place) then null
      -- Not as a range of the meal: where the clock goes back, it may end before it began.
      else exists (
        select 1 from open cross join lateral unnest(open.hours) as span, local
        where local.starts >= lower(span) and local.ends <= upper(span)
      )
    end;
  end;

create function private.limit_new_places() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is not null and not private.count_use('places_per_day', interval '1 day') then
    perform private.refuse('too_many_new_places');
  end if;
  return new;
end $$;

-- The blanks around each cuisine are no part of it.
create function private.trim_cuisines() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if private.is_list(new.cuisines, 100) then
    new.cuisines := array(
      select private.trimmed(one) from unnest(new.cuisines) with ordinality as cuisine (one, at) order by at);
  end if;
  return new;
end $$;

-- Adds a place (`place` null) or changes one that the caller may change, and replaces its weekly hours, all or nothing.
-- It runs with the caller's rights: row policies say who may. `fields` has the columns that one may set; `hours` is a
-- list of {weekday, opens, closes}. Where a place was taken from is kept from when it was added.
create function public.save_place(fields jsonb, hours jsonb default '[]', place uuid default null) returns uuid
  language plpgsql set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  kept uuid := place;
  given record;
begin
  select * into given from jsonb_to_record(fields) as f (
    name text, about text, cuisines text[], address text, latitude double precision, longitude double precision,
    price smallint, safe_diets public.diet[], time_zone text, source public.place_source, external_id text,
    everybody boolean, phone text, booking_url text);
  if kept is null then
    insert into public.places as p
      (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by, source,
        external_id, everybody, phone, booking_url)
    values (
      given.name, coalesce(given.about, ''), coalesce(given.cuisines, '{}'), coalesce(given.address, ''),
      given.latitude, given.longitude, given.price, coalesce(given.safe_diets, '{}'), given.time_zone,
      caller, coalesce(given.source, 'member'), given.external_id,
      coalesce(given.everybody, false) or coalesce(given.source, 'member') <> 'member', coalesce(given.phone, ''),
      coalesce(given.booking_url, ''))
    returning p.id into kept;
  else
    update public.places as p set
      name = given.name, about = coalesce(given.about, ''), cuisines = coalesce(given.cuisines, '{}'),
      -- The address of a home is saved by save_home.
      address = case when p.home then '' else coalesce(given.address, '') end,
      latitude = case when not p.home then given.latitude end, longitude = case when not p.home then given.longitude end,
      phone = case when p.home then '' else coalesce(given.phone, '') end,
      booking_url = case when p.home then '' else coalesce(given.booking_url, '') end,
      price = given.price, safe_diets = coalesce(given.safe_diets, '{}'), time_zone = given.time_zone,
      -- What others read already is not taken from them.
      everybody = p.everybody or not p.home and coalesce(given.everybody, false)
    where p.id = kept;
    if not found then
      raise exception using errcode = '42501', message = 'This place is changed by who added it.';
    end if;
  end if;
  delete from public.place_hours as h where h.place_id = kept;
  insert into public.place_hours (place_id, weekday, opens, closes)
    select kept, h.weekday, h.opens, h.closes
    from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);
  return kept;
end $$;

-- The ids of places that contain the words, as beginnings too, or look alike. With its owner's rights, because under row
-- policies Postgres uses no index for a search; search_places reads the rows of these ids with the caller's rights.
create function private.places_alike(words text, query tsquery) returns setof uuid
  language sql stable security definer set search_path = '' set pg_trgm.word_similarity_threshold = '0.45'
  begin atomic
    select p.id from public.places as p where to_tsvector('simple', p.search_text) operator(pg_catalog.@@) query
    union
    select p.id from public.places as p where words <> '' and words operator(extensions.<%) p.search_text;
  end;

-- Places for what somebody typed, best first: whole words before the beginnings of words before what is spelled
-- alike; among equals the nearer one. Without words, the nearest or, without a position, by name. `diets` must all
-- be known to be safe; a place that is safe for vegans counts for the diets that this includes by definition (the
-- rule of functions/_shared/ranking/diets.ts). `open_at` keeps places that are open then or whose hours are
-- unknown, `max_price` those whose price is unknown. Up to five hundred: what a map still shows.
create function public.search_places(
  words text default '',
  diets public.diet[] default '{}',
  max_price integer default 4,
  latitude double precision default null,
  longitude double precision default null,
  open_at timestamptz default null,
  open_minutes integer default 90,
  most integer default 50
) returns setof public.places
  language sql stable set search_path = ''
  begin atomic
    with wanted as (
      -- Punctuation is not searched: a text of nothing else counts as empty.
      select btrim(regexp_replace(private.plain(left(words, 80)), '[^[:alnum:]]+', ' ', 'g')) as text,
        -- Each word may be the beginning of one: letters and digits only, so that nothing in it is an operator.
        to_tsquery('simple', nullif(array_to_string(array(
          select w || ':*'
          from regexp_split_to_table(private.plain(left(words, 80)), '[^[:alnum:]]+') as w where w <> ''
        ), ' & '), '')) as query
    )
    select p.*
    from wanted cross join lateral (
      select * from public.places where wanted.text = ''
      union all
      select k.* from private.places_alike(wanted.text, wanted.query) as id join public.places as k using (id)
    ) as p
    where not exists (
        select 1 from unnest(search_places.diets) as wanted_diet
        where wanted_diet <> all (p.safe_diets)
          and not (wanted_diet in ('vegetarian', 'pescatarian', 'lactose_free') and 'vegan' = any (p.safe_diets))
          and not (wanted_diet = 'pescatarian' and 'vegetarian' = any (p.safe_diets))
      )
      -- Only who added a home proposes it.
      and (not p.home or p.created_by = (select private.caller()))
      and coalesce(p.price <= max_price, true)
      and (open_at is null or coalesce(
        private.place_open_during(p.id, open_at, open_at + make_interval(mins => open_minutes)), true))
    order by
      case when wanted.text = '' then 0
        when to_tsvector('simple', p.search_text) operator(pg_catalog.@@) plainto_tsquery('simple', wanted.text) then 0
        when to_tsvector('simple', p.search_text) operator(pg_catalog.@@) wanted.query then 1
        else 2 end,
      case when wanted.text = '' then 0 else - extensions.word_similarity(wanted.text, private.plain(p.name)) end,
      case when search_places.latitude is not null then
        power(p.latitude - search_places.latitude, 2)
        + power((p.longitude - search_places.longitude) * cos(radians(search_places.latitude)), 2) end,
      p.name, p.id
    limit least(greatest(most, 1), 500);
  end;

create function public.remember_found_places(places jsonb) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    insert into private.found_places (external_id, safe_diets)
      select f.external_id, coalesce(f.safe_diets, '{}')
      from jsonb_to_recordset(places) as f (external_id text, safe_diets public.diet[])
      where f.external_id is not null
      on conflict (external_id) do update set safe_diets = excluded.safe_diets, found_at = now();
  end;

-- A place of another source is one that the server has found there.
create function private.check_place_source() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if (select private.caller()) is not null and new.source <> 'member' and not exists (
    select 1 from private.found_places as f where f.external_id = new.external_id
  ) then
    perform private.refuse('place_source_unknown');
  end if;
  return new;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.places enable row level security;
alter table public.place_homes enable row level security;
alter table public.place_hours enable row level security;
alter table public.saved_places enable row level security;
alter table public.place_diet_claims enable row level security;

-- Everyone signed in, which an account is only after its second step.
create policy "places are read by whom they belong to" on public.places
  for select to authenticated using (
    (select private.caller()) is not null
    and (everybody or created_by = (select private.caller()) or id = any (array(select private.my_place_ids())))
  );
create policy "places are added by members" on public.places
  for insert to authenticated
  with check (created_by = (select private.caller()) and not (select private.is_guest()));
-- Only who added a place lets everybody read it.
create policy "places are changed by who added them and by their tables" on public.places
  for update to authenticated
  using (id = any (array(select private.my_editable_place_ids())))
  with check (created_by = (select private.caller()) or not everybody);

create policy "homes are read by their person and by who is expected there" on public.place_homes
  for select to authenticated
  using (user_id = (select private.caller()) or place_id = any (array(select private.my_home_ids())));

create policy "hours are read with their place" on public.place_hours
  for select to authenticated using (
    (select private.caller()) is not null and exists (select 1 from public.places as p where p.id = place_id)
  );
create policy "hours are added by who may change the place" on public.place_hours
  for insert to authenticated with check (place_id = any (array(select private.my_editable_place_ids())));
create policy "hours are changed by who may change the place" on public.place_hours
  for update to authenticated using (place_id = any (array(select private.my_editable_place_ids())));
create policy "hours are removed by who may change the place" on public.place_hours
  for delete to authenticated using (place_id = any (array(select private.my_editable_place_ids())));

create policy "saved places are read by their person" on public.saved_places
  for select to authenticated using (user_id = (select private.caller()));
create policy "saved places are added by their person" on public.saved_places
  for insert to authenticated with check (
    user_id = (select private.caller()) and exists (
      select 1 from public.places as p where p.id = place_id and (not p.home or p.created_by = (select private.caller())))
  );
create policy "saved places are removed by their person" on public.saved_places
  for delete to authenticated using (user_id = (select private.caller()));

create policy "claims are read with their place" on public.place_diet_claims
  for select to authenticated using (
    (select private.caller()) is not null and exists (select 1 from public.places as p where p.id = place_id)
  );

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger touch before update on public.places
  for each row execute function private.touch_updated_at();
create trigger limit_new_places before insert on public.places
  for each row execute function private.limit_new_places();
create trigger a_trim before insert or update of name, about, address, phone, booking_url on public.places
  for each row execute function private.trim_columns('name', 'about', 'address', 'phone', 'booking_url');
create trigger check_place_source before insert on public.places
  for each row execute function private.check_place_source();
create trigger a_trim_cuisines before insert or update of cuisines on public.places
  for each row execute function private.trim_cuisines();
create trigger limit_hours before insert on public.place_hours
  for each row execute function private.enforce_limit('places', 'place_id', 'place_hours', 'too_many_hours');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

-- Adding or changing a place writes the index on private.diets_that_hold, with the caller's rights.
grant select, insert (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, source,
  created_by, external_id, everybody, phone, booking_url),
  update (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, everybody, phone,
    booking_url)
  on public.places to authenticated;
grant select, insert (place_id, weekday, opens, closes), update (weekday, opens, closes), delete
  on public.place_hours to authenticated;
grant select, insert (user_id, place_id), delete on public.saved_places to authenticated;
grant select on public.place_diet_claims, public.place_homes to authenticated;
grant execute on function private.plain(text), private.place_text(text, text, text[], text),
  private.diets_that_hold(public.diet[]) to authenticated, service_role;
grant execute on function private.my_place_ids(), private.my_home_ids(), private.my_editable_place_ids()
  to authenticated, service_role;
grant execute on function private.place_open_during(uuid, timestamptz, timestamptz), private.places_alike(text, tsquery),
  public.save_place(jsonb, jsonb, uuid), public.save_home(uuid, text, double precision, double precision),
  public.search_places(text, public.diet[], integer, double precision, double precision, timestamptz, integer, integer)
  to authenticated;
grant execute on function public.remember_found_places(jsonb) to service_role;
