-- Places to eat. Of diets only those that are known to be safe are stored.

create type public.place_source as enum ('member', 'openstreetmap');

-- Small letters without accents, so that "acai" finds "Açaí". The dictionary is named, which makes it as
-- immutable as it says.
create function private.plain(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, value));

create function private.place_text(name text, about text, cuisines text[], address text) returns text
  language sql immutable parallel safe set search_path = ''
  return private.plain(concat_ws(' ', name, array_to_string(cuisines, ' '), about, address));

-- The diets that a place is safe for by those that are known: the rule of functions/_shared/ranking/diets.ts.
create function private.diets_that_hold(known public.diet[]) returns public.diet[]
  language sql immutable parallel safe set search_path = ''
  return known
    || case when 'vegan'::public.diet = any (known)
      then '{vegetarian,pescatarian,lactose_free}'::public.diet[] else '{}'::public.diet[] end
    || case when 'vegetarian'::public.diet = any (known)
      then '{pescatarian}'::public.diet[] else '{}'::public.diet[] end;

create table public.places (
  id uuid primary key default gen_random_uuid(),
  name text not null check (private.is_text(name, 1, 80)),
  about text not null default '' check (char_length(about) <= 280),
  cuisines text[] not null default '{}' check (cardinality(cuisines) <= 6),
  address text not null default '' check (char_length(address) <= 160),
  -- A name is enough: position and price may stay unknown, as hours do.
  latitude double precision check (latitude between -90 and 90),
  longitude double precision check (longitude between -180 and 180),
  price smallint check (price between 1 and 4),
  -- Diets that are known to be safe here. A diet that is missing is unknown, not unsafe, and never safe.
  safe_diets public.diet[] not null default '{}',
  time_zone text not null check (private.is_time_zone(time_zone)),
  source public.place_source not null default 'member',
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  external_id text check (char_length(external_id) <= 40), -- "node/123" of OpenStreetMap
  search_text text generated always as (private.place_text(name, about, cuisines, address)) stored,
  everybody boolean not null default false, -- Whether everyone signed in reads it.
  home boolean not null default false, -- At someone's home: its address and position are in place_homes.
  -- A number that a phone can dial: digits, with a + before and signs between them.
  phone text not null default '' check (char_length(phone) <= 40 and phone ~ '^(\+?([ ()./-]*[0-9]){3,15}[ ()./-]*)?$'),
  -- A page to book at; https only, and no name or password in it.
  booking_url text not null default '' check (char_length(booking_url) <= 500
    and booking_url ~ '^(https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]{1,5})?([/?#][!-~]*)?)?$'),
  constraint source_has_id check ((source = 'member') = (external_id is null)),
  constraint places_external_key unique (source, external_id),
  constraint cuisines_are_texts check (private.is_list(cuisines, 6) and private.are_texts(cuisines, 1, 40)),
  constraint safe_diets_are_a_list check (private.is_list(safe_diets, 8)),
  constraint found_places_are_everybodys check (source = 'member' or everybody),
  constraint position_is_whole check ((latitude is null) = (longitude is null)),
  constraint homes_are_private check (not home or not everybody and address = '' and latitude is null),
  constraint homes_have_no_contact check (not home or phone = '' and booking_url = '')
);

-- The address and position of a place at someone's home: row security hides rows, not columns.
create table public.place_homes (
  place_id uuid primary key references public.places (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  address text not null check (private.is_text(address, 1, 160)),
  latitude double precision check (latitude between -90 and 90),
  longitude double precision check (longitude between -180 and 180),
  constraint home_position_is_whole check ((latitude is null) = (longitude is null))
);

create index place_homes_user_idx on public.place_homes (user_id);

create index places_created_by_idx on public.places (created_by);
create index places_search_trgm_idx on public.places using gin (search_text extensions.gin_trgm_ops);
create index places_search_words_idx on public.places using gin (to_tsvector('simple', search_text));
create index places_point_idx on public.places using gist (point(longitude, latitude));
create index places_diets_idx on public.places using gin (private.diets_that_hold(safe_diets));

-- Weekly hours in the place's own zone. `closes` at or before `opens` means after midnight. A place without
-- any row has unknown hours, which is not the same as closed.
create table public.place_hours (
  id uuid primary key default gen_random_uuid(),
  place_id uuid not null references public.places (id) on delete cascade,
  weekday smallint not null check (weekday between 1 and 7), -- ISO: 1 is Monday
  opens time not null,
  closes time not null,
  unique (place_id, weekday, opens),
  -- The clock of a form: hours and minutes, and midnight is 00:00.
  constraint hours_are_on_the_clock check (
    opens < '24:00' and closes < '24:00' and extract(second from opens) = 0 and extract(second from closes) = 0
  )
);

create table public.saved_places (
  user_id uuid not null references public.profiles (id) on delete cascade,
  place_id uuid not null references public.places (id) on delete cascade,
  saved_at timestamptz not null default now(),
  primary key (user_id, place_id)
);

create index saved_places_place_id_idx on public.saved_places (place_id);

create table public.place_diet_claims (
  id uuid primary key default gen_random_uuid(),
  place_id uuid not null references public.places (id) on delete cascade,
  diet public.diet not null,
  -- The person who claims it; null for the place's source, and for people whose account is gone.
  made_by uuid references public.profiles (id) on delete set null,
  from_source boolean not null default false,
  holds boolean not null, -- false: doubted
  made_at timestamptz not null default now()
);

create unique index place_diet_claims_one_word on public.place_diet_claims (place_id, diet, made_by);
create index place_diet_claims_made_by_idx on public.place_diet_claims (made_by);

-- What the server itself found elsewhere, by its id there: the function find-places writes it, nobody reads it.
create table private.found_places (
  external_id text primary key check (char_length(external_id) <= 40),
  safe_diets public.diet[] not null,
  found_at timestamptz not null default now()
);
