-- Nosh's schema until here: the files of supabase/schemas in the order of config.toml, then those of supabase/rows.
-- homebase: replaces 20261126090032 20261126100000 20261126100001 20261126100002 20261126100003 20261126150753 20261126184138 20261127174500

-- schemas/foundation.sql

-- The private schema, the extensions, and the rights that nothing has by default.

create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;

-- Not exposed by the API. Policies and functions of `public` call into it.
create schema private;
grant usage on schema private to authenticated, service_role, anon;

-- Nothing is granted by default. Hosted default privileges give every new table and function of `public` to anon
-- and authenticated; here each file grants what its tables and functions are meant for.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

-- schemas/errors.sql

-- The errors a person can meet. Their rows are in rows/errors.sql.

create table private.errors (
  code text primary key check (code ~ '^[a-z][a-z_]*$'),
  status smallint not null check (status between 400 and 499),
  message text not null,
  hint text not null
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Raises the error of the catalogue. PostgREST turns SQLSTATE PTxyz into HTTP status xyz and passes DETAIL
-- (the stable machine code) and HINT on to the client.
create function private.refuse(code text) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  entry private.errors;
begin
  select * into entry from private.errors as e where e.code = refuse.code;
  if not found then
    raise exception 'The error catalogue has no entry %', refuse.code;
  end if;
  raise exception using
    errcode = 'PT' || entry.status, message = entry.message, detail = entry.code, hint = entry.hint;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Comments

comment on table private.errors is
  'Every refusal of a database function. The API answers with this status; DETAIL carries the code, HINT what to do.';

-- schemas/values.sql

-- Rules of values, shared by constraints and functions.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Without the blanks around it: all that JavaScript's trim() takes away, so that form and database agree.
create function private.trimmed(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return btrim(value, E' \t\n\r\f\u000b\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff');

-- A text has no blanks around it. One that must not be empty has something that can be seen: joiners, marks of
-- direction and fillers are not enough (web/src/lib/rules.ts has the same list).
create function private.is_text(value text, min integer, max integer) returns boolean
  language sql immutable set search_path = ''
  return value = private.trimmed(value) and char_length(value) between min and max
    and (min = 0 or private.trimmed(regexp_replace(value,
      -- Unicode's Default_Ignorable_Code_Point, and the empty Braille pattern.
      '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
      '', 'g')) <> '');

-- Without line breaks, and without what makes the text around it run the other way (web/src/lib/rules.ts has the same
-- list). The marks U+200E and U+200F stay: Arabic and Hebrew names need them.
create function private.one_line(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return regexp_replace(value, '[\n\u000b\f\r\u0085\u2028-\u202e\u2066-\u2069]+', ' ', 'g');

-- A person's name stands in other people's sentences, mails and calendars.
create function private.is_name(value text, most integer) returns boolean
  language sql immutable set search_path = ''
  return private.is_text(value, 1, most) and value = private.one_line(value);

-- True for a zone that browsers know by the same name: an area and a city, or one of the few names of one word.
-- Postgres also takes abbreviations ("MESZ"), POSIX specifications and other sets of rules ("right/").
create function private.is_time_zone(value text) returns boolean
  language plpgsql immutable set search_path = '' as $$
begin
  if value !~ '^([A-Za-z_]+(/[A-Za-z0-9_+-]+)+|UTC|GMT|CET|EET|MET|WET|EST|HST|MST|EST5EDT|CST6CDT|MST7MDT|PST8PDT)$'
    or value ~* '^(posix|right)/' then
    return false;
  end if;
  perform pg_catalog.timezone(value, pg_catalog.now());
  return true;
exception when invalid_parameter_value then
  return false;
end $$;

-- A list as JSON has it: one dimension, nothing missing, at most so many.
create function private.is_list(value anyarray, most integer) returns boolean
  language sql immutable parallel safe set search_path = '' as $$
    select cardinality(value) <= most and coalesce(array_ndims(value), 1) = 1 and array_position(value, null) is null
  $$;

create function private.are_texts(value text[], min integer, max integer) returns boolean
  language sql immutable parallel safe set search_path = ''
  return coalesce((select bool_and(coalesce(private.is_text(one, min, max), false)) from unnest(value) as one), true);

create function private.uuid_or_null(value text) returns uuid
  language plpgsql immutable set search_path = '' as $$
begin
  return value::uuid;
exception when invalid_text_representation then
  return null;
end $$;

-- Takes the blanks around the named columns away before a row is checked.
create function private.trim_columns() returns trigger
  language plpgsql set search_path = '' as $$
declare
  row jsonb := to_jsonb(new);
  changes jsonb := '{}';
  name text;
begin
  foreach name in array tg_argv loop
    if row ->> name is distinct from private.trimmed(row ->> name) then
      changes := changes || jsonb_build_object(name, private.trimmed(row ->> name));
    end if;
  end loop;
  if changes <> '{}' then
    new := jsonb_populate_record(new, changes);
  end if;
  return new;
end $$;

create function private.touch_updated_at() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end $$;

create function private.token_hash(token text) returns bytea
  language sql immutable set search_path = ''
  return extensions.digest(token, 'sha256');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.trimmed(text), private.is_text(text, integer, integer), private.one_line(text),
  private.is_name(text, integer), private.is_time_zone(text),
  private.is_list(anyarray, integer), private.are_texts(text[], integer, integer), private.uuid_or_null(text)
  to authenticated, service_role;

-- schemas/sessions.sql

-- The caller of a request. The second step of signing in holds in the database: a session that has passed the first
-- step alone (`aal1`) of an account with a verified factor is nobody. Every policy and every function asks
-- private.caller() or private.require_caller(); auth.uid() is used in these two and nowhere else.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The person who may act in this session; null for the signed out, and until an account with a verified factor has
-- passed its second step (claim `aal`). Policies use it as `(select private.caller())`, which runs once a
-- statement. It answers null and does not raise: a policy that raises would also stop the delivery of row changes
-- to everybody else.
create function private.caller() returns uuid
  language sql stable security definer set search_path = ''
  return (
    select auth.uid()
    where auth.jwt() ->> 'aal' = 'aal2'
      or not exists (
        select 1 from auth.mfa_factors as f where f.user_id = auth.uid() and f.status = 'verified'
      )
  );

-- The same for functions that people call: refuses while the second step is owed. Null passes, for what the signed
-- out may call and for jobs that run as no person.
create function private.require_caller() returns uuid
  language plpgsql stable security definer set search_path = '' as $$
declare
  person uuid := private.caller();
begin
  if person is null and auth.uid() is not null then
    perform private.refuse('second_step_needed');
  end if;
  return person;
end $$;

create function public.my_sessions()
  returns table (id uuid, created_at timestamptz, last_used_at timestamptz, user_agent text, current boolean)
  language sql stable security definer set search_path = ''
  begin atomic
    select s.id, s.created_at, coalesce(s.refreshed_at at time zone 'UTC', s.created_at), s.user_agent,
      s.id::text = (select auth.jwt() ->> 'session_id')
    from auth.sessions as s
    where s.user_id = (select private.require_caller()) and (s.not_after is null or s.not_after > now())
    order by 5 desc, 3 desc
    limit 50;
  end;

-- Its refresh tokens go with it; the access token it still has ends within the hour.
create function public.end_session(session uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from auth.sessions as s where s.id = session and s.user_id = (select private.require_caller());
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.caller(), private.require_caller() to anon, authenticated, service_role;
grant execute on function public.my_sessions(), public.end_session(uuid) to authenticated;

-- schemas/people.tables.sql

-- People: the part that others may see (profiles) and the part that only they may see (private_profiles).

create type public.diet as enum (
  'vegetarian', 'vegan', 'pescatarian', 'halal', 'kosher', 'gluten_free', 'lactose_free', 'nut_free'
);

create type public.day_part as enum ('lunch', 'dinner');

-- No row means unanswered, which is never "no".
create type public.vote_answer as enum ('yes', 'if_need_be', 'no');

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  display_name text not null check (private.is_name(display_name, 40)),
  avatar_path text check (char_length(avatar_path) <= 200),
  diets public.diet[] not null default '{}',
  budget smallint not null default 2 check (budget between 1 and 4),
  time_zone text not null default 'UTC' check (private.is_time_zone(time_zone)),
  -- Mirrors auth.users.is_anonymous; only a trigger writes it.
  is_guest boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- True once a person has said what they eat: a list without diets then means everything.
  diets_known boolean not null default false,
  constraint diets_are_a_list check (private.is_list(diets, 8)),
  -- A row points to a file of its own person only: paths could climb, or show somebody else's picture.
  constraint avatar_is_ones_own check (
    avatar_path ~ '^[0-9a-f-]{36}/[A-Za-z0-9._-]+$' and avatar_path !~ '\.\.'
      and split_part(avatar_path, '/', 1) = id::text
  )
);

create table public.private_profiles (
  id uuid primary key references public.profiles (id) on delete cascade,
  start_latitude double precision check (start_latitude between -90 and 90),
  start_longitude double precision check (start_longitude between -180 and 180),
  mail_invites boolean not null default true,
  mail_reminders boolean not null default true,
  updated_at timestamptz not null default now(),
  language text not null default 'en' check (language in ('en', 'de')),
  -- When the person was asked what they eat, or skipped the question.
  asked_at timestamptz,
  constraint start_point_is_whole check ((start_latitude is null) = (start_longitude is null))
);

create table public.usual_times (
  user_id uuid not null default private.caller() references public.profiles (id) on delete cascade,
  -- ISO: 1 is Monday.
  weekday smallint not null check (weekday between 1 and 7),
  part public.day_part not null,
  answer public.vote_answer not null,
  primary key (user_id, weekday, part)
);

-- schemas/limits.sql

-- Limits, each with its reason, and how they are enforced. Their rows are in rows/limits.sql.

create table private.limits (
  name text primary key,
  value integer not null,
  reason text not null
);

-- How often a person has used something in the current window. The row is locked by the update that counts, so two
-- uses at once are counted one after the other.
create table private.usage (
  user_id uuid not null references public.profiles (id) on delete cascade,
  what text not null,
  since timestamptz not null,
  uses integer not null,
  primary key (user_id, what)
);

-- How often a person, a network or an address was the subject of something, by hash. Rows last a day.
create table private.daily_uses (
  subject bytea primary key,
  since timestamptz not null default now(),
  uses integer not null default 1
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.limit_of(name text) returns integer
  language sql stable security definer set search_path = ''
  return (select l.value from private.limits as l where l.name = limit_of.name);

-- Generic guard for "at most n rows of this table for one parent". Arguments: parent table, the column that
-- points to it, the limit's name, the error's code. The parent row is locked first, so that two inserts at
-- once cannot both see the last free place.
create function private.enforce_limit() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  parent_id uuid := (to_jsonb(new) ->> tg_argv[1])::uuid;
  rows_now integer;
begin
  execute format('select 1 from public.%I where id = $1 for no key update', tg_argv[0]) using parent_id;
  execute format('select count(*) from public.%I where %I = $1', tg_table_name, tg_argv[1])
    into rows_now using parent_id;
  if rows_now >= private.limit_of(tg_argv[2]) then
    perform private.refuse(tg_argv[3]);
  end if;
  return new;
end $$;

-- Counts one use by the caller. True while the count in this window is within the limit of that name.
create function private.count_use(limit_name text, every interval) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  counted integer;
begin
  insert into private.usage as u (user_id, what, since, uses)
    values ((select private.caller()), limit_name, clock_timestamp(), 1)
    on conflict (user_id, what) do update set
      since = case when u.since <= clock_timestamp() - every then clock_timestamp() else u.since end,
      uses = case when u.since <= clock_timestamp() - every then 1 else u.uses + 1 end
    returning uses into counted;
  return counted <= private.limit_of(limit_name);
end $$;

-- The network that a request comes from: its IPv4 address, or the /64 of an IPv6 address, which one household has. All
-- requests without an address are one network.
create function private.network_of_caller() returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  headers jsonb := nullif(current_setting('request.headers', true), '')::jsonb;
  given text := coalesce(
    headers ->> 'cf-connecting-ip', btrim(split_part(headers ->> 'x-forwarded-for', ',', 1)), 'unknown');
  address inet;
begin
  address := given::inet;
  return host(network(set_masklen(address, case family(address) when 6 then 64 else 32 end)));
exception when invalid_text_representation then
  return 'unknown';
end $$;

-- Counts one use of a subject, whoever is signed in. True while there were at most `most` of them within a day.
create function private.count_daily_use(subject text, most integer) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  counted integer;
begin
  delete from private.daily_uses as u where u.since <= clock_timestamp() - interval '1 day';
  insert into private.daily_uses as u (subject) values (private.token_hash(count_daily_use.subject))
    on conflict on constraint daily_uses_pkey do update set uses = u.uses + 1
    returning u.uses into counted;
  return counted <= most;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.limit_of(text) to authenticated, service_role;

-- schemas/circles.tables.sql

-- Circles: people who eat together again and again. Membership changes only through functions.

create type public.circle_role as enum ('owner', 'admin', 'member');

create table public.circles (
  id uuid primary key default gen_random_uuid(),
  name text not null check (private.is_text(name, 1, 80)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.circle_members (
  circle_id uuid not null references public.circles (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  role public.circle_role not null default 'member',
  joined_at timestamptz not null default now(),
  primary key (circle_id, user_id)
);

create index circle_members_user_id_idx on public.circle_members (user_id);
-- One owner, no more: handing over is an update of two rows, old owner first.
create unique index circle_members_one_owner on public.circle_members (circle_id) where role = 'owner';

-- schemas/places.tables.sql

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
  constraint source_has_id check ((source = 'member') = (external_id is null)),
  constraint places_external_key unique (source, external_id),
  constraint cuisines_are_texts check (private.is_list(cuisines, 6) and private.are_texts(cuisines, 1, 40)),
  constraint safe_diets_are_a_list check (private.is_list(safe_diets, 8)),
  constraint found_places_are_everybodys check (source = 'member' or everybody),
  constraint position_is_whole check ((latitude is null) = (longitude is null)),
  constraint homes_are_private check (not home or not everybody and address = '' and latitude is null)
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

-- schemas/standing_dinners.tables.sql

-- Dinners that a circle repeats. Each makes a plan some days ahead (standing_dinners.sql).

create type public.dinner_rhythm as enum ('weekly', 'biweekly', 'monthly');

create type public.host_rotation as enum ('joining', 'longest_ago');

create table public.standing_dinners (
  id uuid primary key default gen_random_uuid(),
  circle_id uuid not null references public.circles (id) on delete cascade,
  title text not null check (private.is_text(title, 1, 80)),
  rhythm public.dinner_rhythm not null,
  rotation public.host_rotation not null default 'longest_ago',
  -- A day of the rhythm: its weekday, and for a monthly dinner which of the month's (the fifth is the last).
  first_on date not null,
  -- By the clock on the wall of the zone, so that daylight saving does not move dinner.
  starts_at time not null,
  minutes smallint not null default 120 check (minutes between 15 and 720),
  time_zone text not null check (private.is_time_zone(time_zone)),
  -- The next one that has no plan yet.
  next_on date not null,
  paused boolean not null default false,
  created_at timestamptz not null default now()
);

create index standing_dinners_circle_idx on public.standing_dinners (circle_id);

-- schemas/plans.tables.sql

-- A plan and its people. Status and membership change only through functions.

-- `done` is never stored: it follows from the chosen time (private.plan_state), so no job can forget it.
create type public.plan_status as enum ('polling', 'confirmed', 'cancelled');

create type public.plan_role as enum ('host', 'cohost', 'guest');

create type public.rsvp_status as enum ('pending', 'going', 'maybe', 'declined', 'waitlisted');

create table public.plans (
  id uuid primary key default gen_random_uuid(),
  circle_id uuid references public.circles (id) on delete set null,
  title text not null check (private.is_text(title, 1, 80)),
  note text not null default '' check (char_length(note) <= 1000),
  status public.plan_status not null default 'polling',
  time_zone text not null check (private.is_time_zone(time_zone)),
  vote_deadline timestamptz,
  capacity smallint check (capacity between 2 and 20), -- null: no limit but the table's
  guests_may_propose boolean not null default true,
  results_hidden boolean not null default false, -- others' votes show once one has voted
  chosen_time_id uuid,
  chosen_place_id uuid,
  -- Grows with every change that a calendar must hear of (the SEQUENCE of its ICS event).
  revision integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Since when the chosen table is ready, and which host said so. A broadcast on the plan's channel says nothing of who
  -- sent it, so what is shown is what the plan says when it is read.
  ready_at timestamptz,
  ready_by uuid references public.profiles (id) on delete set null,
  nudged_at timestamptz,
  decides_itself boolean not null default false,
  proposed_time_id uuid,
  proposed_place_id uuid,
  proposed_at timestamptz,
  -- Until when people may object; then the proposal is confirmed.
  veto_until timestamptz,
  vetoed_by uuid references public.profiles (id) on delete set null,
  vetoed_at timestamptz,
  veto_reason text not null default '' check (char_length(veto_reason) <= 140),
  -- Why there is no proposal, though the deadline has passed.
  undecided text check (undecided in (
    'nobody_voted', 'no_pair', 'unsafe', 'required_out', 'too_late', 'tie', 'closed', 'options_changed')),
  -- The deadline that was acted upon: each deadline has one proposal at most.
  decided_deadline timestamptz,
  standing_id uuid,
  -- Which one it is: a standing dinner has one plan for each day.
  standing_on date,
  -- The pair before the hosts' last change of the choice; null as long as the choice is the one that was voted for.
  moved_from_time_id uuid,
  moved_from_place_id uuid,
  -- Whether the plan's own address takes a seat for anybody with a name, without asking the hosts.
  joins_by_link boolean not null default false,
  constraint plans_standing_fkey foreign key (standing_id) references public.standing_dinners (id) on delete set null,
  constraint choice_is_whole check (chosen_time_id is not null or chosen_place_id is null), -- the place may follow
  constraint confirmed_has_choice check (status <> 'confirmed' or chosen_time_id is not null),
  constraint deadline_is_a_day check (isfinite(vote_deadline)),
  constraint proposal_is_whole check (num_nulls(proposed_time_id, proposed_at, veto_until) in (0, 3)
    and (proposed_time_id is not null or proposed_place_id is null))
);

create index plans_circle_id_idx on public.plans (circle_id);
create index plans_chosen_time_idx on public.plans (chosen_time_id, id);
create index plans_chosen_place_idx on public.plans (chosen_place_id, id);
create index plans_ready_by_idx on public.plans (ready_by);
create index plans_proposed_time_idx on public.plans (proposed_time_id, id);
create index plans_proposed_place_idx on public.plans (proposed_place_id, id);
create index plans_vetoed_by_idx on public.plans (vetoed_by);
create index plans_to_decide_idx on public.plans (vote_deadline) where decides_itself and status = 'polling';
create index plans_veto_until_idx on public.plans (veto_until) where veto_until is not null;
create index plans_moved_from_time_idx on public.plans (moved_from_time_id, id);
create index plans_moved_from_place_idx on public.plans (moved_from_place_id, id);
create unique index plans_standing_idx on public.plans (standing_id, standing_on);

create table public.plan_members (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  role public.plan_role not null default 'guest',
  rsvp public.rsvp_status not null default 'pending',
  plus_ones smallint not null default 0 check (plus_ones between 0 and 5),
  waitlisted_at timestamptz,
  joined_at timestamptz not null default now(),
  -- Since when this person has answered at least one time or place. Says that they answered, never what: a plan may hide
  -- results, and the others still want to know whom they wait for.
  answered_at timestamptz,
  -- The host says so: without them there is no dinner.
  required boolean not null default false,
  -- When the answer was given: the order in which a confirmed table is filled.
  rsvp_at timestamptz,
  -- Since when a person has taken part in the plan: came by a link, answered, or said that they come. Null for
  -- those whom the host seated and who have done nothing yet.
  accepted_at timestamptz,
  primary key (plan_id, user_id),
  constraint waitlist_has_order check ((rsvp = 'waitlisted') = (waitlisted_at is not null))
);

create index plan_members_user_id_idx on public.plan_members (user_id);
create unique index plan_members_one_host on public.plan_members (plan_id) where role = 'host';

-- schemas/votes.tables.sql

-- The times and places that people can vote on, and their votes.

create table public.time_options (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  proposed_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  unique (plan_id, starts_at, ends_at),
  unique (id, plan_id),
  constraint meal_has_length check (ends_at - starts_at between interval '15 minutes' and interval '12 hours')
);

create index time_options_proposed_by_idx on public.time_options (proposed_by);

create table public.place_options (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  place_id uuid not null references public.places (id) on delete cascade,
  proposed_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  unique (plan_id, place_id),
  unique (id, plan_id)
);

create index place_options_proposed_by_idx on public.place_options (proposed_by);
create index place_options_place_id_idx on public.place_options (place_id);

-- The composite keys hold that a vote's option, its voter's seat and a plan's choice are of one plan. A seat can pass
-- to another person with all that hangs on it (votes, reactions, reads, ratings, arrivals, waiting messages): the
-- keys follow the seat. Only functions of the owner change a seat's person.
create table public.time_votes (
  option_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  answer public.vote_answer not null,
  voted_at timestamptz not null default now(),
  yes_at timestamptz, -- the first yes; later answers do not move it
  primary key (option_id, user_id),
  foreign key (option_id, plan_id) references public.time_options (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index time_votes_option_plan_idx on public.time_votes (option_id, plan_id);
create index time_votes_member_idx on public.time_votes (plan_id, user_id);
create index time_votes_user_idx on public.time_votes (user_id);

create table public.place_votes (
  option_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  answer public.vote_answer not null,
  voted_at timestamptz not null default now(),
  primary key (option_id, user_id),
  foreign key (option_id, plan_id) references public.place_options (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index place_votes_option_plan_idx on public.place_votes (option_id, plan_id);
create index place_votes_member_idx on public.place_votes (plan_id, user_id);
create index place_votes_user_idx on public.place_votes (user_id);

alter table public.plans
  add constraint plans_chosen_time_fkey foreign key (chosen_time_id, id)
    references public.time_options (id, plan_id),
  add constraint plans_chosen_place_fkey foreign key (chosen_place_id, id)
    references public.place_options (id, plan_id),
  add constraint plans_proposed_time_fkey foreign key (proposed_time_id, id)
    references public.time_options (id, plan_id),
  add constraint plans_proposed_place_fkey foreign key (proposed_place_id, id)
    references public.place_options (id, plan_id),
  add constraint plans_moved_from_time_fkey foreign key (moved_from_time_id, id)
    references public.time_options (id, plan_id),
  add constraint plans_moved_from_place_fkey foreign key (moved_from_place_id, id)
    references public.place_options (id, plan_id);

-- schemas/meals.tables.sql

-- Arrivals on the day, and ratings afterwards.

create type public.arrival_status as enum ('not_left', 'on_the_way', 'arrived');

create table public.arrivals (
  plan_id uuid not null,
  user_id uuid not null,
  status public.arrival_status not null default 'not_left',
  eta timestamptz,
  updated_at timestamptz not null default now(),
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create table public.ratings (
  plan_id uuid not null,
  user_id uuid not null,
  place_id uuid references public.places (id) on delete cascade, -- null: the meal had none in the plan
  stars smallint not null check (stars between 1 and 5),
  comment text not null default '' check (char_length(comment) <= 500),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index ratings_place_idx on public.ratings (place_id);

-- schemas/people.sql

-- What a new account begins with, and who knows whom.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.is_guest() returns boolean
  language sql stable security definer set search_path = ''
  return coalesce((select p.is_guest from public.profiles as p where p.id = (select private.caller())), true);

-- A name for a new user, from what the sign-up brought along, never empty, never too long and of one line.
create function private.name_from(meta jsonb, email text) returns text
  language sql immutable set search_path = ''
  return coalesce(
    nullif(private.trimmed(left(private.trimmed(private.one_line(meta ->> 'display_name')), 40)), ''),
    nullif(private.trimmed(left(private.trimmed(private.one_line(meta ->> 'full_name')), 40)), ''),
    nullif(private.trimmed(left(private.trimmed(private.one_line(meta ->> 'name')), 40)), ''),
    nullif(private.trimmed(left(private.one_line(split_part(email, '@', 1)), 40)), ''),
    'Guest'
  );

-- Runs as the owner because the auth service that inserts users has no rights in public.
create function private.handle_new_user() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  zone text := coalesce(new.raw_user_meta_data ->> 'time_zone', 'UTC');
begin
  if not private.is_time_zone(zone) then
    zone := 'UTC';
  end if;
  insert into public.profiles (id, display_name, time_zone, is_guest)
  values (new.id, private.name_from(new.raw_user_meta_data, new.email), zone, coalesce(new.is_anonymous, false))
  on conflict (id) do nothing;
  insert into public.private_profiles (id) values (new.id) on conflict (id) do nothing;
  return new;
end $$;

-- A guest who adds an email address stays the same person; only the mark goes.
create function private.handle_user_upgraded() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set is_guest = coalesce(new.is_anonymous, false) where id = new.id;
  return new;
end $$;

-- Diets that somebody has named are known.
create function private.know_diets() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.diets <> '{}' then
    new.diets_known := true;
  end if;
  return new;
end $$;

-- Everyone one shares a plan or a circle with.
create function private.known_people() returns setof uuid
  language sql stable security definer rows 50 set search_path = ''
  begin atomic
    select other.user_id
    from public.plan_members as mine join public.plan_members as other on other.plan_id = mine.plan_id
    where mine.user_id = (select private.caller())
    union
    select other.user_id
    from public.circle_members as mine join public.circle_members as other on other.circle_id = mine.circle_id
    where mine.user_id = (select private.caller());
  end;

-- The people whom the caller may seat at a new plan: of a shared circle, which nobody can be added to by others, or
-- of a shared plan that they joined themselves.
create function private.invitable_people() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select other.user_id
    from public.plan_members as mine join public.plan_members as other on other.plan_id = mine.plan_id
    where mine.user_id = (select private.caller()) and other.accepted_at is not null
    union
    select other.user_id
    from public.circle_members as mine join public.circle_members as other on other.circle_id = mine.circle_id
    where mine.user_id = (select private.caller());
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.profiles enable row level security;
alter table public.private_profiles enable row level security;
alter table public.usual_times enable row level security;

-- Other readers of a profile follow from plans and circles (private.known_people).
create policy "own profile is updated by its person" on public.profiles
  for update to authenticated
  using (id = (select private.caller())) with check (id = (select private.caller()));
create policy "profiles are read by people who share a table or circle" on public.profiles
  for select to authenticated
  using (id = (select private.caller()) or id = any (array(select private.known_people())));

create policy "private profile is read by its person" on public.private_profiles
  for select to authenticated using (id = (select private.caller()));
create policy "private profile is updated by its person" on public.private_profiles
  for update to authenticated
  using (id = (select private.caller())) with check (id = (select private.caller()));

create policy "usual times are read by their person" on public.usual_times
  for select to authenticated using (user_id = (select private.caller()));
create policy "usual times are written by their person" on public.usual_times
  for insert to authenticated with check (user_id = (select private.caller()));
create policy "usual times are changed by their person" on public.usual_times
  for update to authenticated
  using (user_id = (select private.caller())) with check (user_id = (select private.caller()));
create policy "usual times are removed by their person" on public.usual_times
  for delete to authenticated using (user_id = (select private.caller()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger touch before update on public.profiles
  for each row execute function private.touch_updated_at();
create trigger touch before update on public.private_profiles
  for each row execute function private.touch_updated_at();
create trigger on_auth_user_created after insert on auth.users
  for each row execute function private.handle_new_user();
create trigger on_auth_user_upgraded after update of is_anonymous on auth.users
  for each row when (old.is_anonymous is distinct from new.is_anonymous)
  execute function private.handle_user_upgraded();
-- `a_`: triggers run in the order of their names, and the others see the text that is kept.
create trigger a_trim before insert or update of display_name on public.profiles
  for each row execute function private.trim_columns('display_name');
create trigger know_diets before insert or update of diets, diets_known on public.profiles
  for each row execute function private.know_diets();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, update (display_name, avatar_path, diets, budget, time_zone, diets_known)
  on public.profiles to authenticated;
grant select, update (start_latitude, start_longitude, mail_invites, mail_reminders, language, asked_at)
  on public.private_profiles to authenticated;
grant select, insert, update, delete on public.usual_times to authenticated;
grant execute on function private.is_guest(), private.known_people() to authenticated, service_role;

-- schemas/circles.sql

-- Functions and policies of circles.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Set-returning and definer: policies ask for an array of them, which Postgres makes once a statement, and which does
-- not recurse into the policies of circle_members. With `in (select f())` the planner takes a set of unknown size for a
-- large one, and joins it with the whole table.
create function private.my_circle_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.circle_id from public.circle_members as m where m.user_id = (select private.caller());
  end;

create function private.my_admin_circle_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.circle_id from public.circle_members as m
    where m.user_id = (select private.caller()) and m.role in ('owner', 'admin');
  end;

-- Refuses callers who are not an admin of the circle, and locks the circle.
create function private.require_circle_admin(circle uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
begin
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif mine = 'member' then
    perform private.refuse('not_circle_admin');
  end if;
  perform 1 from public.circles as c where c.id = circle for no key update;
end $$;

create function public.create_circle(name text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_circle uuid;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  -- Two circles at once are counted one after the other.
  perform 1 from public.profiles as p where p.id = caller for no key update;
  if (
    select count(*) from public.circle_members as m where m.user_id = caller and m.role = 'owner'
  ) >= private.limit_of('circles_owned') then
    perform private.refuse('too_many_circles');
  end if;
  insert into public.circles (name) values (private.trimmed(create_circle.name)) returning id into new_circle;
  insert into public.circle_members (circle_id, user_id, role) values (new_circle, caller, 'owner');
  return new_circle;
end $$;

-- Makes a member an admin or the other way, by the owner; with `owner` the caller hands the circle over and
-- stays as an admin.
create function public.set_circle_role(circle uuid, person uuid, role public.circle_role) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
begin
  if circle in (select private.my_circle_ids()) then
    perform 1 from public.circles as c where c.id = circle for no key update;
  end if;
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif mine <> 'owner' then
    perform private.refuse('not_circle_owner');
  elsif not exists (
    select 1 from public.circle_members as m where m.circle_id = circle and m.user_id = person
  ) then
    perform private.refuse('person_not_found');
  elsif person = caller then
    if set_circle_role.role <> 'owner' then
      perform private.refuse('owner_cannot_leave');
    end if;
    return;
  end if;
  if set_circle_role.role = 'owner' then
    update public.circle_members as m set role = 'admin' where m.circle_id = circle and m.user_id = caller;
  end if;
  update public.circle_members as m set role = set_circle_role.role
    where m.circle_id = circle and m.user_id = person;
end $$;

-- Takes someone out of a circle; oneself, or, as an admin, another. Admins are removed by the owner only.
create function public.remove_circle_member(circle uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  mine public.circle_role;
  theirs public.circle_role;
begin
  if circle in (select private.my_circle_ids()) then
    perform 1 from public.circles as c where c.id = circle for no key update;
  end if;
  select m.role into mine from public.circle_members as m where m.circle_id = circle and m.user_id = caller;
  select m.role into theirs from public.circle_members as m where m.circle_id = circle and m.user_id = person;
  if mine is null then
    perform private.refuse('circle_not_found');
  elsif theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'owner' then
    perform private.refuse('owner_cannot_leave');
  elsif person <> caller and mine = 'member' then
    perform private.refuse('not_circle_admin');
  elsif person <> caller and theirs = 'admin' and mine <> 'owner' then
    perform private.refuse('not_circle_owner');
  end if;
  delete from public.circle_members as m where m.circle_id = circle and m.user_id = person;
  if person <> caller then
    insert into private.removals (circle_id, user_id) values (circle, person)
      on conflict (circle_id, user_id) do update set removed_at = clock_timestamp();
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.circles enable row level security;
alter table public.circle_members enable row level security;

create policy "circles are read by their people" on public.circles
  for select to authenticated using (id = any (array(select private.my_circle_ids())));
create policy "circles are renamed by their admins" on public.circles
  for update to authenticated
  using (id = any (array(select private.my_admin_circle_ids())))
  with check (id = any (array(select private.my_admin_circle_ids())));
create policy "circles are deleted by their owner" on public.circles
  for delete to authenticated using (
    exists (
      select 1 from public.circle_members as m
      where m.circle_id = circles.id and m.user_id = (select private.caller()) and m.role = 'owner'
    )
  );

create policy "members are read by the circle" on public.circle_members
  for select to authenticated using (circle_id = any (array(select private.my_circle_ids())));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger touch before update on public.circles
  for each row execute function private.touch_updated_at();
create trigger limit_people before insert on public.circle_members
  for each row execute function private.enforce_limit('circles', 'circle_id', 'circle_people', 'circle_full');
create trigger a_trim before insert or update of name on public.circles
  for each row execute function private.trim_columns('name');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, update (name), delete on public.circles to authenticated;
grant select on public.circle_members to authenticated;
grant execute on function private.my_circle_ids(), private.my_admin_circle_ids() to authenticated, service_role;
grant execute on function public.create_circle(text), public.set_circle_role(uuid, uuid, public.circle_role),
  public.remove_circle_member(uuid, uuid) to authenticated;

-- schemas/circle_places.sql

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

-- schemas/plans.sql

-- Functions and policies of plans: starting, cancelling, restoring, asking for votes, calling to the table. Every
-- step is one function and one transaction; a step that is not allowed is refused with an error of the catalogue.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Set-returning and definer: policies ask for them once a statement, and do not recurse into the policies of
-- plan_members. One sits at a few dozen plans; the planner would guess a thousand.
-- Tables that are listed without naming a plan ask for an array of them, by which an index finds the rows. Tables that
-- are read plan by plan (members, options, votes, arrivals, ratings) ask with `in`, whose hash is made once: an array
-- would be sorted for each plan of a list, and the home screen of a thousand plans took eight times as long.
create function private.my_plan_ids() returns setof uuid
  language sql stable security definer rows 20 set search_path = ''
  begin atomic
    select m.plan_id from public.plan_members as m where m.user_id = (select private.caller());
  end;

create function private.my_hosted_plan_ids() returns setof uuid
  language sql stable security definer rows 20 set search_path = ''
  begin atomic
    select m.plan_id from public.plan_members as m
    where m.user_id = (select private.caller()) and m.role in ('host', 'cohost');
  end;

-- Those of one's plans that are being voted on.
create function private.my_polling_plan_ids() returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id from public.plan_members as m join public.plans as p on p.id = m.plan_id
    where m.user_id = (select private.caller()) and p.status = 'polling';
  end;

create function private.is_plan_member(plan uuid) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from public.plan_members as m where m.plan_id = plan and m.user_id = (select private.caller())
  );

create function private.is_plan_host(plan uuid) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from public.plan_members as m
    where m.plan_id = plan and m.user_id = (select private.caller()) and m.role in ('host', 'cohost')
  );

-- polling, confirmed, done or cancelled, at the time of the statement.
create function private.plan_state(plan public.plans) returns text
  language sql stable security definer set search_path = ''
  return case
    when plan.status = 'confirmed' and exists (
      select 1 from public.time_options as t
      where t.id = plan.chosen_time_id
        and t.ends_at + make_interval(hours => private.limit_of('done_after_hours')) <= now()
    ) then 'done'
    else plan.status::text
  end;

-- The plan, locked until the end of the transaction, if the caller sits at it (and, on demand, hosts it). A
-- stranger gets the same answer as for a plan that does not exist. Seat and role are read after the lock is held:
-- they may have changed while it was waited for.
create function private.plan_of_caller(plan uuid, as_host boolean) returns public.plans
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans;
begin
  -- A stranger takes no lock.
  if private.is_plan_member(plan) then
    perform 1 from public.plans as p where p.id = plan for no key update;
  end if;
  select * into this from public.plans as p where p.id = plan and exists (
    select 1 from public.plan_members as m where m.plan_id = plan and m.user_id = caller
  );
  if not found then
    perform private.refuse('plan_not_found');
  end if;
  if as_host and not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  end if;
  return this;
end $$;

create function private.require_open(this public.plans) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
end $$;

create function private.require_polling(this public.plans) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_open(this);
  if this.status <> 'polling' then
    perform private.refuse('plan_not_polling');
  end if;
end $$;

-- Refuses what is for the day of a confirmed plan only.
create function private.require_the_day(this public.plans) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (select t.starts_at from public.time_options as t where t.id = this.chosen_time_id)
    > now() + make_interval(hours => private.limit_of('arrival_opens_hours')) then
    perform private.refuse('not_the_day');
  end if;
end $$;

-- A deadline after the last time that could be suggested is refused.
create function private.check_deadline() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is null then
    return new;
  elsif new.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  elsif new.vote_deadline > now() + make_interval(days => private.limit_of('time_option_days')) then
    perform private.refuse('time_too_far');
  end if;
  return new;
end $$;

-- A calendar must hear of a new title or note as well as of a new time (its SEQUENCE).
create function private.count_revision() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.revision = old.revision and (new.title, new.note) is distinct from (old.title, old.note) then
    new.revision := old.revision + 1;
  end if;
  return new;
end $$;

create function public.create_plan(
  title text,
  time_zone text,
  note text default '',
  circle uuid default null,
  times jsonb default '[]',
  places uuid[] default '{}',
  people uuid[] default '{}',
  vote_deadline timestamptz default null,
  capacity integer default null,
  guests_may_propose boolean default true,
  results_hidden boolean default false,
  decides_itself boolean default false,
  new_places jsonb default '[]'
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  account_age interval;
  entry jsonb;
  place uuid;
begin
  if circle is not null and circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  end if;
  if create_plan.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  end if;
  select now() - p.created_at into account_age from public.profiles as p
    where p.id = caller for update; -- two plans at once are counted one after the other
  if private.is_guest() and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and private.plan_state(p) in ('polling', 'confirmed')
      and not exists (select 1 from private.sample_plans as s where s.plan_id = p.id)
  ) >= private.limit_of('guest_plans') then
    perform private.refuse('too_many_guest_plans');
  elsif private.is_guest() and not private.count_daily_use(
    'guest plan network ' || private.network_of_caller(), private.limit_of('guest_plans_per_network')
  ) then
    perform private.refuse('too_many_plans');
  end if;
  if account_age < make_interval(days => private.limit_of('new_account_days')) and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and p.created_at > now() - interval '1 day'
  ) >= private.limit_of('plans_per_day') then
    perform private.refuse('too_many_plans');
  end if;

  insert into public.plans
    (circle_id, title, note, time_zone, vote_deadline, capacity, guests_may_propose, results_hidden,
     decides_itself)
  values
    (circle, private.trimmed(create_plan.title), private.trimmed(create_plan.note), create_plan.time_zone,
     create_plan.vote_deadline, create_plan.capacity, create_plan.guests_may_propose, create_plan.results_hidden,
     create_plan.decides_itself)
  returning id into new_plan;
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, caller, 'host');
  insert into public.plan_members (plan_id, user_id)
    select new_plan, person from (
      select distinct person from unnest(people) as person
      where person <> caller and person in (select private.invitable_people())
    ) as known;
  for entry in select * from jsonb_array_elements(times) loop
    perform private.add_time(new_plan, (entry ->> 'starts_at')::timestamptz, (entry ->> 'ends_at')::timestamptz);
  end loop;
  foreach place in array places loop
    perform private.add_place(new_plan, place);
  end loop;
  for entry in select * from jsonb_array_elements(new_places) loop
    perform private.add_named_place(new_plan, entry ->> 'name', entry);
  end loop;
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $$;

create function public.cancel_plan(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_open(this);
  update public.plans set status = 'cancelled', revision = revision + 1 where id = plan;
  perform private.notify_table(plan, 'plan_cancelled');
end $$;

-- Brings a cancelled plan back to where it was, until the day it was for is over.
create function public.restore_plan(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status <> 'cancelled' then
    perform private.refuse('plan_not_cancelled');
  end if;
  if exists (
    select 1 from public.time_options as t
    where t.id = this.chosen_time_id
      and (now() at time zone this.time_zone)::date > (t.ends_at at time zone this.time_zone)::date
  ) then
    perform private.refuse('plan_over');
  end if;
  update public.plans set revision = revision + 1,
    status = case when chosen_time_id is null then 'polling' else 'confirmed' end::public.plan_status
    where id = plan;
  perform private.notify_table(plan, 'plan_restored');
end $$;

create function private.tell_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is not null and private.plan_state(new) = 'confirmed' then
    -- Several corrections are one line in the activity, until it was read.
    delete from public.notifications as n
      where n.plan_id = new.id and n.kind = 'plan_changed' and n.read_at is null;
    perform private.notify_table(new.id, 'plan_changed');
  end if;
  return null;
end $$;

-- Asks everybody who has said nothing to vote, and returns how many they are.
create function public.nudge_voters(plan uuid) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  nudged integer;
begin
  perform private.require_polling(this);
  if this.vote_deadline <= now() then
    perform private.refuse('voting_closed');
  elsif this.nudged_at > now() - make_interval(hours => private.limit_of('nudge_hours')) then
    perform private.refuse('nudged_today');
  end if;
  insert into public.notifications (user_id, kind, plan_id, actor_id)
    select who.user_id, 'vote_nudge', this.id, caller from private.plan_people(this.id) as who
    where who.user_id <> caller and who.state = 'asked'
      and exists (select 1 from public.time_options as t where t.plan_id = this.id and t.starts_at > now());
  get diagnostics nudged = row_count;
  if nudged = 0 then
    perform private.refuse('nobody_to_nudge');
  end if;
  update public.plans as p set nudged_at = now() where p.id = this.id;
  return nudged;
end $$;

-- With another choice, or none, the table is not ready any more. A place for a time that was decided alone is no other
-- choice.
create function private.clear_ready() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.chosen_time_id is distinct from old.chosen_time_id
    or old.chosen_place_id is not null and new.chosen_place_id is distinct from old.chosen_place_id then
    new.ready_at := null;
    new.ready_by := null;
  end if;
  return new;
end $$;

-- A host says that the table is ready: once, and with the message that stays in the conversation (`said`, in the
-- host's words). Saying it again changes nothing.
create function public.call_to_table(plan uuid, said text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_the_day(this);
  if this.ready_at is not null then
    return;
  end if;
  insert into public.messages (plan_id, author_id, client_id, body)
    values (plan, caller, gen_random_uuid(), said);
  update public.plans as p set ready_at = now(), ready_by = caller where p.id = plan;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.plans enable row level security;
alter table public.plan_members enable row level security;

create policy "plans are read by their people" on public.plans
  for select to authenticated using (id = any (array(select private.my_plan_ids())));
create policy "plans are edited by their hosts" on public.plans
  for update to authenticated
  using (id = any (array(select private.my_hosted_plan_ids())))
  with check (id = any (array(select private.my_hosted_plan_ids())));

create policy "members are read by the table" on public.plan_members
  for select to authenticated using (plan_id in (select private.my_plan_ids()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger touch before update on public.plans
  for each row execute function private.touch_updated_at();
create trigger limit_people before insert on public.plan_members
  for each row execute function private.enforce_limit('plans', 'plan_id', 'plan_people', 'plan_full');
create trigger count_revision before update on public.plans
  for each row execute function private.count_revision();
create trigger clear_ready before update of chosen_time_id, chosen_place_id on public.plans
  for each row execute function private.clear_ready();
create trigger check_deadline before update of vote_deadline on public.plans
  for each row when (new.vote_deadline is distinct from old.vote_deadline)
  execute function private.check_deadline();
create trigger check_new_deadline before insert on public.plans
  for each row when (new.vote_deadline is not null) execute function private.check_deadline();
create trigger tell_change after update of title, note on public.plans
  for each row when ((new.title, new.note) is distinct from (old.title, old.note)
    and new.status = 'confirmed' and old.status = 'confirmed')
  execute function private.tell_change();
create trigger a_trim before insert or update of title, note, veto_reason on public.plans
  for each row execute function private.trim_columns('title', 'note', 'veto_reason');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, update (title, note, vote_deadline, capacity, guests_may_propose, results_hidden, decides_itself,
  joins_by_link) on public.plans to authenticated;
grant select on public.plan_members to authenticated;
grant execute on function private.my_plan_ids(), private.my_hosted_plan_ids(), private.my_polling_plan_ids(),
  private.is_plan_member(uuid), private.is_plan_host(uuid) to authenticated, service_role;
grant execute on function
  public.create_plan(text, text, text, uuid, jsonb, uuid[], uuid[], timestamptz, integer, boolean, boolean, boolean,
    jsonb),
  public.cancel_plan(uuid), public.restore_plan(uuid), public.nudge_voters(uuid), public.call_to_table(uuid, text)
  to authenticated;

-- schemas/person_states.sql

-- The state of a person in a plan: derived from what they voted and said and where they are, never stored. The app has
-- the same rule (personState in functions/_shared/table); both pass one table of cases.

create type public.person_state as enum (
  'asked', 'voted', 'expected', 'maybe', 'waitlisted', 'not_coming', 'on_the_way', 'here', 'was_there');

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- What the votes for the chosen time and place say about coming. After a change of the choice they were for something
-- else; a host without an answer comes.
create function private.answer_of_votes(
  moved boolean, role public.plan_role, time_vote public.vote_answer, place_vote public.vote_answer
) returns public.rsvp_status
  language sql immutable parallel safe set search_path = ''
  return case
    when moved then 'pending'
    when time_vote = 'no' then 'declined'
    when place_vote = 'no' then 'pending'
    when time_vote = 'if_need_be' then 'maybe'
    when time_vote = 'yes' or role = 'host' then 'going'
    else 'pending'
  end::public.rsvp_status;

create function private.person_state(
  plan text, moved boolean, role public.plan_role, said public.rsvp_status, voted boolean,
  time_vote public.vote_answer, place_vote public.vote_answer, arrival public.arrival_status
) returns public.person_state
  language sql immutable parallel safe set search_path = ''
  begin atomic
    select case
      when plan = 'cancelled' then 'not_coming'
      when plan = 'polling' then case
        when said = 'declined' then 'not_coming' when voted or said <> 'pending' then 'voted' else 'asked' end
      when plan = 'done' then case
        when arrival in ('arrived', 'on_the_way') or answer = 'going' then 'was_there'
        when answer = 'maybe' then 'maybe' else 'not_coming' end
      when arrival = 'arrived' then 'here'
      when arrival = 'on_the_way' then 'on_the_way'
      else case answer
        when 'pending' then 'asked' when 'going' then 'expected' when 'declined' then 'not_coming'
        else answer::text end
    end::public.person_state
    from (
      select case said
        when 'pending' then private.answer_of_votes(moved, role, time_vote, place_vote) else said end as answer
    ) as given;
  end;

-- The people of a plan: their state, the seats that they take (0 while they are not expected), and since when: the
-- time of what they said, or of the first yes to the chosen time.
create function private.plan_people(plan uuid)
  returns table (user_id uuid, role public.plan_role, state public.person_state, seats integer, since timestamptz)
  language sql stable security definer set search_path = ''
  begin atomic
    select one.user_id, one.role, one.state,
      case when one.state in ('expected', 'on_the_way', 'here', 'was_there') then 1 + one.plus_ones else 0 end,
      one.since
    from (
      select m.user_id, m.role, m.plus_ones,
        private.person_state(private.plan_state(p), p.moved_from_time_id is not null, m.role, m.rsvp,
          m.answered_at is not null, t.answer, k.answer, a.status) as state,
        coalesce(
          least(case m.rsvp when 'going' then m.rsvp_at end, case t.answer when 'yes' then coalesce(t.yes_at, t.voted_at) end),
          m.joined_at) as since
      from public.plans as p
      join public.plan_members as m on m.plan_id = p.id
      left join public.time_votes as t on t.option_id = p.chosen_time_id and t.user_id = m.user_id
      left join public.place_votes as k on k.option_id = p.chosen_place_id and k.user_id = m.user_id
      left join public.arrivals as a on a.plan_id = p.id and a.user_id = m.user_id
      where p.id = plan_people.plan
    ) as one;
  end;

-- schemas/diets.sql

-- Claims that a place is safe for a diet, each with its person and time. The server writes the claims of a place's
-- source. A diet that somebody doubts is not known to be safe, and neither is a diet that implies it: a doubt about
-- vegetarian is a doubt about vegan, too.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Whether the diets that are known to be safe cover this one: the rule of functions/_shared/ranking/diets.ts.
create function private.covers(safe public.diet[], wanted public.diet) returns boolean
  language sql immutable parallel safe set search_path = ''
  return wanted = any (safe)
    or (wanted in ('vegetarian', 'pescatarian', 'lactose_free') and 'vegan' = any (safe))
    or (wanted = 'pescatarian' and 'vegetarian' = any (safe));

-- `safe_diets` is what the claims come to: confirmed by somebody and doubted by nobody.
create function private.settle_place(place uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    update public.places as p set safe_diets = settled.diets
      from (
        select coalesce(array_agg(said.diet order by said.diet), '{}') as diets
        from (
          select distinct c.diet from public.place_diet_claims as c where c.place_id = place and c.holds
        ) as said
        where not exists (
          select 1 from public.place_diet_claims as doubt
          where doubt.place_id = place and not doubt.holds
            and doubt.diet = any (private.diets_that_hold(array[said.diet]))
        )
      ) as settled
      where p.id = place and p.safe_diets is distinct from settled.diets;
  end;

create function private.settle_diets() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.settle_place(coalesce(new.place_id, old.place_id));
  return null;
end $$;

create function private.claim_diet(place uuid, diet public.diet, person uuid, holds boolean) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    insert into public.place_diet_claims (place_id, diet, made_by, holds)
      values (place, claim_diet.diet, person, claim_diet.holds)
      on conflict (place_id, diet, made_by) do update set holds = excluded.holds, made_at = now()
      where place_diet_claims.holds is distinct from excluded.holds;
  end;

-- A change of `safe_diets` is a claim of the person who makes it: added diets are confirmed, removed ones doubted.
-- The diets that a place's source names are claims of the source.
create function private.note_diet_claims() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(private.caller(), new.created_by);
  before public.diet[] := case when tg_op = 'INSERT' then '{}' else old.safe_diets end;
  sourced public.diet[] := '{}';
  given public.diet;
begin
  if tg_op = 'INSERT' and new.source <> 'member' then
    select f.safe_diets into sourced from private.found_places as f where f.external_id = new.external_id;
    -- What the owner of the database writes (seed, imports) is the source's word.
    sourced := coalesce(sourced, case when private.caller() is null then new.safe_diets end, '{}');
    insert into public.place_diet_claims (place_id, diet, from_source, holds)
      select new.id, diet, true, true from unnest(sourced) as diet;
  end if;
  foreach given in array new.safe_diets loop
    if given <> all (before) and given <> all (sourced) then
      perform private.claim_diet(new.id, given, person, true);
    end if;
  end loop;
  foreach given in array before loop
    if given <> all (new.safe_diets) then
      perform private.claim_diet(new.id, given, person, false);
    end if;
  end loop;
  -- Also where no claim is new: what somebody doubts is not written away.
  perform private.settle_place(new.id);
  return null;
end $$;

-- Says that a place is safe for a diet (`holds`), or doubts it; null takes one's own word back. For members, and for
-- guests who sit at a plan that the place is on.
create function public.say_diet(place uuid, diet public.diet, holds boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  -- Held until the end, so that two words at once are both counted.
  perform 1 from public.places as p where p.id = place and private.reads_place(p.id) for no key update;
  if not found then
    perform private.refuse('place_not_found');
  elsif private.is_guest() and not exists (
    select 1 from public.place_options as o
    where o.place_id = place and o.plan_id in (select private.my_plan_ids())
  ) then
    perform private.refuse('needs_account');
  end if;
  if say_diet.holds is null then
    delete from public.place_diet_claims as c
      where c.place_id = place and c.diet = say_diet.diet and c.made_by = caller;
  else
    perform private.claim_diet(place, say_diet.diet, caller, say_diet.holds);
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger settle_diets after insert or update or delete on public.place_diet_claims
  for each row execute function private.settle_diets();
create trigger note_diet_claims after insert or update of safe_diets on public.places
  -- Not for what settle_diets writes.
  for each row when (pg_trigger_depth() = 0) execute function private.note_diet_claims();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.say_diet(uuid, public.diet, boolean) to authenticated;

-- schemas/votes.sql

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
  answered boolean := exists (
    select 1 from public.time_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id
  ) or exists (
    select 1 from public.place_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id
  );
begin
  update public.plan_members as m set answered_at = case when answered then now() end
    where m.plan_id = voter.plan_id and m.user_id = voter.user_id and (m.answered_at is not null) <> answered;
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

-- schemas/choices.sql

-- A host decides: a time with its place, or a time alone whose place follows; another pair; or back to voting. A place
-- that is not known to be safe for somebody who may come is chosen only by a host who names these people.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The members of the plan whom the place is not known to be safe for, of those who may come at that time.
create function private.unsafe_for(plan uuid, time_option uuid, place uuid) returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.user_id
    from public.plan_members as m
    join public.profiles as who on who.id = m.user_id
    join public.places as p on p.id = unsafe_for.place
    where m.plan_id = unsafe_for.plan and m.rsvp <> 'declined'
      and not exists (
        select 1 from public.time_votes as v
        where v.option_id = unsafe_for.time_option and v.user_id = m.user_id and v.answer = 'no'
      )
      and exists (select 1 from unnest(who.diets) as wanted where not private.covers(p.safe_diets, wanted));
  end;

-- Refuses a time and place (null: decided later) that cannot be chosen for a plan, which the caller has locked. A meal
-- that has begun without a place may still get one. See confirm_plan.
create function private.check_choice(plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  meal public.time_options;
  place uuid;
begin
  select * into meal from public.time_options as o where o.id = time_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if meal.starts_at <= now() and not exists (
    select 1 from public.plans as p where p.id = plan and p.chosen_time_id = time_option and p.chosen_place_id is null
  ) then
    perform private.refuse('time_in_past');
  end if;
  if place_option is null then
    return;
  end if;
  select o.place_id into place from public.place_options as o where o.id = place_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if not coalesce(private.place_open_during(place, meal.starts_at, meal.ends_at), true) then
    perform private.refuse('place_closed');
  end if;
  if exists (
    select 1 from private.unsafe_for(plan, time_option, place) as person
    where person <> all (coalesce(check_choice.unsafe_for, '{}'))
  ) then
    perform private.refuse('unsafe_for_some');
  end if;
end $$;

-- Gives a plan in voting, which the caller has locked, its time and, unless that is null, its place. See confirm_plan.
create function private.settle_plan(
  plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[]
) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.check_choice(plan, time_option, place_option, settle_plan.unsafe_for);
  update public.plans as p set status = 'confirmed', chosen_time_id = time_option, chosen_place_id = place_option,
    revision = p.revision + 1 where p.id = plan;
  perform private.fill_table(plan);
  perform private.notify_table(plan, 'plan_confirmed');
end $$;

-- The host chooses one time and one place, or without `place_option` the time alone. A place that is known to be closed
-- then is refused; one whose hours are unknown is not. `unsafe_for` names the people whom the place is not known to be
-- safe for: all of them, so that nobody is sat at such a table by one click.
create function public.confirm_plan(
  plan uuid, time_option uuid, place_option uuid default null, unsafe_for uuid[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_polling(this);
  perform private.keep_before(this);
  perform private.settle_plan(plan, time_option, place_option, confirm_plan.unsafe_for);
  perform private.keep_after(plan);
end $$;

-- Gives a confirmed plan another pair. Everybody but who said no is asked again, and earlier votes count no more; the
-- caller comes. A place for a time that was decided alone is no move: answers, arrivals and a ready table stay.
-- `was_time` and `was_place` are the pair that the caller saw: of two hosts at once, the second is refused. The pair
-- that is chosen already changes nothing, so that a call whose response was lost can be repeated.
create function public.change_choice(
  plan uuid, was_time uuid, time_option uuid, was_place uuid default null, place_option uuid default null,
  unsafe_for uuid[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  is_move boolean := this.chosen_time_id <> time_option or this.chosen_place_id is not null;
  told text := case when is_move then 'plan_moved' else 'plan_placed' end;
begin
  perform private.require_open(this);
  if this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (this.chosen_time_id, this.chosen_place_id) is not distinct from (time_option, place_option) then
    return;
  elsif (this.chosen_time_id, this.chosen_place_id) is distinct from (was_time, was_place) then
    perform private.refuse('choice_changed');
  end if;
  perform private.check_choice(plan, time_option, place_option, change_choice.unsafe_for);
  perform private.keep_before(this);
  update public.plans as p set chosen_time_id = time_option, chosen_place_id = place_option, revision = p.revision + 1,
      moved_from_time_id = case when is_move then this.chosen_time_id else p.moved_from_time_id end,
      moved_from_place_id = case when is_move then this.chosen_place_id else p.moved_from_place_id end
    where p.id = change_choice.plan;
  if is_move then
    update public.plan_members as m
      set rsvp = case m.user_id when caller then 'going' else 'pending' end::public.rsvp_status, waitlisted_at = null
      where m.plan_id = change_choice.plan and (m.rsvp <> 'declined' or m.user_id = caller);
    delete from public.arrivals as a where a.plan_id = change_choice.plan;
  end if;
  perform private.promote_waitlist(plan);
  -- Several changes are one line in the activity, until it was read.
  delete from public.notifications as n
    where n.plan_id = change_choice.plan and n.kind::text in (told, 'plan_placed') and n.read_at is null;
  perform private.notify_table(plan, told::public.notification_kind);
  perform private.keep_after(plan);
end $$;

-- Back to voting. A yes was for another time or place, so these people are asked again; a no stays a no.
create function public.reopen_plan(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  end if;
  update public.plans set status = 'polling', chosen_time_id = null, chosen_place_id = null,
    moved_from_time_id = null, moved_from_place_id = null, vote_deadline = null, revision = revision + 1 where id = plan;
  update public.plan_members set rsvp = 'pending', waitlisted_at = null
    where plan_id = plan and rsvp <> 'declined';
  delete from public.arrivals where plan_id = plan;
  perform private.notify_table(plan, 'plan_reopened');
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.confirm_plan(uuid, uuid, uuid, uuid[]),
  public.change_choice(uuid, uuid, uuid, uuid, uuid, uuid[]), public.reopen_plan(uuid) to authenticated;

-- schemas/seats.sql

-- Seats of a plan: a seated person keeps the seat, nobody overtakes the line, and confirming fills no more seats
-- than there are. Only the host gives roles.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.seats_taken(plan uuid) returns integer
  language sql stable security definer set search_path = ''
  return (
    select coalesce(sum(who.seats), 0)::integer from private.plan_people(plan) as who
  );

-- Seats people from the waitlist in order while they fit, at a decided plan that is not over. A party that does not fit
-- holds the line: those behind it do not overtake.
create function private.promote_waitlist(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans;
  next public.plan_members;
begin
  select * into this from public.plans as p where p.id = plan;
  if not found or private.plan_state(this) <> 'confirmed' then
    return;
  end if;
  loop
    select * into next from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' order by m.waitlisted_at, m.user_id limit 1;
    exit when not found
      or private.seats_taken(plan) + 1 + next.plus_ones > coalesce(this.capacity, 32767);
    update public.plan_members as m set rsvp = 'going', waitlisted_at = null
      where m.plan_id = plan and m.user_id = next.user_id;
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      values (next.user_id, 'seat_freed', plan, (select private.caller()));
  end loop;
end $$;

create function private.promote_after_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'plans' then
    perform private.promote_waitlist(new.id);
  else
    perform private.promote_waitlist(old.plan_id);
  end if;
  return null;
end $$;

-- Fills the table of a plan that was just decided: the host's party, then the others who are expected in the order of
-- their first yes, as many as fit. From the first party that does not fit on, all wait, before those who waited
-- already.
create function private.fill_table(plan uuid) returns void
  language sql security definer set search_path = ''
  begin atomic
    with parties as (
      select who.user_id, who.role, who.since,
        sum(who.seats) over (order by who.role = 'host' desc, who.since, who.user_id) as seats
      from private.plan_people(plan) as who where who.seats > 0
    )
    update public.plan_members as m set rsvp = 'waitlisted', waitlisted_at = parties.since
      from parties, public.plans as p
      where m.plan_id = plan and m.user_id = parties.user_id and p.id = plan
        and parties.seats > p.capacity and parties.role <> 'host';
    select private.promote_waitlist(plan);
  end;

create function private.note_rsvp() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- Not now(), which is when the transaction began: the order is the one in which the plan was locked.
  new.rsvp_at := clock_timestamp();
  return new;
end $$;

create function private.note_accepted() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if new.accepted_at is null and (
    new.role = 'host' or new.answered_at is not null or new.rsvp in ('going', 'maybe', 'waitlisted')
    or tg_op = 'INSERT' and new.user_id = (select private.caller())
  ) then
    new.accepted_at := now();
  end if;
  return new;
end $$;

-- Whether anybody but its visitor and made-up people sits at a table to try.
create function private.has_real_guests(plan uuid, visitor uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
    select exists (
      select 1 from public.plan_members as m
      where m.plan_id = has_real_guests.plan and m.user_id <> visitor
        and m.user_id::text not like '00000000-0000-4000-8000-5a3b1e%'
    )
  $$;

-- Answers "are you coming": going, maybe, declined or pending. Returns what it became, which is `waitlisted`
-- when the table is full.
create function public.set_rsvp(plan uuid, answer public.rsvp_status, plus_ones integer default 0)
  returns public.rsvp_status
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
  before public.plan_members;
  result public.rsvp_status := case when answer = 'waitlisted' then 'going' else answer end;
  party integer := case when answer in ('going', 'waitlisted') then set_rsvp.plus_ones else 0 end;
  own_seats integer := (select who.seats from private.plan_people(plan) as who where who.user_id = caller);
  taken_by_others integer;
  others_wait boolean;
begin
  perform private.require_open(this);
  select * into before from public.plan_members as m where m.plan_id = plan and m.user_id = caller;
  -- Seats are given when the plan is decided.
  if result = 'going' and this.status = 'confirmed' and this.capacity is not null then
    taken_by_others := private.seats_taken(plan) - own_seats;
    others_wait := exists (
      select 1 from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' and m.user_id <> caller
        and (before.waitlisted_at is null or m.waitlisted_at < before.waitlisted_at)
    );
    if own_seats > 0 then
      -- Who sits keeps the seat: a party that is too large is refused as a whole.
      if party > before.plus_ones and (taken_by_others + 1 + party > this.capacity or others_wait) then
        perform private.refuse('no_seat_free');
      end if;
    elsif taken_by_others + 1 + party > this.capacity or others_wait then
      result := 'waitlisted';
    end if;
  end if;
  update public.plan_members as m
    set rsvp = result, plus_ones = party,
      -- Not now(), which is when the transaction began: the line is in the order in which the plan was locked.
      waitlisted_at = case when result = 'waitlisted' then coalesce(before.waitlisted_at, clock_timestamp()) end
    where m.plan_id = plan and m.user_id = caller;
  -- Who does not come is not on the way either.
  delete from public.arrivals as a where result = 'declined' and a.plan_id = set_rsvp.plan and a.user_id = caller;
  perform private.promote_waitlist(plan);
  return (select m.rsvp from public.plan_members as m where m.plan_id = plan and m.user_id = caller);
end $$;

-- Makes someone cohost or guest again; with `host` the caller hands the plan over. Only the host does, except that
-- a cohost may step down.
create function public.set_member_role(plan uuid, person uuid, role public.plan_role) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  mine public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = caller);
  theirs public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = person);
begin
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif mine <> 'host' and not (person = caller and set_member_role.role = 'guest') then
    perform private.refuse('not_main_host');
  elsif theirs = 'host' and set_member_role.role <> 'host' then
    perform private.refuse('host_cannot_leave');
  elsif theirs = 'host' then
    return;
  elsif set_member_role.role = 'host' then
    if (select p.is_guest from public.profiles as p where p.id = person) then
      perform private.refuse('needs_account');
    end if;
    update public.plan_members as m set role = 'cohost' where m.plan_id = plan and m.user_id = caller;
  end if;
  update public.plan_members as m set role = set_member_role.role where m.plan_id = plan and m.user_id = person;
end $$;

create function public.set_member_required(plan uuid, person uuid, required boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  update public.plan_members as m set required = set_member_required.required
    where m.plan_id = this.id and m.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
  end if;
end $$;

-- Takes someone off the table; oneself, or, as a host, another.
create function public.remove_member(plan uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, person is distinct from caller);
  mine public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = caller);
  theirs public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = person);
begin
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'host' then
    perform private.refuse('host_cannot_leave');
  elsif theirs = 'cohost' and person <> caller and mine <> 'host' then
    perform private.refuse('not_main_host');
  end if;
  delete from public.plan_members as m where m.plan_id = plan and m.user_id = person;
  if person <> caller then
    insert into private.removals (plan_id, user_id) values (plan, person)
      on conflict (plan_id, user_id) do update set removed_at = clock_timestamp();
  end if;
end $$;

-- A table or circle must not lose the one who looks after it: before a person goes, another takes over. Runs
-- however the person goes, an administrator's deletion included.
create function private.hand_over() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  hosted record;
  owned record;
  successor uuid;
begin
  for hosted in
    select p.id, private.plan_state(p) as state from public.plans as p
    join public.plan_members as m on m.plan_id = p.id and m.user_id = old.id and m.role = 'host'
  loop
    select m.user_id into successor from public.plan_members as m
      join public.profiles as who on who.id = m.user_id and not who.is_guest
      where m.plan_id = hosted.id and m.user_id <> old.id
      order by m.role = 'cohost' desc, exists (
        select 1 from private.plan_people(hosted.id) as person where person.user_id = m.user_id and person.seats > 0
      ) desc, m.joined_at limit 1;
    update public.plan_members as m set role = 'guest' where m.plan_id = hosted.id and m.user_id = old.id;
    if successor is not null then
      update public.plan_members as m set role = 'host' where m.plan_id = hosted.id and m.user_id = successor;
    elsif not exists (select from public.plan_members as m where m.plan_id = hosted.id and m.user_id <> old.id) then
      delete from public.plans where id = hosted.id;
    elsif hosted.state in ('polling', 'confirmed') then
      -- Only guests are left, and nobody who could confirm or change anything.
      update public.plans set status = 'cancelled', revision = revision + 1 where id = hosted.id;
    end if;
  end loop;
  for owned in
    select m.circle_id from public.circle_members as m where m.user_id = old.id and m.role = 'owner'
  loop
    select m.user_id into successor from public.circle_members as m
      where m.circle_id = owned.circle_id and m.user_id <> old.id
      order by m.role = 'admin' desc, m.joined_at limit 1;
    if successor is null then
      delete from public.circles where id = owned.circle_id;
    else
      update public.circle_members as m set role = 'member'
        where m.circle_id = owned.circle_id and m.user_id = old.id;
      update public.circle_members as m set role = 'owner'
        where m.circle_id = owned.circle_id and m.user_id = successor;
    end if;
  end loop;
  return old;
end $$;

-- The people of the caller's plan who get neither mail nor push about it. For hosts, and only the ids: not why.
create function public.plan_unreachable(plan uuid) returns setof uuid
  language plpgsql stable security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  elsif not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  end if;
  return query
    select m.user_id from public.plan_members as m
    where m.plan_id = plan_unreachable.plan and m.user_id <> caller and m.rsvp <> 'declined'
      -- The made-up people of a sample table.
      and m.user_id::text not like '00000000-0000-4000-8000-5a3b1e%'
      and not exists (select 1 from public.push_subscriptions as s where s.user_id = m.user_id)
      and not exists (
        select 1 from private.plan_mail_addresses(m.plan_id) as a
        left join private.mail_recipients as r on r.address = a.address
        where a.user_id = m.user_id and a.wanted and r.no_reminders_since is null
      );
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger promote_on_leave after delete on public.plan_members
  for each row when (old.rsvp <> 'declined') execute function private.promote_after_change();
create trigger hand_over before delete on public.profiles
  for each row execute function private.hand_over();
create trigger note_rsvp before update of rsvp on public.plan_members
  for each row when (new.rsvp is distinct from old.rsvp) execute function private.note_rsvp();
-- A plan that comes back may have seats that became free while it was cancelled.
create trigger promote_on_capacity after update of capacity, status on public.plans
  for each row when ((new.capacity, new.status) is distinct from (old.capacity, old.status))
  execute function private.promote_after_change();
create trigger note_accepted before insert or update on public.plan_members
  for each row execute function private.note_accepted();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.set_rsvp(uuid, public.rsvp_status, integer),
  public.set_member_role(uuid, uuid, public.plan_role), public.set_member_required(uuid, uuid, boolean),
  public.remove_member(uuid, uuid), public.plan_unreachable(uuid) to authenticated;

-- schemas/decisions.sql

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
          'created_at', r.created_at)), '[]')
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

-- schemas/invites.sql

-- Links into a plan or a circle.

-- A link into a plan or a circle. Only the hash of its token is stored: reading this table gives nobody a link.
create table public.invites (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid references public.plans (id) on delete cascade,
  circle_id uuid references public.circles (id) on delete cascade,
  token_hash bytea not null unique,
  created_by uuid references public.profiles (id) on delete set null,
  expires_at timestamptz not null,
  max_uses smallint not null check (max_uses between 1 and 20),
  uses smallint not null default 0,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  -- The address that an invitation by mail went to: the guest who accepts it is told about the plan there.
  mailed_to text,
  constraint invite_leads_somewhere check (num_nonnulls(plan_id, circle_id) = 1),
  constraint uses_within_limit check (uses <= max_uses)
);

create index invites_plan_id_idx on public.invites (plan_id);
create index invites_circle_id_idx on public.invites (circle_id);
create index invites_created_by_idx on public.invites (created_by);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.new_invite(plan uuid, circle uuid, days integer, uses integer)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
begin
  perform 1 from public.plans as p where p.id = plan for no key update;
  perform 1 from public.circles as c where c.id = circle for no key update;
  if (
    select count(*) from public.invites as i
    where (i.plan_id = plan or i.circle_id = circle)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
  ) >= private.limit_of('open_invites') then
    perform private.refuse('too_many_invites');
  end if;
  return query
    insert into public.invites as i (plan_id, circle_id, token_hash, created_by, expires_at, max_uses)
    values (
      plan, circle, private.token_hash(secret), (select private.caller()),
      now() + make_interval(days => least(greatest(days, 1), private.limit_of('invite_days'))),
      least(greatest(new_invite.uses, 1), private.limit_of('invite_uses'))
    )
    returning i.id, secret, i.expires_at;
end $$;

create function private.usable_invite(token text) returns public.invites
  language plpgsql security definer set search_path = '' as $$
declare
  this public.invites;
begin
  select * into this from public.invites as i
    where i.token_hash = private.token_hash(usable_invite.token) for no key update;
  if not found then
    perform private.refuse('invite_not_found');
  elsif this.revoked_at is not null then
    perform private.refuse('invite_revoked');
  elsif this.expires_at <= now() then
    perform private.refuse('invite_expired');
  end if;
  perform private.refuse_removed(this);
  return this;
end $$;

-- A link into a plan, by any of its hosts. The token is in the answer and nowhere else. `days` and `uses` are cut to
-- the limits.
create function public.create_invite(plan uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  end if;
  return query select * from private.new_invite(plan, null, create_invite.days, create_invite.uses);
end $$;

create function public.create_circle_invite(circle uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  elsif circle not in (select private.my_admin_circle_ids()) then
    perform private.refuse('not_circle_admin');
  end if;
  return query
    select * from private.new_invite(null, circle, create_circle_invite.days, create_circle_invite.uses);
end $$;

-- Takes the seat the link offers. Using it again changes nothing and costs no use.
create function public.accept_invite(token text) returns table (kind text, target uuid)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  invite public.invites := private.usable_invite(accept_invite.token);
  this public.plans;
  host uuid;
  inside boolean := coalesce(
    private.is_plan_member(invite.plan_id) or invite.circle_id in (select private.my_circle_ids()), false);
begin
  if not inside then
    if invite.uses >= invite.max_uses then
      perform private.refuse('invite_used_up');
    end if;
    if invite.plan_id is not null then
      select * into this from public.plans as p where p.id = invite.plan_id;
      perform private.require_open(this);
      insert into public.plan_members (plan_id, user_id) values (invite.plan_id, caller);
      if private.is_guest() and invite.mailed_to is not null then
        perform private.recipient(invite.mailed_to);
        insert into private.left_addresses (plan_id, user_id, address, confirmed_at)
          values (invite.plan_id, caller, invite.mailed_to, now());
      end if;
      select m.user_id into host from public.plan_members as m
        where m.plan_id = invite.plan_id and m.role = 'host';
      insert into public.notifications (user_id, kind, plan_id, actor_id)
        select host, 'person_joined', invite.plan_id, caller where host is not null;
    else
      if private.is_guest() then
        perform private.refuse('needs_account');
      end if;
      insert into public.circle_members (circle_id, user_id) values (invite.circle_id, caller);
    end if;
    update public.invites as i set uses = i.uses + 1 where i.id = invite.id;
  end if;
  return query select
    case when invite.plan_id is null then 'circle' else 'plan' end,
    coalesce(invite.plan_id, invite.circle_id);
end $$;

-- The preview of a link for the signed out: where it leads, its host (first name), the number of people, the time
-- of a decided meal in the plan's zone, and the host's language, which the preview in a chat uses. `joined`: the
-- caller is already in. Volatile because it locks the invite while it reads.
create function public.preview_invite(token text)
  returns table (kind text, title text, host_name text, people integer, plan_state text, joined boolean, target uuid,
    starts_at timestamptz, time_zone text, language text)
  language plpgsql security definer set search_path = '' as $$
declare
  invite public.invites := private.usable_invite(preview_invite.token);
  inside boolean;
begin
  inside := coalesce(
    private.is_plan_member(invite.plan_id) or invite.circle_id in (select private.my_circle_ids()), false);
  if invite.uses >= invite.max_uses and not inside then
    perform private.refuse('invite_used_up');
  end if;
  if invite.plan_id is not null then
    return query
      select 'plan', p.title, split_part(host.display_name, ' ', 1),
        (select count(*)::integer from public.plan_members as m where m.plan_id = p.id),
        private.plan_state(p), inside, case when inside then p.id end, t.starts_at, p.time_zone, private_host.language
      from public.plans as p
      left join public.time_options as t on t.id = p.chosen_time_id
      left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
      left join public.profiles as host on host.id = h.user_id
      left join public.private_profiles as private_host on private_host.id = h.user_id
      where p.id = invite.plan_id;
  else
    return query
      select 'circle', c.name, split_part(owner.display_name, ' ', 1),
        (select count(*)::integer from public.circle_members as m where m.circle_id = c.id),
        null::text, inside, case when inside then c.id end, null::timestamptz, null::text, private_owner.language
      from public.circles as c
      left join public.circle_members as o on o.circle_id = c.id and o.role = 'owner'
      left join public.profiles as owner on owner.id = o.user_id
      left join public.private_profiles as private_owner on private_owner.id = o.user_id
      where c.id = invite.circle_id;
  end if;
end $$;

-- The name of a link's stored picture: all links of a plan or circle share one file.
create function public.invite_subject(token text) returns uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select coalesce(i.plan_id, i.circle_id) from public.invites as i
    where i.token_hash = private.token_hash(invite_subject.token);
  end;

create function public.revoke_invite(invite uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  update public.invites as i set revoked_at = coalesce(i.revoked_at, now())
    where i.id = invite
      and (i.plan_id in (select private.my_hosted_plan_ids()) or i.circle_id in (select private.my_admin_circle_ids()));
  if not found then
    perform private.refuse('invite_not_found');
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.invites enable row level security;

create policy "invites are read by hosts and circle admins" on public.invites
  for select to authenticated using (
    plan_id = any (array(select private.my_hosted_plan_ids()))
    or circle_id = any (array(select private.my_admin_circle_ids()))
  );

-- ---------------------------------------------------------------------------------------------------------
-- Grants

-- The hash stays unreadable even for hosts: nobody has a use for it.
grant select (id, plan_id, circle_id, created_by, expires_at, max_uses, uses, revoked_at, created_at)
  on public.invites to authenticated;
grant execute on function public.create_invite(uuid, integer, integer),
  public.create_circle_invite(uuid, integer, integer), public.accept_invite(text), public.revoke_invite(uuid)
  to authenticated;
grant execute on function public.preview_invite(text) to anon, authenticated;
grant execute on function public.invite_subject(text) to service_role;

-- schemas/removals.sql

-- Removed people come back by a new invite only.

-- People who were removed from a plan or a circle by another, and when. Invites made before that are closed to
-- them.
create table private.removals (
  plan_id uuid references public.plans (id) on delete cascade,
  circle_id uuid references public.circles (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  removed_at timestamptz not null default clock_timestamp(),
  id uuid primary key default gen_random_uuid(),
  constraint removed_from_one check (num_nonnulls(plan_id, circle_id) = 1),
  unique (plan_id, user_id),
  unique (circle_id, user_id)
);

create index removals_user_idx on private.removals (user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Refuses an invite to people who were removed after it was made.
create function private.refuse_removed(invite public.invites) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if exists (
    select 1 from private.removals as r
    where r.user_id = (select private.caller()) and r.removed_at >= invite.created_at
      and (r.plan_id = invite.plan_id or r.circle_id = invite.circle_id)
  ) then
    perform private.refuse('removed_before');
  end if;
end $$;

-- Taking a seat again needs a new invite, which ends the removal.
create function private.end_removal() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'plan_members' then
    delete from private.removals as r where r.plan_id = new.plan_id and r.user_id = new.user_id;
  else
    delete from private.removals as r where r.circle_id = new.circle_id and r.user_id = new.user_id;
  end if;
  return null;
end $$;

-- Before a person goes, all that they sit in is locked, so that nothing is handed to them any more. Its name puts it
-- before the trigger `hand_over`: triggers run in the order of their names.
create function private.hold_seats() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from public.circles as c
    where c.id in (select m.circle_id from public.circle_members as m where m.user_id = old.id)
    order by c.id for no key update;
  perform 1 from public.plans as p
    where p.id in (select m.plan_id from public.plan_members as m where m.user_id = old.id)
    order by p.id for no key update;
  return old;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger before_hand_over before delete on public.profiles
  for each row execute function private.hold_seats();
create trigger end_removal after insert on public.plan_members
  for each row execute function private.end_removal();
create trigger end_removal after insert on public.circle_members
  for each row execute function private.end_removal();

-- schemas/trips.sql

-- How far it is for each person. Nobody's home can be located: start points are kept on a coarse grid, and trips
-- are estimated between cells of it, for the plan's own places and for candidates that the database chooses. The
-- cell of each start and each place is worked out once and not once a pair.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A cell of the grid is 0.005 degrees of latitude high (about 550 m) and as wide. Its middle stands for all in it.
create function private.grid_latitude(latitude double precision) returns double precision
  language sql immutable parallel safe set search_path = ''
  return round((latitude / 0.005)::numeric)::double precision * 5 / 1000;

create function private.grid_longitude(latitude double precision, longitude double precision)
  returns double precision
  language sql immutable parallel safe set search_path = ''
  return (
    -- Wider in degrees towards the poles, so that a cell keeps its size on the ground.
    select greatest(-180, least(180, round((longitude / step.degrees)::numeric)::double precision * step.degrees))
    from (select 0.005 / greatest(cos(radians(private.grid_latitude(latitude))), 0.01) as degrees) as step
  );

-- Minutes between two points that are on the grid, in steps of five. Estimate: 1.3 times the straight line at 18 km/h
-- door to door, plus 5 minutes.
create function private.grid_minutes(
  from_latitude double precision, from_longitude double precision,
  to_latitude double precision, to_longitude double precision
) returns integer
  language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return ceil((5 + 1.3 * 2 * 6371 * asin(least(1, sqrt(
    power(sin(radians(to_latitude - from_latitude) / 2), 2)
    + cos(radians(from_latitude)) * cos(radians(to_latitude))
      * power(sin(radians(to_longitude - from_longitude) / 2), 2)
  ))) / 18 * 60) / 5) * 5;
end $$;

create function private.keep_start_on_grid() returns trigger
  language plpgsql set search_path = '' as $$
declare
  latitude double precision := new.start_latitude;
begin
  -- Out of range is for the column's own check to refuse.
  if latitude between -90 and 90 and new.start_longitude between -180 and 180 then
    new.start_latitude := private.grid_latitude(latitude);
    new.start_longitude := private.grid_longitude(latitude, new.start_longitude);
  end if;
  return new;
end $$;

-- Minutes from each person's start to the places on the plan (of those, to `places`, if any are given), for the
-- people of the plan who have set a start. A place without a position has none. The points themselves never leave the
-- database.
create function public.plan_trips(plan uuid, places uuid[] default null)
  returns table (place_id uuid, user_id uuid, minutes integer)
  language sql stable security definer set search_path = ''
  begin atomic
    with starts as materialized (
      select m.user_id, private.grid_latitude(s.start_latitude) as latitude,
        private.grid_longitude(s.start_latitude, s.start_longitude) as longitude
      from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
      where m.plan_id = plan_trips.plan and s.start_latitude is not null and private.is_plan_member(plan_trips.plan)
    ), ends as materialized (
      select p.id, private.grid_latitude(p.latitude) as latitude,
        private.grid_longitude(p.latitude, p.longitude) as longitude
      from public.place_options as o join public.places as p on p.id = o.place_id
      where o.plan_id = plan_trips.plan and p.latitude is not null and (plan_trips.places is null or p.id = any (plan_trips.places))
    )
    select ends.id, starts.user_id,
      private.grid_minutes(starts.latitude, starts.longitude, ends.latitude, ends.longitude)
    from ends cross join starts;
  end;

-- Places that may be suggested for a plan: the nearest to the middle of its people's starts (without any, of its own
-- places) that are known to be safe for everyone who may come and are not on it. One row a place, with each person's
-- minutes as an object, so that no limit on rows cuts a place in half. In the same time however many places there are:
-- by nearness where most are safe for the table, by an index on diets where few are. Which is better depends on the
-- diets: they are planned for each time.
create function public.plan_candidates(plan uuid, most integer default 60)
  returns table (place_id uuid, trips jsonb)
  language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  middle point;
  diets public.diet[];
begin
  if not private.is_plan_member(plan) then
    return;
  end if;
  select point(avg(at.longitude), avg(at.latitude)) into middle from (
    select s.start_longitude as longitude, s.start_latitude as latitude
    from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
    where m.plan_id = plan and m.rsvp <> 'declined' and s.start_latitude is not null
  ) as at having count(*) > 0;
  if middle is null then
    select point(avg(p.longitude), avg(p.latitude)) into middle
      from public.place_options as o join public.places as p on p.id = o.place_id
      where o.plan_id = plan having count(*) > 0;
  end if;
  if middle is null then
    return;
  end if;
  select coalesce(array_agg(distinct diet), '{}') into diets
    from public.plan_members as m join public.profiles as who on who.id = m.user_id
    cross join unnest(who.diets) as diet
    where m.plan_id = plan and m.rsvp <> 'declined';
  return query
    with near as materialized (
      select p.id, p.latitude, p.longitude,
        point(p.longitude, p.latitude) operator(pg_catalog.<->) middle as distance
      from public.places as p
      where p.id <> all (array(
          select o.place_id from public.place_options as o where o.plan_id = plan_candidates.plan
        ))
        and (p.everybody or p.created_by = (select private.caller())
          or p.id = any (array(select private.my_place_ids())))
        and p.latitude is not null
        and private.diets_that_hold(p.safe_diets) operator(pg_catalog.@>) diets
      order by point(p.longitude, p.latitude) operator(pg_catalog.<->) middle
      limit least(greatest(most, 1), 200)
    ), starts as materialized (
      select m.user_id, private.grid_latitude(s.start_latitude) as latitude,
        private.grid_longitude(s.start_latitude, s.start_longitude) as longitude
      from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
      where m.plan_id = plan_candidates.plan and s.start_latitude is not null
    ), ends as materialized (
      select near.id, near.distance, private.grid_latitude(near.latitude) as latitude,
        private.grid_longitude(near.latitude, near.longitude) as longitude
      from near
    )
    select ends.id, coalesce((
      select jsonb_object_agg(starts.user_id,
        private.grid_minutes(starts.latitude, starts.longitude, ends.latitude, ends.longitude))
      from starts
    ), '{}')
    from ends order by ends.distance, ends.id;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger keep_start_on_grid before insert or update on public.private_profiles
  for each row execute function private.keep_start_on_grid();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.grid_latitude(double precision),
  private.grid_longitude(double precision, double precision) to authenticated, service_role;
grant execute on function public.plan_trips(uuid, uuid[]), public.plan_candidates(uuid, integer) to authenticated;

-- schemas/places.sql

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
  update public.places as p set home = true, address = '', latitude = null, longitude = null where p.id = this.id;
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
    everybody boolean);
  if kept is null then
    insert into public.places as p
      (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by, source,
        external_id, everybody)
    values (
      given.name, coalesce(given.about, ''), coalesce(given.cuisines, '{}'), coalesce(given.address, ''),
      given.latitude, given.longitude, given.price, coalesce(given.safe_diets, '{}'), given.time_zone,
      caller, coalesce(given.source, 'member'), given.external_id,
      coalesce(given.everybody, false) or coalesce(given.source, 'member') <> 'member')
    returning p.id into kept;
  else
    update public.places as p set
      name = given.name, about = coalesce(given.about, ''), cuisines = coalesce(given.cuisines, '{}'),
      -- The address of a home is saved by save_home.
      address = case when p.home then '' else coalesce(given.address, '') end,
      latitude = case when not p.home then given.latitude end, longitude = case when not p.home then given.longitude end,
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
create trigger a_trim before insert or update of name, about, address on public.places
  for each row execute function private.trim_columns('name', 'about', 'address');
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
  created_by, external_id, everybody),
  update (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, everybody)
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

-- schemas/photos.sql

-- Photos of a plan. Their files are in the bucket plan-photos (files.sql).

create table public.photos (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  author_id uuid default private.caller() references public.profiles (id) on delete set null,
  path text not null unique, -- of the object in bucket plan-photos
  width integer not null check (width between 1 and 20000),
  height integer not null check (height between 1 and 20000),
  caption text not null default '' check (char_length(caption) <= 140),
  created_at timestamptz not null default now(),
  constraint photos_id_plan_key unique (id, plan_id),
  constraint path_begins_with_plan check (split_part(path, '/', 1) = plan_id::text),
  constraint path_has_length check (char_length(path) <= 200)
);

create index photos_plan_time_idx on public.photos (plan_id, created_at);
create index photos_author_idx on public.photos (author_id);

-- Photos that were there before the rule stay as they are.
alter table public.photos add constraint path_is_plain check (
  path ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}/[A-Za-z0-9._-]+$' and path !~ '\.\.'
) not valid;

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A message that was only its photo goes with it.
create function private.empty_photo_messages() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set deleted_at = now(), photo_id = null
    where m.photo_id = old.id and m.body = '' and m.deleted_at is null
      and exists (select 1 from public.plans as p where p.id = m.plan_id);
  return old;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Views

-- The photos of meals at a place, for each plan and author: how many, and the newest one. The caller reads those of
-- their own plans, as the tables below the view allow.
create view public.place_photos with (security_invoker = true) as
  select o.place_id, ph.plan_id, ph.author_id, p.title as plan_title, count(*)::integer as photos,
    max(ph.created_at) as newest_at,
    (array_agg(ph.path order by ph.created_at desc, ph.id))[1] as path,
    (array_agg(ph.caption order by ph.created_at desc, ph.id))[1] as caption
  from public.photos as ph
  join public.plans as p on p.id = ph.plan_id and p.status = 'confirmed'
  join public.place_options as o on o.id = p.chosen_place_id
  group by o.place_id, ph.plan_id, ph.author_id, p.title;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.photos enable row level security;

create policy "photos are read by the table" on public.photos
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));
create policy "photos are added by the table" on public.photos
  for insert to authenticated with check (
    author_id = (select private.caller())
    and plan_id = any (array(select private.my_plan_ids()))
    and split_part(path, '/', 2) = (select private.caller())::text
  );
create policy "photos are captioned by their author" on public.photos
  for update to authenticated
  using (author_id = (select private.caller()) and plan_id = any (array(select private.my_plan_ids())));
create policy "photos are removed by author or host" on public.photos
  for delete to authenticated
  using (author_id = (select private.caller()) or plan_id = any (array(select private.my_hosted_plan_ids())));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger limit_photos before insert on public.photos
  for each row execute function private.enforce_limit('plans', 'plan_id', 'plan_photos', 'too_many_photos');
create trigger empty_photo_messages before delete on public.photos
  for each row execute function private.empty_photo_messages();
create trigger a_trim before insert or update of caption on public.photos
  for each row execute function private.trim_columns('caption');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, insert (plan_id, author_id, path, width, height, caption), update (caption), delete
  on public.photos to authenticated;
grant select on public.place_photos to authenticated;

-- schemas/messages.sql

-- The conversation of a plan, in an order that a client can catch up by, and what one has read of it.

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid not null references public.plans (id) on delete cascade,
  author_id uuid default private.caller() references public.profiles (id) on delete set null,
  client_id uuid not null, -- made by the sender, so that sending again is not sending twice
  body text not null,
  reply_to uuid,
  edited_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  revision bigint not null default 0,
  -- The revision at which its text was last written; reactions do not move it.
  text_revision bigint not null default 0,
  photo_id uuid,
  unique (plan_id, author_id, client_id),
  unique (id, plan_id),
  foreign key (reply_to, plan_id) references public.messages (id, plan_id) on delete set null (reply_to),
  constraint messages_photo_fkey foreign key (photo_id, plan_id)
    references public.photos (id, plan_id) on delete set null (photo_id),
  constraint body_has_length check (
    case
      when deleted_at is not null then body = ''
      when photo_id is not null then private.is_text(body, 0, 2000)
      else private.is_text(body, 1, 2000)
    end
  )
);

create index messages_plan_time_idx on public.messages (plan_id, created_at);
create index messages_author_time_idx on public.messages (author_id, created_at);
create index messages_reply_idx on public.messages (reply_to, plan_id);
create index messages_photo_idx on public.messages (photo_id, plan_id);
create unique index messages_plan_revision_key on public.messages (plan_id, revision);

-- Every change of a message (its reactions included) takes the plan's next number under a lock that is held
-- until the end of the transaction. So a number that is seen means that all smaller ones are there, which
-- no clock can promise: who has read up to n has missed just what is above n.
create table private.message_counters (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  last bigint not null
);

create table public.reactions (
  message_id uuid not null,
  plan_id uuid not null,
  user_id uuid not null default private.caller(),
  emoji text not null check (emoji in ('❤️', '👍', '😂', '😋', '🎉', '😮')),
  created_at timestamptz not null default now(),
  primary key (message_id, user_id, emoji),
  foreign key (message_id, plan_id) references public.messages (id, plan_id) on delete cascade,
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index reactions_message_idx on public.reactions (message_id, plan_id);
create index reactions_member_idx on public.reactions (plan_id, user_id);
create index reactions_user_idx on public.reactions (user_id);

create table public.message_reads (
  plan_id uuid not null,
  user_id uuid not null,
  read_at timestamptz not null, -- the newest message that was on the screen was said then
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index message_reads_user_idx on public.message_reads (user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.limit_messages() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.caller();
begin
  -- Only people are limited: rows that the owner inserts (seed, sample plans) bear another's name.
  if caller is not null then
    -- Two messages at once are counted one after the other.
    perform 1 from public.profiles as p where p.id = caller for no key update;
    if (
      select count(*) from public.messages as m
      where m.author_id = caller and m.created_at > now() - interval '1 minute'
    ) >= private.limit_of('messages_per_minute') then
      perform private.refuse('too_many_messages');
    end if;
  end if;
  return new;
end $$;

create function private.limit_reactions() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.caller() is not null and not private.count_use('reactions_per_minute', interval '1 minute') then
    perform private.refuse('too_many_reactions');
  end if;
  return new;
end $$;

create function private.number_message() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into private.message_counters as c (plan_id, last) values (new.plan_id, 1)
    on conflict (plan_id) do update set last = c.last + 1
    returning c.last into new.revision;
  if tg_op = 'INSERT' or new.body is distinct from old.body then
    new.text_revision := new.revision;
  end if;
  return new;
end $$;

-- A reaction belongs to its message: who catches up on messages gets it with them.
create function private.renumber_message() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set revision = m.revision
    where m.id = coalesce(new.message_id, old.message_id)
      -- Not while the whole plan goes: there is no counter left to take a number from.
      and exists (select 1 from public.plans as p where p.id = m.plan_id);
  return null;
end $$;

create function public.edit_message(message uuid, body text, based_on bigint default null) returns bigint
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.messages;
begin
  select * into this from public.messages as m
    where m.id = message and m.author_id = caller and m.deleted_at is null
      and m.plan_id in (select private.my_plan_ids()) for update;
  if not found then
    perform private.refuse('message_not_found');
  -- The same edit again, a retry whose first answer was lost, changes nothing and tells nobody.
  elsif this.body = private.trimmed(edit_message.body) then
    return this.revision;
  elsif this.text_revision > based_on then
    perform private.refuse('message_changed');
  end if;
  update public.messages as m set body = private.trimmed(edit_message.body), edited_at = now()
    where m.id = message returning m.revision into this.revision;
  return this.revision;
end $$;

-- Empties a message; its place in the conversation stays, so replies keep their meaning.
create function public.delete_message(message uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  update public.messages as m set body = '', photo_id = null, deleted_at = now()
    where m.id = message and m.deleted_at is null and m.plan_id in (select private.my_plan_ids())
      and (m.author_id = caller or m.plan_id in (select private.my_hosted_plan_ids()));
  if not found then
    perform private.refuse('message_not_found');
  end if;
end $$;

-- Says that the caller has seen the conversation up to a message. Never goes back, so that an old tab cannot
-- make read messages new again.
create function public.mark_read(plan uuid, up_to timestamptz) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  end if;
  insert into public.message_reads as r (plan_id, user_id, read_at)
    values (plan, caller, least(up_to, now()))
    on conflict (plan_id, user_id) do update set read_at = greatest(r.read_at, excluded.read_at);
end $$;

-- How many messages of others the caller has not seen, for each plan that has any. At most 100 are counted.
create function public.unread_counts() returns table (plan_id uuid, unread integer)
  language sql stable security definer set search_path = ''
  begin atomic
    select seat.plan_id, counted.unread
    from public.plan_members as seat
    left join public.message_reads as r on r.plan_id = seat.plan_id and r.user_id = seat.user_id
    cross join lateral (
      select count(*)::integer as unread from (
        select 1 from public.messages as m
        where m.plan_id = seat.plan_id and m.created_at > coalesce(r.read_at, seat.joined_at)
          and m.author_id is distinct from seat.user_id and m.deleted_at is null
        limit 100
      ) as unseen
    ) as counted
    where seat.user_id = (select private.require_caller()) and counted.unread > 0;
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.messages enable row level security;
alter table public.reactions enable row level security;
alter table public.message_reads enable row level security;

create policy "messages are read by the table" on public.messages
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));
create policy "messages are written by the table" on public.messages
  for insert to authenticated
  with check (author_id = (select private.caller()) and plan_id = any (array(select private.my_plan_ids())));

create policy "reactions are read by the table" on public.reactions
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));
create policy "reactions are added by their person" on public.reactions
  for insert to authenticated
  with check (user_id = (select private.caller()) and plan_id = any (array(select private.my_plan_ids())));
create policy "reactions are removed by their person" on public.reactions
  for delete to authenticated using (user_id = (select private.caller()));

create policy "reads are read by their person" on public.message_reads
  for select to authenticated using (user_id = (select private.caller()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger limit_messages before insert on public.messages
  for each row execute function private.limit_messages();
create trigger number_message before insert or update on public.messages
  for each row execute function private.number_message();
create trigger renumber_message after insert or delete on public.reactions
  for each row execute function private.renumber_message();
create trigger limit_reactions before insert on public.reactions
  for each row execute function private.limit_reactions();
create trigger a_trim before insert or update of body on public.messages
  for each row execute function private.trim_columns('body');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, insert (plan_id, author_id, client_id, body, reply_to, photo_id) on public.messages to authenticated;
grant select, insert (message_id, plan_id, user_id, emoji), delete on public.reactions to authenticated;
grant select on public.message_reads to authenticated;
grant execute on function public.edit_message(uuid, text, bigint), public.delete_message(uuid),
  public.mark_read(uuid, timestamptz), public.unread_counts() to authenticated;

-- schemas/files.sql

-- Policies of stored files. Buckets are in config.toml. avatars: <person>/<file>, public. plan-photos:
-- <plan>/<person>/<file>. The storage service cannot return an error of the catalogue: above the limits it answers
-- 403.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- How many files a person has in both buckets, and how many bytes: by the beginning of their names, in one range of
-- the index on names for each plan.
create function private.files_of(person uuid) returns table (avatars bigint, files bigint, bytes numeric)
  language sql stable security definer set search_path = ''
  begin atomic
    with beginnings as (
      select 'avatars' as bucket, person || '/' as beginning
      union all
      select 'plan-photos', m.plan_id || '/' || person || '/' from public.plan_members as m where m.user_id = person
    )
    select count(*) filter (where o.bucket_id = 'avatars'), count(*),
      coalesce(sum((o.metadata ->> 'size')::numeric), 0)
    from beginnings as b
    join storage.objects as o on o.bucket_id = b.bucket
      and o.name operator(pg_catalog.~>=~) b.beginning
      and o.name operator(pg_catalog.~<~) (b.beginning || chr(1114111));
  end;

create function private.photo_files_of(plan uuid) returns bigint
  language sql stable security definer set search_path = ''
  return (
    select count(*) from storage.objects as o
    where o.bucket_id = 'plan-photos'
      and o.name operator(pg_catalog.~>=~) (plan || '/')
      and o.name operator(pg_catalog.~<~) (plan || '/' || chr(1114111))
  );

-- The storage service checks policies first, and makes the row after the upload with rights of its own: many uploads
-- at once would all see the last free place. So each new row is counted here, those of a person, and of a plan, one
-- after the other. A row that is replaced is not a new one.
create function private.limit_files() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  folders text[] := storage.foldername(new.name);
  is_avatar boolean := new.bucket_id = 'avatars';
  person uuid := private.uuid_or_null(folders[case when is_avatar then 1 else 2 end]);
  plan uuid := case when not is_avatar then private.uuid_or_null(folders[1]) end;
  mine record;
begin
  perform pg_advisory_xact_lock(hashtextextended('files of ' || person, 0));
  perform pg_advisory_xact_lock(hashtextextended('photos of ' || plan, 0));
  if exists (select from storage.objects as o where o.bucket_id = new.bucket_id and o.name = new.name) then
    return new;
  end if;
  select * into mine from private.files_of(person);
  if (is_avatar and mine.avatars >= private.limit_of('avatar_files'))
    or mine.files >= private.limit_of('stored_files')
    or mine.bytes >= private.limit_of('stored_megabytes') * 1000000::numeric
  then
    raise exception 'too_many_files' using errcode = 'insufficient_privilege';
  end if;
  if private.photo_files_of(plan) >= private.limit_of('plan_photos') then
    raise exception 'too_many_photos' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

create policy "avatars are listed by their person" on storage.objects
  for select to authenticated using (
    bucket_id = 'avatars'
    and ((storage.foldername(name))[1] = (select private.caller())::text or owner_id = (select private.caller())::text)
  );
create policy "avatars are added by their person" on storage.objects
  for insert to authenticated with check (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text
  );
create policy "avatars are replaced by their person" on storage.objects
  for update to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text)
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text);
create policy "avatars are removed by their person" on storage.objects
  for delete to authenticated using (
    bucket_id = 'avatars'
    and ((storage.foldername(name))[1] = (select private.caller())::text or owner_id = (select private.caller())::text)
  );
create policy "plan photos are read by the table" on storage.objects
  for select to authenticated using (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_plan_ids()))
  );
create policy "plan photos are added by the table" on storage.objects
  for insert to authenticated with check (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_plan_ids()))
    and (storage.foldername(name))[2] = (select private.caller())::text
  );
-- Files belong to the person who owns them: the one in the path, or the account that took that guest over. The service
-- writes the owner from the token of the upload, and no policy lets people change it.
create policy "plan photos are removed by author or host" on storage.objects
  for delete to authenticated using (
    bucket_id = 'plan-photos'
    and (
      (storage.foldername(name))[2] = (select private.caller())::text
      or owner_id = (select private.caller())::text
      or private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_hosted_plan_ids()))
    )
  );

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger limit_files before insert on storage.objects
  for each row when (new.bucket_id in ('avatars', 'plan-photos')) execute function private.limit_files();

-- schemas/meals.sql

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

create function public.rate_plan(plan uuid, stars integer, comment text default '') returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  if private.plan_state(this) <> 'done' then
    perform private.refuse('plan_not_done');
  end if;
  insert into public.ratings as r (plan_id, user_id, place_id, stars, comment)
    values (plan, caller, (select o.place_id from public.place_options as o where o.id = this.chosen_place_id),
      rate_plan.stars, private.trimmed(rate_plan.comment))
    on conflict on constraint ratings_pkey
    do update set stars = excluded.stars, comment = excluded.comment, place_id = excluded.place_id;
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
  public.rate_plan(uuid, integer, text) to authenticated;

-- schemas/plan_cards.sql

-- A plan as the home screen shows it in a row, without its votes. Read page by page, by a key: the next meals
-- first, then plans in voting, the newest first, then plans that are over or cancelled.

-- ---------------------------------------------------------------------------------------------------------
-- Views

create view public.plan_cards with (security_invoker = true) as
  select p.id, p.circle_id, p.title, p.status, p.time_zone, p.vote_deadline, p.created_at,
    meal.starts_at, meal.ends_at,
    (
      select kitchen.name
      from public.place_options as o join public.places as kitchen on kitchen.id = o.place_id
      where o.id = p.chosen_place_id and o.plan_id = p.id
    ) as place_name,
    -- The key, with `id`: 0 to come, 1 in voting, 2 over; in each, microseconds that grow from first to last.
    case
      when p.status = 'polling' then 1
      when p.status = 'confirmed' and meal.ends_at
        + make_interval(hours => (select private.limit_of('done_after_hours'))) > now() then 0
      else 2
    end as section,
    (
      extract(epoch from
        case when p.status = 'polling' then p.created_at else coalesce(meal.starts_at, p.created_at) end)
      * case
        when p.status = 'confirmed' and meal.ends_at
          + make_interval(hours => (select private.limit_of('done_after_hours'))) > now() then 1000000
        else -1000000
      end
    )::bigint as position,
    (select count(*)::integer from public.time_options as o where o.plan_id = p.id) as times,
    (select count(*)::integer from public.place_options as o where o.plan_id = p.id) as places,
    -- The last of the times that the caller has not answered.
    (
      select max(o.starts_at) from public.time_options as o
      where o.plan_id = p.id and not exists (
        select 1 from public.time_votes as v
        where v.option_id = o.id and v.plan_id = p.id and v.user_id = (select private.caller())
      )
    ) as unanswered_until,
    -- How many times the caller has answered.
    (
      select count(*)::integer from public.time_votes as v where v.plan_id = p.id and v.user_id = (select private.caller())
    ) as voted,
    exists (
      select 1 from public.ratings as r where r.plan_id = p.id and r.user_id = (select private.caller())
    ) as rated,
    -- In the order of the table. `answer` is a person's answer to the chosen time, in voting the best of those to times, as
    -- far as the caller may see it.
    (
      select jsonb_agg(
        jsonb_build_object(
          'user_id', m.user_id, 'display_name', who.display_name, 'avatar_path', who.avatar_path,
          'role', m.role, 'rsvp', m.rsvp, 'plus_ones', m.plus_ones, 'answered', m.answered_at is not null,
          'arrival', a.status, 'answer', said.best, 'yes', coalesce(said.yes, 0), 'place_answer', kitchen.answer
        ) order by m.role, m.joined_at, m.user_id
      )
      from public.plan_members as m
      left join public.profiles as who on who.id = m.user_id
      left join public.arrivals as a on a.plan_id = m.plan_id and a.user_id = m.user_id
      left join lateral (
        select min(v.answer) as best, count(*) filter (where v.answer = 'yes')::integer as yes
        from public.time_votes as v
        where v.plan_id = m.plan_id and v.user_id = m.user_id and (p.status = 'polling' or v.option_id = p.chosen_time_id)
      ) as said on true
      left join public.place_votes as kitchen on kitchen.option_id = p.chosen_place_id and kitchen.user_id = m.user_id
      where m.plan_id = p.id
    ) as people,
    p.moved_from_time_id is not null as moved
  from public.plans as p
  left join public.time_options as meal on meal.id = p.chosen_time_id and meal.plan_id = p.id;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select on public.plan_cards to authenticated;

-- schemas/notifications.sql

-- What a person is told in the app.

create type public.notification_kind as enum (
  'plan_invited', 'plan_confirmed', 'plan_reopened', 'plan_cancelled', 'plan_restored', 'seat_freed',
  'person_joined', 'vote_reminder', 'plan_tomorrow', 'rate_reminder', 'plan_changed', 'vote_nudge',
  'plan_proposed', 'plan_vetoed', 'plan_undecided', 'standing_planned', 'plan_moved', 'plan_placed',
  'everybody_answered', 'join_asked'
);

create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  kind public.notification_kind not null,
  plan_id uuid not null references public.plans (id) on delete cascade,
  actor_id uuid references public.profiles (id) on delete set null,
  read_at timestamptz,
  created_at timestamptz not null default now()
);

create index notifications_user_time_idx on public.notifications (user_id, created_at desc);
create index notifications_plan_idx on public.notifications (plan_id);
create index notifications_actor_idx on public.notifications (actor_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.notify_table(plan uuid, kind public.notification_kind) returns void
  language sql security definer set search_path = ''
  begin atomic
    insert into public.notifications (user_id, kind, plan_id, actor_id)
    select m.user_id, notify_table.kind, plan, (select private.caller()) from public.plan_members as m
    where m.plan_id = plan and m.user_id is distinct from (select private.caller()) and m.rsvp <> 'declined';
  end;

create function private.notify_hosts(plan uuid, kind public.notification_kind) returns void
  language sql security definer set search_path = ''
  begin atomic
    insert into public.notifications (user_id, kind, plan_id, actor_id)
    select m.user_id, notify_hosts.kind, plan, (select private.caller()) from public.plan_members as m
    where m.plan_id = plan and m.role in ('host', 'cohost') and m.user_id is distinct from (select private.caller());
  end;

-- Tells the hosts once when everybody has answered: after the last answer, or when the last silent person declines,
-- leaves or is removed. A host whose own step it was is not told.
create function private.tell_everybody_answered() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  plan uuid := coalesce(new.plan_id, old.plan_id);
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is null or not exists (
    select 1 from public.plans as p where p.id = plan and p.status = 'polling'
  ) or exists (
    select 1 from public.plan_members as m
    where m.plan_id = plan and m.answered_at is null and m.rsvp <> 'declined'
  ) then
    return null;
  end if;
  with hosts as (
    insert into private.reminders (plan_id, user_id, kind, due_for)
      select m.plan_id, m.user_id, 'everybody_answered', p.created_at
      from public.plan_members as m join public.plans as p on p.id = m.plan_id
      where m.plan_id = plan and m.role in ('host', 'cohost') and m.user_id <> private.caller()
        and exists (
          select 1 from public.plan_members as other
          where other.plan_id = plan and other.user_id <> m.user_id and other.answered_at is not null
            and other.rsvp <> 'declined')
      on conflict do nothing returning user_id
  )
  insert into public.notifications (user_id, kind, plan_id)
    select h.user_id, 'everybody_answered', plan from hosts as h;
  return null;
end $$;

-- The kinds that tell what becomes of a plan: of several that wait unsent only the newest goes out.
create function private.is_decision(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('plan_confirmed', 'plan_moved', 'plan_reopened', 'plan_cancelled', 'plan_restored',
    'plan_proposed', 'plan_vetoed', 'plan_undecided');

-- The kinds that add to a decision. A decision's mail that waits unsent tells them too, as its words are read from the
-- plan when it is sent.
create function private.is_addition(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('plan_changed', 'plan_placed');

-- The kinds that ask one person to do something now: their mails go out at once.
create function private.is_hint(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('vote_nudge', 'everybody_answered', 'join_asked');

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.notifications enable row level security;

create policy "notifications are read by their person" on public.notifications
  for select to authenticated using (user_id = (select private.caller()));
create policy "notifications are marked read by their person" on public.notifications
  for update to authenticated
  using (user_id = (select private.caller())) with check (user_id = (select private.caller()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger tell_everybody_answered after update of answered_at, rsvp on public.plan_members
  for each row when (old.answered_at is null and (new.answered_at is not null or new.rsvp = 'declined'))
  execute function private.tell_everybody_answered();
create trigger tell_everybody_left after delete on public.plan_members
  for each row when (old.answered_at is null and old.rsvp <> 'declined')
  execute function private.tell_everybody_answered();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select, update (read_at) on public.notifications to authenticated;

-- ---------------------------------------------------------------------------------------------------------
-- Publication

alter publication supabase_realtime add table public.notifications;

-- schemas/join_requests.sql

-- The plan's own address: what it shows to people who are not at the table, and their requests to join.

-- A request that was declined stays, and the person may ask again a few times; taking a seat removes it.
create table private.join_requests (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  asked_at timestamptz not null default now(),
  declined_at timestamptz,
  times_asked smallint not null default 1,
  primary key (plan_id, user_id)
);

create index join_requests_user_idx on private.join_requests (user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The plan of an address, unless it is a sample table.
create function private.plan_of_address(plan uuid) returns public.plans
  language plpgsql stable security definer set search_path = '' as $$
declare
  this public.plans;
begin
  select * into this from public.plans as p
    where p.id = plan_of_address.plan and not exists (select 1 from private.sample_plans as s where s.plan_id = p.id);
  if not found then
    perform private.refuse('plan_not_found');
  end if;
  return this;
end $$;

-- What the plan's address shows to anybody: title, host (first name) and number of people, without the time. `joined`:
-- the caller sits there. `opens`: a name is enough to join. `request`: the caller's own, `asked`, `declined` (they may
-- ask again) or `refused` (they may not); or `removed`.
create function public.preview_plan(plan uuid)
  returns table (title text, host_name text, people integer, plan_state text, joined boolean, opens boolean, request text,
    language text)
  language plpgsql stable security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_address(preview_plan.plan);
begin
  return query
    select this.title, split_part(host.display_name, ' ', 1),
      (select count(*)::integer from public.plan_members as m where m.plan_id = this.id),
      private.plan_state(this), private.is_plan_member(this.id), this.joins_by_link,
      case
        when exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = (select private.caller()))
          then 'removed'
        else (select case when r.declined_at is null then 'asked'
            when r.times_asked < private.limit_of('join_requests_per_plan') then 'declined' else 'refused' end
          from private.join_requests as r where r.plan_id = this.id and r.user_id = (select private.caller()))
      end,
      private_host.language
    from public.plans as p
    left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
    left join public.profiles as host on host.id = h.user_id
    left join public.private_profiles as private_host on private_host.id = h.user_id
    where p.id = this.id;
end $$;

-- Asks the hosts for a seat, or takes it where they have opened the plan's link. Answers `joined`, `asked` or `refused`
-- (declined as often as a person may ask). Asking while a request is open changes nothing.
create function public.ask_to_join(plan uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_address(ask_to_join.plan);
  earlier private.join_requests;
begin
  -- Requests to one plan are counted one after the other.
  select * into this from public.plans as p where p.id = this.id for no key update;
  if private.is_plan_member(this.id) then
    return 'joined';
  end if;
  perform private.require_open(this);
  if exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = caller) then
    perform private.refuse('removed_before');
  elsif this.joins_by_link then
    insert into public.plan_members (plan_id, user_id) values (this.id, caller);
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      select m.user_id, 'person_joined', this.id, caller from public.plan_members as m
      where m.plan_id = this.id and m.role = 'host';
    return 'joined';
  end if;
  select * into earlier from private.join_requests as r where r.plan_id = this.id and r.user_id = caller;
  if found and earlier.declined_at is null then
    return 'asked';
  elsif earlier.times_asked >= private.limit_of('join_requests_per_plan') then
    return 'refused';
  elsif (select count(*) from public.plan_members as m where m.plan_id = this.id) >= private.limit_of('plan_people') then
    perform private.refuse('plan_full');
  elsif not (
    private.count_daily_use('join person ' || caller, private.limit_of('join_requests_per_person'))
    and private.count_daily_use('join network ' || private.network_of_caller(), private.limit_of('join_requests_per_network'))
  ) then
    perform private.refuse('too_many_join_requests');
  elsif (
    select count(*) from private.join_requests as r where r.plan_id = this.id and r.declined_at is null
  ) >= private.limit_of('open_join_requests') then
    perform private.refuse('join_requests_full');
  end if;
  insert into private.join_requests as r (plan_id, user_id) values (this.id, caller)
    on conflict on constraint join_requests_pkey
      do update set asked_at = now(), declined_at = null, times_asked = r.times_asked + 1;
  perform private.notify_hosts(this.id, 'join_asked');
  return 'asked';
end $$;

-- The requests of a plan, the open ones first and the oldest of them first, for its hosts: of each person the name and
-- nothing else.
create function public.join_requests(plan uuid)
  returns table (user_id uuid, display_name text, asked_at timestamptz, declined_at timestamptz)
  language plpgsql stable security definer set search_path = '' as $$
begin
  if not private.is_plan_member(join_requests.plan) then
    perform private.require_caller();
    perform private.refuse('plan_not_found');
  elsif not private.is_plan_host(join_requests.plan) then
    perform private.refuse('not_host');
  end if;
  return query
    select r.user_id, p.display_name, r.asked_at, r.declined_at
    from private.join_requests as r join public.profiles as p on p.id = r.user_id
    where r.plan_id = join_requests.plan order by r.declined_at desc nulls first, r.asked_at, r.user_id;
end $$;

-- Gives the person who asked a seat, or declines. A host who has declined may still give the seat.
create function public.answer_join_request(plan uuid, person uuid, welcome boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform 1 from private.join_requests as r where r.plan_id = this.id and r.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
  elsif not welcome then
    update private.join_requests as r set declined_at = coalesce(r.declined_at, now())
      where r.plan_id = this.id and r.user_id = person;
    return;
  end if;
  perform private.require_open(this);
  -- The person has asked, so they take part in the plan from now on.
  insert into public.plan_members (plan_id, user_id, accepted_at) values (this.id, person, now());
  insert into public.notifications (user_id, kind, plan_id, actor_id) values (person, 'plan_invited', this.id, caller);
end $$;

create function private.end_join_request() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from private.join_requests as r where r.plan_id = new.plan_id and r.user_id = new.user_id;
  return null;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger end_join_request after insert on public.plan_members
  for each row execute function private.end_join_request();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.preview_plan(uuid) to anon, authenticated;
grant execute on function public.ask_to_join(uuid), public.join_requests(uuid),
  public.answer_join_request(uuid, uuid, boolean) to authenticated;

-- schemas/standing_dinners.sql

-- Functions of standing dinners for admins of a circle, and the job that makes their plans.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The dinner, locked, for an admin of its circle.
create function private.standing_of_admin(dinner uuid) returns public.standing_dinners
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners;
begin
  perform private.require_caller();
  select * into this from public.standing_dinners as s
    where s.id = dinner and s.circle_id in (select private.my_circle_ids());
  if not found then
    perform private.refuse('standing_not_found');
  end if;
  perform private.require_circle_admin(this.circle_id);
  select * into this from public.standing_dinners as s where s.id = dinner for update;
  if not found then
    perform private.refuse('standing_not_found');
  end if;
  return this;
end $$;

-- The first day of the rhythm after a day.
create function private.next_dinner_on(rhythm public.dinner_rhythm, first_on date, after date) returns date
  language plpgsql immutable set search_path = '' as $$
declare
  step integer := case rhythm when 'weekly' then 7 when 'biweekly' then 14 end;
  nth integer := (extract(day from first_on)::integer + 6) / 7;
  month date;
  day date;
begin
  if after < first_on then
    return first_on;
  elsif step is not null then
    return first_on + ((after - first_on) / step + 1) * step;
  end if;
  for ahead in 0..2 loop
    month := (date_trunc('month', after) + make_interval(months => ahead))::date;
    day := month + ((extract(isodow from first_on)::integer - extract(isodow from month)::integer + 7) % 7) + 7 * (nth - 1);
    -- There may be no fifth: then it is the last.
    if day >= (month + interval '1 month')::date then
      day := day - 7;
    end if;
    if day > after then
      return day;
    end if;
  end loop;
end $$;

-- The next host: in the order of joining the circle, or the person who has not hosted this dinner for the longest
-- time.
create function private.standing_host(dinner public.standing_dinners) returns uuid
  language sql stable security definer set search_path = ''
  begin atomic
    with hosted as (
      select m.user_id, max(p.standing_on) as last_on
      from public.plans as p join public.plan_members as m on m.plan_id = p.id and m.role = 'host'
      where p.standing_id = dinner.id group by m.user_id
    ), line as (
      select c.user_id, hosted.last_on, row_number() over (order by c.joined_at, c.user_id) as place
      from public.circle_members as c left join hosted on hosted.user_id = c.user_id
      where c.circle_id = dinner.circle_id
    ), latest as (
      select line.place from line where line.last_on is not null order by line.last_on desc limit 1
    )
    select line.user_id from line left join latest on true
    order by
      case dinner.rotation when 'joining' then (line.place <= coalesce(latest.place, 0))::integer else 0 end,
      case dinner.rotation when 'longest_ago' then line.last_on end nulls first,
      line.place
    limit 1;
  end;

-- The places to vote on: those of the circle's plans, without the last one that was chosen if others are left, the best
-- rated by the people who are in the circle now first, then those that were not chosen for the longest time. Only such
-- as everyone in the circle reads already: offering one opens it to the table.
create function private.standing_places(dinner public.standing_dinners) returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    with known as (
      select o.place_id, max(t.starts_at) as eaten_at
      from public.plans as p
      join public.place_options as o on o.plan_id = p.id
      left join public.time_options as t
        on t.id = p.chosen_time_id and p.chosen_place_id = o.id and p.status = 'confirmed'
      where p.circle_id = dinner.circle_id
      group by o.place_id
    ), rated as (
      select r.place_id, avg(r.stars) as stars
      from public.ratings as r
      join public.plans as p on p.id = r.plan_id and p.circle_id = dinner.circle_id
      join public.circle_members as c on c.circle_id = dinner.circle_id and c.user_id = r.user_id
      group by r.place_id
    )
    select known.place_id from known
    join public.places as k on k.id = known.place_id
    left join rated on rated.place_id = known.place_id
    where not k.home and (k.everybody
      or exists (
        select 1 from public.circle_places as c where c.circle_id = dinner.circle_id and c.place_id = known.place_id)
      or not exists (
        select 1 from public.circle_members as c
        where c.circle_id = dinner.circle_id and c.user_id is distinct from k.created_by and not exists (
          select 1 from public.place_options as o
          join public.plan_members as m on m.plan_id = o.plan_id and m.user_id = c.user_id
          where o.place_id = known.place_id)))
    order by
      (known.eaten_at is not null and known.eaten_at = (select max(k.eaten_at) from known as k)),
      round(coalesce(rated.stars, 3)) desc, known.eaten_at nulls first, known.place_id
    limit (select private.limit_of('standing_places'));
  end;

-- The same, as a column for who may see the circle.
create function public.next_host(standing public.standing_dinners) returns uuid
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_caller();
  return case when standing.circle_id in (select private.my_circle_ids()) then private.standing_host(standing) end;
end $$;

-- Starts a standing dinner of a circle, or changes one (`dinner`). `first_on` is the next day that has no plan yet.
create function public.save_standing_dinner(
  circle uuid, title text, rhythm public.dinner_rhythm, rotation public.host_rotation,
  first_on date, starts_at time, minutes integer, time_zone text, dinner uuid default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners;
  saved uuid;
begin
  if dinner is null then
    perform private.require_circle_admin(circle);
  else
    this := private.standing_of_admin(dinner);
  end if;
  if private.is_time_zone(time_zone) and (first_on + save_standing_dinner.starts_at) at time zone time_zone <= now() then
    perform private.refuse('time_in_past');
  elsif first_on > current_date + private.limit_of('time_option_days') then
    perform private.refuse('time_too_far');
  end if;
  if dinner is null then
    if (select count(*) from public.standing_dinners as s where s.circle_id = circle)
      >= private.limit_of('standing_dinners') then
      perform private.refuse('too_many_standing');
    end if;
    insert into public.standing_dinners
        (circle_id, title, rhythm, rotation, first_on, starts_at, minutes, time_zone, next_on)
      values (circle, private.trimmed(save_standing_dinner.title), save_standing_dinner.rhythm,
        save_standing_dinner.rotation, save_standing_dinner.first_on, save_standing_dinner.starts_at,
        save_standing_dinner.minutes, save_standing_dinner.time_zone, save_standing_dinner.first_on)
      returning id into saved;
  else
    update public.standing_dinners as s set title = private.trimmed(save_standing_dinner.title),
        rhythm = save_standing_dinner.rhythm, rotation = save_standing_dinner.rotation,
        first_on = save_standing_dinner.first_on, starts_at = save_standing_dinner.starts_at,
        minutes = save_standing_dinner.minutes, time_zone = save_standing_dinner.time_zone,
        next_on = save_standing_dinner.first_on
      where s.id = dinner returning s.id into saved;
  end if;
  return saved;
end $$;

create function public.pause_standing_dinner(dinner uuid, paused boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners := private.standing_of_admin(dinner);
begin
  update public.standing_dinners as s set paused = pause_standing_dinner.paused,
      -- What was due during the pause is not made up for.
      next_on = case when pause_standing_dinner.paused then s.next_on
        else greatest(s.next_on, private.next_dinner_on(s.rhythm, s.first_on, (now() at time zone s.time_zone)::date)) end
    where s.id = dinner and s.paused <> pause_standing_dinner.paused;
end $$;

-- Leaves out one day; naming the day makes skipping twice, after a lost answer, skip once.
create function public.skip_standing_dinner(dinner uuid, day date) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners := private.standing_of_admin(dinner);
begin
  update public.standing_dinners as s set next_on = private.next_dinner_on(s.rhythm, s.first_on, s.next_on)
    where s.id = dinner and s.next_on = day;
end $$;

-- Plans that were made stay.
create function public.end_standing_dinner(dinner uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.standing_dinners := private.standing_of_admin(dinner);
begin
  delete from public.standing_dinners as s where s.id = dinner;
end $$;

-- Makes the plans that are due. Two runs at once make one: the dinner's row is locked, and a day has one plan.
create function private.make_standing_plans() returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
  this public.standing_dinners;
  begins timestamptz;
  deadline timestamptz;
  host uuid;
  new_plan uuid;
  made integer := 0;
begin
  for due in
    select s.id from public.standing_dinners as s
    where not s.paused and s.next_on <= (now() at time zone s.time_zone)::date + private.limit_of('standing_days_ahead')
    order by s.id
  loop
    select * into this from public.standing_dinners as s where s.id = due and not s.paused for update skip locked;
    continue when not found;
    begins := (this.next_on + this.starts_at) at time zone this.time_zone;
    -- Days that passed while nothing ran have no plan.
    while begins <= now() loop
      this.next_on := private.next_dinner_on(this.rhythm, this.first_on, this.next_on);
      begins := (this.next_on + this.starts_at) at time zone this.time_zone;
    end loop;
    update public.standing_dinners as s set next_on = this.next_on where s.id = due;
    continue when this.next_on > (now() at time zone this.time_zone)::date + private.limit_of('standing_days_ahead');
    host := private.standing_host(this);
    deadline := begins - make_interval(hours => private.limit_of('standing_vote_hours'));
    insert into public.plans (circle_id, title, time_zone, vote_deadline, decides_itself, standing_id, standing_on)
      values (this.circle_id, this.title, this.time_zone, case when deadline > now() then deadline end,
        deadline > now(), this.id, this.next_on)
      on conflict do nothing returning id into new_plan;
    if new_plan is not null then
      insert into public.plan_members (plan_id, user_id, role) values (new_plan, host, 'host');
      insert into public.plan_members (plan_id, user_id)
        select new_plan, c.user_id from public.circle_members as c
        where c.circle_id = this.circle_id and c.user_id <> host
        order by c.joined_at, c.user_id limit private.limit_of('plan_people') - 1;
      insert into public.time_options (plan_id, starts_at, ends_at, proposed_by)
        values (new_plan, begins, begins + make_interval(mins => this.minutes), host);
      insert into public.place_options (plan_id, place_id, proposed_by)
        select new_plan, place, host from private.standing_places(this) as place;
      perform private.notify_table(new_plan, 'standing_planned');
      made := made + 1;
    end if;
    update public.standing_dinners as s set next_on = private.next_dinner_on(this.rhythm, this.first_on, this.next_on)
      where s.id = due;
  end loop;
  return made;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.standing_dinners enable row level security;

create policy "standing dinners are read by the circle" on public.standing_dinners
  for select to authenticated using (circle_id = any (array(select private.my_circle_ids())));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger a_trim before insert or update of title on public.standing_dinners
  for each row execute function private.trim_columns('title');

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select on public.standing_dinners to authenticated;
grant execute on function public.next_host(public.standing_dinners),
  public.save_standing_dinner(uuid, text, public.dinner_rhythm, public.host_rotation, date, time, integer, text, uuid),
  public.pause_standing_dinner(uuid, boolean), public.skip_standing_dinner(uuid, date),
  public.end_standing_dinner(uuid) to authenticated;

-- schemas/mail.tables.sql

-- Mail that Nosh sends: its kinds, the addresses and their choices, what waits, and what was sent.

create type public.mail_kind as enum (
  'invite', 'vote_reminder', 'plan_tomorrow', 'rate_reminder', 'plan_confirmed', 'plan_reopened',
  'plan_cancelled', 'plan_restored', 'plan_changed', 'vote_nudge', 'plan_proposed', 'plan_vetoed',
  'plan_undecided', 'plan_moved', 'plan_placed', 'confirm_address', 'everybody_answered',
  'join_asked'
);

-- The choices of an address. One row for each address that was ever written to; its token is in the mail's last
-- line and in its headers, and changes these choices only.
create table private.mail_recipients (
  address text primary key check (address = lower(address)),
  token uuid not null unique default gen_random_uuid(),
  no_invites_since timestamptz,
  no_reminders_since timestamptz
);

create table private.outgoing_mail (
  id uuid primary key default gen_random_uuid(),
  address text not null references private.mail_recipients (address) on delete cascade,
  kind public.mail_kind not null,
  plan_id uuid not null references public.plans (id) on delete cascade,
  -- The person who invites, nudges, or asks for a confirmation. The mail of a decision to the host who made it has that host.
  sender_id uuid references public.profiles (id) on delete set null,
  language text not null default 'en',
  -- The token of the invite or the confirmation that this mail brings. Gone once the mail is: only its hash stays.
  secret text,
  created_at timestamptz not null default now(),
  taken_at timestamptz,
  attempts smallint not null default 0,
  sent_at timestamptz,
  failure text,
  not_before timestamptz -- of a decision: until then it can be undone
);

create index outgoing_mail_waiting_idx on private.outgoing_mail (created_at) where sent_at is null;
create index outgoing_mail_sender_idx on private.outgoing_mail (sender_id, created_at);
create index outgoing_mail_plan_idx on private.outgoing_mail (plan_id);
create index outgoing_mail_address_idx on private.outgoing_mail (address);

-- Reminders that were sent, so that each is sent once; a moved deadline or time gets another.
create table private.reminders (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  kind public.mail_kind not null,
  due_for timestamptz not null,
  primary key (plan_id, user_id, kind, due_for)
);

create index reminders_user_idx on private.reminders (user_id);

-- An address that a guest left at a plan to be told about that plan. It signs nobody in. Nothing but the mail that asks
-- for it goes there until it is confirmed.
create table private.left_addresses (
  plan_id uuid not null,
  user_id uuid not null,
  address text not null references private.mail_recipients (address) on delete cascade,
  -- Of the link in that mail; null where an invitation by mail was accepted.
  token_hash bytea unique,
  asked_at timestamptz not null default now(),
  confirmed_at timestamptz,
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on update cascade on delete cascade
);

create index left_addresses_address_idx on private.left_addresses (address);

-- schemas/mail.sql

-- Mail that Nosh sends: invitations, reminders, decisions. A mail is a row, written in the transaction of the
-- change that it reports; a function delivers it afterwards and may be called any number of times.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Where each person at a plan gets mail about it: the address of their account, or the one that a guest has left there.
create function private.plan_mail_addresses(plan uuid)
  returns table (user_id uuid, address text, language text, wanted boolean)
  language sql stable security definer rows 20 set search_path = ''
  begin atomic
    select m.user_id, coalesce(lower(u.email), l.address), p.language, p.mail_reminders
    from public.plan_members as m
    join auth.users as u on u.id = m.user_id
    join public.private_profiles as p on p.id = m.user_id
    left join private.left_addresses as l on l.plan_id = m.plan_id and l.user_id = m.user_id and u.email is null
    where m.plan_id = plan_mail_addresses.plan
      and (u.email is not null and u.email_confirmed_at is not null or l.confirmed_at is not null);
  end;

create function private.is_mail_address(value text) returns boolean
  language sql immutable set search_path = ''
  return char_length(value) <= 254 and value ~ '^[^\s@"<>,;]+@[^\s@"<>,;.]+(\.[^\s@"<>,;.]+)+$';

create function private.recipient(address text) returns private.mail_recipients
  language plpgsql security definer set search_path = '' as $$
declare
  this private.mail_recipients;
begin
  insert into private.mail_recipients as r (address) values (lower(btrim(recipient.address)))
    on conflict on constraint mail_recipients_pkey do update set address = excluded.address returning * into this;
  return this;
end $$;

-- Invites people by mail, each with a link of their own that works once. Answers for each address `queued` or
-- `not_sent` (that address wants no invitations). Sending is done by the function `send-invites`.
create function public.invite_by_mail(plan uuid, addresses text[])
  returns table (address text, outcome text)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  given text;
  wanted text[];
  recipient private.mail_recipients;
  mine text;
  invite uuid;
  secret text;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  perform private.require_open(this);
  select array_agg(distinct lower(btrim(a))) into wanted from unnest(addresses) as a where btrim(a) <> '';
  if coalesce(cardinality(wanted), 0) = 0
    or exists (select 1 from unnest(wanted) as a where not private.is_mail_address(a)) then
    perform private.refuse('mail_bad_address');
  end if;
  -- Two calls at once are counted one after the other.
  perform 1 from public.profiles as p where p.id = caller for update;
  if cardinality(wanted) > private.limit_of('mails_per_call') or cardinality(wanted) + (
    select count(*) from private.outgoing_mail as m
    where m.sender_id = caller and m.kind = 'invite' and m.created_at > now() - interval '1 day'
  ) > private.limit_of('mails_per_day') then
    perform private.refuse('too_many_mails');
  end if;
  select p.language into mine from public.private_profiles as p where p.id = caller;
  foreach given in array wanted loop
    recipient := private.recipient(given);
    if recipient.no_invites_since is not null or exists (
      select 1 from auth.users as u join public.private_profiles as p on p.id = u.id
      where lower(u.email) = recipient.address and not p.mail_invites
    ) then
      outcome := 'not_sent';
    else
      select i.id, i.token into invite, secret
        from private.new_invite(plan, null, private.limit_of('invite_days'), 1) as i;
      update public.invites as i set mailed_to = recipient.address where i.id = invite;
      insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, secret)
        values (recipient.address, 'invite', plan, caller,
          coalesce((select p.language from auth.users as u join public.private_profiles as p on p.id = u.id
            where lower(u.email) = recipient.address), mine, 'en'),
          secret);
      outcome := 'queued';
    end if;
    address := recipient.address;
    return next;
  end loop;
end $$;

-- What a mail's last line leads to: which mails the address gets now. For whoever has the token.
create function public.mail_choice(token uuid) returns table (address text, invites boolean, reminders boolean)
  language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    select regexp_replace(r.address, '^(.)[^@]*', '\1…'), r.no_invites_since is null, r.no_reminders_since is null
    from private.mail_recipients as r where r.token = mail_choice.token;
  if not found then
    perform private.refuse('mail_link_gone');
  end if;
end $$;

-- Sets which mails the address wants. People with an account have the same choice in their settings.
create function public.choose_mail(token uuid, invites boolean, reminders boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  chosen text;
begin
  update private.mail_recipients as r set
    no_invites_since = case when invites then null else coalesce(r.no_invites_since, now()) end,
    no_reminders_since = case when reminders then null else coalesce(r.no_reminders_since, now()) end
    where r.token = choose_mail.token returning r.address into chosen;
  if not found then
    perform private.refuse('mail_link_gone');
  end if;
  update public.private_profiles as p set mail_invites = invites, mail_reminders = reminders
    from auth.users as u where u.id = p.id and lower(u.email) = chosen;
end $$;

-- The other way round: a change in one's own settings holds for the address too.
create function private.follow_mail_settings() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update private.mail_recipients as r set
    no_invites_since = case when new.mail_invites then null else coalesce(r.no_invites_since, now()) end,
    no_reminders_since = case when new.mail_reminders then null else coalesce(r.no_reminders_since, now()) end
    from auth.users as u where u.id = new.id and r.address = lower(u.email)
      and (r.no_invites_since is null, r.no_reminders_since is null)
        is distinct from (new.mail_invites, new.mail_reminders);
  return null;
end $$;

-- Mail to the address of an account that goes, and mail of its person that was not sent yet, go too. Runs however the
-- person goes, an administrator's deletion included.
create function private.forget_mail() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- With what was sent to them. A left address may also be that of an account, which keeps it.
  delete from private.mail_recipients as r
    where r.address = lower(old.email) or r.address in (
      select l.address from private.left_addresses as l where l.user_id = old.id and l.confirmed_at is not null
    ) and not exists (select 1 from auth.users as u where lower(u.email) = r.address and u.id <> old.id)
      and not exists (select 1 from private.left_addresses as l where l.address = r.address and l.user_id <> old.id);
  delete from private.outgoing_mail as m where m.sender_id = old.id and m.sent_at is null;
  return old;
end $$;

create function private.mail_changes() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select 1 from told as n
    where private.is_hint(n.kind::text)
      or private.is_addition(n.kind::text) or private.is_decision(n.kind::text)) then
    return null;
  end if;
  delete from private.outgoing_mail as m using told as n cross join lateral private.plan_mail_addresses(n.plan_id) as a
    where a.user_id in (n.user_id, n.actor_id) and m.address = a.address and m.plan_id = n.plan_id
      and private.is_addition(m.kind::text) and (n.kind::text = m.kind::text or private.is_decision(n.kind::text))
      and m.sent_at is null and m.taken_at is null;
  insert into private.mail_recipients (address)
    select distinct a.address from told as n
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.user_id in (n.user_id, n.actor_id)
    where private.is_hint(n.kind::text) or private.is_addition(n.kind::text)
    on conflict do nothing;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, not_before)
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id, n.actor_id, a.language,
      private.not_before(n.plan_id)
    from told as n
    -- The host who added the place gets it for the calendar too.
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.wanted and (a.user_id = n.user_id
      or a.user_id = n.actor_id and n.kind = 'plan_placed')
    join private.mail_recipients as r on r.address = a.address and r.no_reminders_since is null
    where private.is_hint(n.kind::text) or private.is_addition(n.kind::text) and not exists (
      select 1 from private.outgoing_mail as m
      where m.address = r.address and m.plan_id = n.plan_id and private.is_decision(m.kind::text)
        and m.sent_at is null and m.taken_at is null
    );
  if exists (select 1 from told as n where private.is_hint(n.kind::text)) then
    perform private.deliver_mail();
  end if;
  return null;
end $$;

create function private.mail_decisions() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- What the owner of the database writes (a seed) is told to nobody, unless a plan decides itself.
  if (private.caller() is null and coalesce(current_setting('nosh.decides_itself', true), '') <> 'on')
    or not exists (select 1 from told as n where private.is_decision(n.kind::text)) then
    return null;
  end if;
  insert into private.mail_recipients (address)
    select distinct a.address from told as n
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.user_id in (n.user_id, n.actor_id)
    where private.is_decision(n.kind::text)
    on conflict do nothing;
  delete from private.outgoing_mail as m using told as n cross join lateral private.plan_mail_addresses(n.plan_id) as a
    where a.user_id in (n.user_id, n.actor_id) and m.address = a.address
      and m.plan_id = n.plan_id and private.is_decision(n.kind::text) and private.is_decision(m.kind::text)
      and m.sent_at is null and m.taken_at is null;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, not_before)
    -- The host who decided gets the calendar's entry too.
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id,
      case when a.user_id = n.actor_id then n.actor_id end, a.language, private.not_before(n.plan_id)
    from told as n
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.wanted and (a.user_id = n.user_id
      or a.user_id = n.actor_id and n.kind in ('plan_confirmed', 'plan_moved', 'plan_cancelled', 'plan_restored'))
    join private.mail_recipients as r on r.address = a.address and r.no_reminders_since is null
    where private.is_decision(n.kind::text);
  if found then
    perform private.deliver_mail();
  end if;
  return null;
end $$;

-- The people to remind now: to vote before the deadline, of a meal the day before, to rate it afterwards.
create function private.due_reminders()
  returns table (plan_id uuid, user_id uuid, kind public.mail_kind, due_for timestamptz)
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id, m.user_id, 'vote_reminder'::public.mail_kind, p.vote_deadline
    from public.plans as p cross join lateral private.plan_people(p.id) as m
    where p.status = 'polling' and m.state = 'asked'
      and p.vote_deadline > now()
      and p.vote_deadline <= now() + make_interval(hours => private.limit_of('vote_reminder_hours'))
    union all
    select p.id, m.user_id, 'plan_tomorrow', t.starts_at
    from public.plans as p
    join public.time_options as t on t.id = p.chosen_time_id
    cross join lateral private.plan_people(p.id) as m
    where p.status = 'confirmed' and m.state in ('expected', 'maybe', 'asked')
      and t.starts_at > now()
      and t.starts_at <= now() + make_interval(hours => private.limit_of('plan_reminder_hours'))
    union all
    select p.id, m.user_id, 'rate_reminder', t.ends_at
    from public.plans as p
    join public.time_options as t on t.id = p.chosen_time_id
    cross join lateral private.plan_people(p.id) as m
    where p.status = 'confirmed' and m.state = 'was_there'
      and t.ends_at + make_interval(hours => private.limit_of('done_after_hours')) <= now()
      and t.ends_at > now() - interval '3 days'
      and not exists (select 1 from public.ratings as r where r.plan_id = p.id and r.user_id = m.user_id);
  end;

-- Writes what is due: a notification for each person, and a mail for who has an address and wants one.
-- Returns how many people were reminded. Running twice at once reminds once: the key of `reminders` decides.
create function private.remind() returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  due record;
  person record;
  recipient private.mail_recipients;
  reminded integer := 0;
begin
  for due in select * from private.due_reminders() loop
    insert into private.reminders as r (plan_id, user_id, kind, due_for)
      values (due.plan_id, due.user_id, due.kind, due.due_for) on conflict do nothing;
    continue when not found;
    reminded := reminded + 1;
    insert into public.notifications (user_id, kind, plan_id)
      values (due.user_id, due.kind::text::public.notification_kind, due.plan_id);
    select a.address, a.language into person from private.plan_mail_addresses(due.plan_id) as a
      where a.user_id = due.user_id and a.wanted;
    continue when not found;
    recipient := private.recipient(person.address);
    continue when recipient.no_reminders_since is not null;
    insert into private.outgoing_mail (address, kind, plan_id, language)
      values (recipient.address, due.kind, due.plan_id, person.language);
  end loop;
  return reminded;
end $$;

-- Only the schedule delivers mail: the function plan-reminders asks for a secret that is in the vault (rows/vault.sql).
create function public.is_reminders_secret(given text) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from vault.decrypted_secrets as s
    where s.name = 'reminders_secret'
      and extensions.digest(s.decrypted_secret, 'sha256') = extensions.digest(given, 'sha256')
  );

create function private.deliver_mail() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if exists (select 1 from private.outgoing_mail as m where m.sent_at is null and m.attempts < 5) then
    perform private.call_function('plan-reminders');
  end if;
end $$;

-- Takes up to `most` mails that wait, with all that their words need. A mail that was taken and not settled within ten
-- minutes is taken again, five times at most. Besides what the words need, the calendar's entry of a plan that has a
-- time. A proposal's mail has the proposed pair and until when one may object.
create function public.take_mail(most integer default 20) returns jsonb
  language sql volatile security definer set search_path = ''
  begin atomic
    with taken as (
      update private.outgoing_mail as m set taken_at = now(), attempts = m.attempts + 1
      where m.id in (
        select w.id from private.outgoing_mail as w
        where w.sent_at is null and w.attempts < 5 and (w.not_before is null or w.not_before <= now())
          and (w.taken_at is null or w.taken_at < now() - interval '10 minutes')
        order by w.created_at limit least(most, 100) for update skip locked
      )
      returning m.*
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'address', m.address, 'kind', m.kind, 'language', m.language, 'secret', m.secret,
      'unsubscribe', r.token, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone,
      'vote_deadline', p.vote_deadline, 'veto_until', p.veto_until, 'veto_reason', p.veto_reason,
      'vetoed_by', (select split_part(v.display_name, ' ', 1) from public.profiles as v where v.id = p.vetoed_by),
      'undecided', p.undecided, 'own', private.is_decision(m.kind::text) and m.sender_id is not null,
      'starts_at', t.starts_at,
      -- The days that are voted on.
      'first_starts_at', (select min(v.starts_at) from public.time_options as v where v.plan_id = p.id),
      'last_starts_at', (select max(v.starts_at) from public.time_options as v where v.plan_id = p.id),
      'place', k.name, 'address_of_place', coalesce(at_home.address, k.address),
      -- What hosts have changed it from.
      'was_starts_at', (select w.starts_at from public.time_options as w where w.id = p.moved_from_time_id),
      'was_place', (
        select w.name from public.place_options as x join public.places as w on w.id = x.place_id
        where x.id = p.moved_from_place_id),
      'host', split_part(h.display_name, ' ', 1), 'sender', split_part(s.display_name, ' ', 1),
      'people', (
        select count(*) from public.plan_members as c where c.plan_id = p.id and c.rsvp <> 'declined'),
      'event', case when m.kind <> 'plan_proposed' and t.id is not null then jsonb_build_object(
        'plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision,
        'status', private.plan_state(p),
        'state', coalesce((
          select who.state from private.plan_mail_addresses(p.id) as a
          join private.plan_people(p.id) as who on who.user_id = a.user_id
          where a.address = m.address order by who.since limit 1), 'asked'),
        'starts_at', t.starts_at, 'ends_at', t.ends_at,
        'place', k.name, 'address', coalesce(at_home.address, k.address),
        'latitude', coalesce(at_home.latitude, k.latitude), 'longitude', coalesce(at_home.longitude, k.longitude),
        'people', (select count(*) from private.plan_people(p.id) as who where who.seats > 0),
        'created_at', p.created_at, 'updated_at', p.updated_at) end
    ) order by m.created_at), '[]')
    from taken as m
    join private.mail_recipients as r on r.address = m.address
    join public.plans as p on p.id = m.plan_id
    left join public.time_options as t
      on t.id = case m.kind when 'plan_proposed' then p.proposed_time_id else p.chosen_time_id end
    left join public.place_options as o
      on o.id = case m.kind when 'plan_proposed' then p.proposed_place_id else p.chosen_place_id end
    left join public.places as k on k.id = o.place_id
    left join lateral (
      select home.* from private.plan_mail_addresses(p.id) as a
      cross join lateral private.home_for(k.id, p.id, a.user_id) as home
      where k.home and a.address = m.address and home.place_id is not null limit 1
    ) as at_home on true
    left join public.plan_members as hm on hm.plan_id = p.id and hm.role = 'host'
    left join public.profiles as h on h.id = hm.user_id
    left join public.profiles as s on s.id = m.sender_id;
  end;

-- Says what became of a mail that was taken: sent, or why not (it is tried again later, five times at most). The
-- token goes with the last attempt.
create function public.settle_mail(mail uuid, failure text default null) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    update private.outgoing_mail as m set
      sent_at = case when settle_mail.failure is null then now() end,
      secret = case when settle_mail.failure is not null and m.attempts < 5 then m.secret end,
      failure = left(settle_mail.failure, 500)
    where m.id = settle_mail.mail and m.sent_at is null;
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger follow_mail_settings after update of mail_invites, mail_reminders on public.private_profiles
  for each row execute function private.follow_mail_settings();
create trigger forget_mail before delete on auth.users
  for each row execute function private.forget_mail();
create trigger mail_decisions after insert on public.notifications
  referencing new table as told for each statement when (coalesce(current_setting('nosh.undoes', true), '') <> 'on')
  execute function private.mail_decisions();
create trigger mail_changes after insert on public.notifications
  referencing new table as told for each statement when (coalesce(current_setting('nosh.undoes', true), '') <> 'on')
  execute function private.mail_changes();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.invite_by_mail(uuid, text[]) to authenticated;
grant execute on function public.mail_choice(uuid), public.choose_mail(uuid, boolean, boolean) to anon, authenticated;
grant execute on function public.is_reminders_secret(text), public.take_mail(integer), public.settle_mail(uuid, text)
  to service_role;

-- schemas/mail_addresses.sql

-- Addresses that guests leave at a plan to be told about it by mail, without an account.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Asks by mail whether the caller, a guest at the plan, may be told about it at this address. Answers `asked`,
-- `confirmed` (they have confirmed it at another plan), or `not_sent` (the address wants no such mail). A newer address
-- replaces the one before.
create function public.leave_address(plan uuid, address text) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  wanted text := lower(btrim(leave_address.address));
  recipient private.mail_recipients;
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
  known boolean;
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  elsif not private.is_guest() then
    perform private.refuse('not_a_guest');
  elsif not coalesce(private.is_mail_address(wanted), false) then
    perform private.refuse('mail_bad_address');
  end if;
  known := exists (
    select 1 from private.left_addresses as l
    where l.user_id = caller and l.address = wanted and l.confirmed_at is not null);
  if not known and not (
    private.count_daily_use('confirm person ' || caller, private.limit_of('confirmations_per_person'))
    and private.count_daily_use('confirm network ' || private.network_of_caller(), private.limit_of('confirmations_per_network'))
    and private.count_daily_use('confirm address ' || wanted, private.limit_of('confirmations_per_address'))
  ) then
    perform private.refuse('too_many_confirmations');
  end if;
  recipient := private.recipient(wanted);
  if recipient.no_reminders_since is not null or exists (
    select 1 from auth.users as u join public.private_profiles as p on p.id = u.id
    where lower(u.email) = wanted and not p.mail_reminders
  ) then
    return 'not_sent';
  end if;
  insert into private.left_addresses as l (plan_id, user_id, address, token_hash, confirmed_at)
    values (plan, caller, wanted, case when not known then private.token_hash(secret) end, case when known then now() end)
    on conflict on constraint left_addresses_pkey do update set
      address = excluded.address, token_hash = excluded.token_hash, asked_at = now(), confirmed_at = excluded.confirmed_at;
  if known then
    return 'confirmed';
  end if;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, secret)
    select wanted, 'confirm_address', plan, caller, p.language, secret
    from public.private_profiles as p where p.id = caller;
  perform private.deliver_mail();
  return 'asked';
end $$;

-- What the link of that mail does, for whoever has it; doing it again changes nothing. Returns the plan.
create function public.confirm_address(token text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  confirmed uuid;
begin
  update private.left_addresses as l set confirmed_at = coalesce(l.confirmed_at, now())
    where l.token_hash = private.token_hash(confirm_address.token)
      and l.asked_at > now() - make_interval(days => private.limit_of('confirmation_days'))
    returning l.plan_id into confirmed;
  if not found then
    perform private.refuse('confirmation_gone');
  end if;
  return confirmed;
end $$;

-- The address that the caller has left at a plan, without most of its name, as others may look at the screen.
create function public.my_left_address(plan uuid) returns table (address text, confirmed boolean)
  language sql stable security definer set search_path = ''
  begin atomic
    select regexp_replace(l.address, '^(.)[^@]*', '\1…'), l.confirmed_at is not null
    from private.left_addresses as l
    where l.plan_id = my_left_address.plan and l.user_id = (select private.require_caller());
  end;

create function public.remove_left_address(plan uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.left_addresses as l
    where l.plan_id = remove_left_address.plan and l.user_id = (select private.require_caller());
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.leave_address(uuid, text), public.my_left_address(uuid),
  public.remove_left_address(uuid) to authenticated;
grant execute on function public.confirm_address(text) to anon, authenticated;

-- schemas/push.sql

-- Web push: the devices that a person wants to be told on, and the messages that wait for them. As with mail, a
-- message is a row, written in the transaction of the change that it reports; a function sends it afterwards.

-- One row for each device and person. The endpoint is a secret: knowing it is enough to write to the device.
create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.profiles (id) on delete cascade,
  endpoint text not null unique
    check (char_length(endpoint) <= 1000 and endpoint ~ '^https://[^\s/@?#]+/\S*$'),
  -- An uncompressed point of P-256 and 16 bytes, in base64url.
  p256dh text not null check (p256dh ~ '^B[A-Za-z0-9_-]{86}$'),
  auth text not null check (auth ~ '^[A-Za-z0-9_-]{22}$'),
  created_at timestamptz not null default now()
);

create index push_subscriptions_user_idx on public.push_subscriptions (user_id);

-- Messages that wait. A row goes when it was sent, and with the device, the seat or the plan.
create table private.outgoing_push (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null references public.push_subscriptions (id) on delete cascade,
  plan_id uuid not null,
  user_id uuid not null,
  kind public.notification_kind not null,
  created_at timestamptz not null default now(),
  taken_at timestamptz,
  attempts smallint not null default 0,
  failure text,
  not_before timestamptz, -- of a decision: until then it can be undone
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id)
    on update cascade on delete cascade
);

create index outgoing_push_created_idx on private.outgoing_push (created_at);
create index outgoing_push_subscription_idx on private.outgoing_push (subscription_id);
create index outgoing_push_seat_idx on private.outgoing_push (plan_id, user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Tells the caller on this device from now on. A device tells one person: the last who asked for it on this device.
create function public.save_push_subscription(endpoint text, p256dh text, auth text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  saved uuid;
begin
  -- Two devices at once are counted one after the other.
  perform 1 from public.profiles as p where p.id = caller for no key update;
  if not exists (
    select 1 from public.push_subscriptions as s
    where s.endpoint = save_push_subscription.endpoint and s.user_id = caller
  ) and (
    select count(*) from public.push_subscriptions as s where s.user_id = caller
  ) >= private.limit_of('push_devices') then
    perform private.refuse('too_many_push_devices');
  end if;
  -- Messages for the person before go with their row.
  delete from public.push_subscriptions as s
    where s.endpoint = save_push_subscription.endpoint and s.user_id <> caller;
  begin
    insert into public.push_subscriptions as s (user_id, endpoint, p256dh, auth)
      values (caller, save_push_subscription.endpoint, save_push_subscription.p256dh, save_push_subscription.auth)
      on conflict on constraint push_subscriptions_endpoint_key
        do update set user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth
      returning s.id into saved;
  exception when check_violation or not_null_violation then
    perform private.refuse('push_bad_subscription');
  end;
  return saved;
end $$;

create function private.push_notifications() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Of several decisions that wait for a device only the newest is sent.
  delete from private.outgoing_push as m using told as n
    where m.plan_id = n.plan_id and m.user_id = n.user_id and m.taken_at is null
      and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text)) and private.is_decision(n.kind::text);
  insert into private.outgoing_push (subscription_id, plan_id, user_id, kind, not_before)
    select s.id, n.plan_id, n.user_id, n.kind, private.not_before(n.plan_id)
    from told as n
    join public.push_subscriptions as s on s.user_id = n.user_id
    join public.plan_members as seat on seat.plan_id = n.plan_id and seat.user_id = n.user_id
    where (private.is_decision(n.kind::text)
        or private.is_addition(n.kind::text) or n.kind in ('vote_nudge', 'vote_reminder', 'plan_tomorrow', 'seat_freed',
          'standing_planned', 'everybody_answered', 'join_asked'))
      and not (private.is_addition(n.kind::text) and exists (
        select 1 from private.outgoing_push as m
        where m.subscription_id = s.id and m.plan_id = n.plan_id and m.taken_at is null
          and (private.is_decision(m.kind::text) or m.kind = n.kind)
      ));
  if found then
    perform private.deliver_push();
  end if;
  return null;
end $$;

-- Calls the function that sends, once in a transaction.
create function private.deliver_push() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if current_setting('nosh.push_called_in', true) = pg_current_xact_id()::text
    or not exists (select 1 from private.outgoing_push as m where m.attempts < 5) then
    return;
  end if;
  perform set_config('nosh.push_called_in', pg_current_xact_id()::text, true);
  perform private.call_function('web-push');
end $$;

-- Takes up to `most` messages that wait, with all that their words need; of a proposal with its pair, and until
-- when one may object. A message that was taken and not settled within ten minutes is taken again, five times at
-- most.
create function public.take_push(most integer default 20) returns jsonb
  language sql volatile security definer set search_path = ''
  begin atomic
    with taken as (
      update private.outgoing_push as m set taken_at = now(), attempts = m.attempts + 1
      where m.id in (
        select w.id from private.outgoing_push as w
        where w.attempts < 5 and (w.not_before is null or w.not_before <= now())
          and (w.taken_at is null or w.taken_at < now() - interval '10 minutes')
        order by w.created_at limit least(most, 100) for update skip locked
      )
      returning m.*
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'kind', m.kind, 'language', mine.language,
      'endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth,
      'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline,
      'starts_at', t.starts_at, 'place', k.name, 'veto_until', p.veto_until
    ) order by m.created_at), '[]')
    from taken as m
    join public.push_subscriptions as s on s.id = m.subscription_id
    join public.private_profiles as mine on mine.id = m.user_id
    join public.plans as p on p.id = m.plan_id
    left join public.time_options as t on t.id = coalesce(p.chosen_time_id, p.proposed_time_id)
    left join public.place_options as o on o.id = coalesce(p.chosen_place_id, p.proposed_place_id)
    left join public.places as k on k.id = o.place_id;
  end;

-- Says what became of a message that was taken: sent, or why not (it is tried again later). `gone`: the push service
-- knows the device no more, and it is forgotten.
create function public.settle_push(push uuid, failure text default null, gone boolean default false) returns void
  language plpgsql volatile security definer set search_path = '' as $$
begin
  if settle_push.gone then
    delete from public.push_subscriptions as s using private.outgoing_push as m
      where m.id = settle_push.push and s.id = m.subscription_id;
  elsif settle_push.failure is null then
    delete from private.outgoing_push as m where m.id = settle_push.push;
  else
    update private.outgoing_push as m set failure = left(settle_push.failure, 500) where m.id = settle_push.push;
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.push_subscriptions enable row level security;

create policy "devices are read by their person" on public.push_subscriptions
  for select to authenticated using (user_id = (select private.caller()));
create policy "devices are removed by their person" on public.push_subscriptions
  for delete to authenticated using (user_id = (select private.caller()));

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger push_notifications after insert on public.notifications
  referencing new table as told for each statement when (coalesce(current_setting('nosh.undoes', true), '') <> 'on')
  execute function private.push_notifications();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select (id, user_id, created_at), delete on public.push_subscriptions to authenticated;
grant execute on function public.save_push_subscription(text, text, text) to authenticated;
grant execute on function public.take_push(integer), public.settle_push(uuid, text, boolean) to service_role;

-- schemas/undo.sql

-- Undoing a decision, for some seconds after a host made it. Until then its mails and messages wait, so that whoever
-- undoes it has told nobody.

-- What the last decision of a plan changed: the rows before it, and the choice and the people after it.
create table private.undos (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  decided_at timestamptz not null default now(),
  until timestamptz not null,
  before jsonb not null,
  after jsonb
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.seats_of(plan uuid) returns jsonb
  language sql stable security definer set search_path = ''
  return (
    select jsonb_agg(jsonb_build_object('user_id', m.user_id, 'rsvp', m.rsvp, 'plus_ones', m.plus_ones,
      'waitlisted_at', m.waitlisted_at, 'rsvp_at', m.rsvp_at))
    from public.plan_members as m where m.plan_id = plan
  );

-- Keeps what a decision is about to change of a plan, which the caller has locked.
create function private.keep_before(this public.plans) returns void
  language sql security definer set search_path = ''
  begin atomic
    delete from private.undos as u where u.until <= now() or u.plan_id = this.id;
    insert into private.undos (plan_id, until, before)
      select this.id, now() + make_interval(secs => private.limit_of('undo_seconds')), jsonb_build_object(
        'plan', to_jsonb(this), 'people', private.seats_of(this.id),
        'arrivals', (
          select coalesce(jsonb_agg(to_jsonb(a)), '[]') from public.arrivals as a where a.plan_id = this.id),
        'notices', (
          select coalesce(jsonb_agg(to_jsonb(n)), '[]') from public.notifications as n
          where n.plan_id = this.id and n.kind in ('plan_moved', 'plan_placed') and n.read_at is null),
        'mails', (
          select coalesce(jsonb_agg(to_jsonb(m)), '[]') from private.outgoing_mail as m
          where m.plan_id = this.id and m.sent_at is null and m.taken_at is null
            and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text))),
        'messages', (
          select coalesce(jsonb_agg(to_jsonb(m)), '[]') from private.outgoing_push as m
          where m.plan_id = this.id and m.taken_at is null
            and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text))));
  end;

create function private.keep_after(plan uuid) returns void
  language sql security definer set search_path = ''
  begin atomic
    update private.undos as u set after = jsonb_build_object(
        'status', p.status, 'time', p.chosen_time_id, 'place', p.chosen_place_id, 'people', private.seats_of(p.id))
      from public.plans as p where p.id = keep_after.plan and u.plan_id = p.id;
  end;

-- When mails and messages about a change of this transaction may go out: null for at once.
create function private.not_before(plan uuid) returns timestamptz
  language sql stable security definer set search_path = ''
  return (select u.until from private.undos as u where u.plan_id = not_before.plan and u.decided_at = now());

-- Takes the last decision back: the choice, and what it changed of seats, arrivals, notices and waiting mails. What
-- others did since stays. Sends nothing.
create function public.undo_decision(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
  kept private.undos;
  was public.plans;
  changed uuid[];
begin
  select * into kept from private.undos as u where u.plan_id = this.id;
  if not found or kept.until <= clock_timestamp()
    or (this.status::text, this.chosen_time_id::text, this.chosen_place_id::text)
      is distinct from (kept.after ->> 'status', kept.after ->> 'time', kept.after ->> 'place') then
    perform private.refuse('too_late_to_undo');
  end if;
  was := jsonb_populate_record(null::public.plans, kept.before -> 'plan');
  update public.plans as p set status = was.status, chosen_time_id = was.chosen_time_id,
      chosen_place_id = was.chosen_place_id, moved_from_time_id = was.moved_from_time_id,
      moved_from_place_id = was.moved_from_place_id, revision = p.revision + 1
    where p.id = this.id;
  -- On their own: triggers have cleared them with the choice.
  update public.plans as p set ready_at = was.ready_at, ready_by = was.ready_by, undecided = was.undecided,
      vetoed_by = was.vetoed_by, vetoed_at = was.vetoed_at, veto_reason = was.veto_reason,
      proposed_time_id = was.proposed_time_id, proposed_place_id = was.proposed_place_id,
      proposed_at = was.proposed_at, veto_until = was.veto_until
    where p.id = this.id;

  with restored as (
    update public.plan_members as m set rsvp = b.rsvp, plus_ones = b.plus_ones, waitlisted_at = b.waitlisted_at
      from jsonb_populate_recordset(null::public.plan_members, kept.before -> 'people') as b,
        jsonb_populate_recordset(null::public.plan_members, kept.after -> 'people') as a
      where m.plan_id = this.id and m.user_id = b.user_id and m.user_id = a.user_id
        and (m.rsvp, m.plus_ones, m.waitlisted_at) is not distinct from (a.rsvp, a.plus_ones, a.waitlisted_at)
        and (a.rsvp, a.plus_ones, a.waitlisted_at) is distinct from (b.rsvp, b.plus_ones, b.waitlisted_at)
      returning m.user_id
  )
  select array_agg(r.user_id) into changed from restored as r;
  -- On its own: a trigger has written the present time where the answer changed.
  update public.plan_members as m set rsvp_at = b.rsvp_at
    from jsonb_populate_recordset(null::public.plan_members, kept.before -> 'people') as b
    where m.plan_id = this.id and m.user_id = b.user_id and m.user_id = any (changed);
  insert into public.arrivals
    select a.* from jsonb_populate_recordset(null::public.arrivals, kept.before -> 'arrivals') as a
    join public.plan_members as m on m.plan_id = a.plan_id and m.user_id = a.user_id
    on conflict do nothing;

  delete from public.notifications as n where n.plan_id = this.id and n.created_at = kept.decided_at
    and n.kind in ('plan_confirmed', 'plan_moved', 'plan_placed', 'seat_freed');
  delete from private.outgoing_mail as m where m.plan_id = this.id and m.not_before = kept.until;
  delete from private.outgoing_push as m where m.plan_id = this.id and m.not_before = kept.until;
  -- Notices that were there before are told to nobody again.
  perform set_config('nosh.undoes', 'on', true);
  insert into public.notifications
    select n.* from jsonb_populate_recordset(null::public.notifications, kept.before -> 'notices') as n
    join public.plan_members as m on m.plan_id = n.plan_id and m.user_id = n.user_id
    on conflict do nothing;
  perform set_config('nosh.undoes', '', true);
  insert into private.outgoing_mail
    select m.* from jsonb_populate_recordset(null::private.outgoing_mail, kept.before -> 'mails') as m
    join private.mail_recipients as r on r.address = m.address
    on conflict do nothing;
  insert into private.outgoing_push
    select m.* from jsonb_populate_recordset(null::private.outgoing_push, kept.before -> 'messages') as m
    join public.push_subscriptions as s on s.id = m.subscription_id
    join public.plan_members as seat on seat.plan_id = m.plan_id and seat.user_id = m.user_id
    on conflict do nothing;
  delete from private.undos as u where u.plan_id = this.id;
end $$;

-- Milliseconds until the next mail or message that waits for its time; null where none does. For the functions that
-- deliver: they wait for it, so that it goes out whatever becomes of the page that decided.
create function public.delivery_due_in(what text) returns integer
  language sql volatile security definer set search_path = ''
  begin atomic
    select ceil(extract(epoch from min(waits.until) - clock_timestamp()) * 1000)::integer from (
      select m.not_before as until from private.outgoing_mail as m
        where delivery_due_in.what = 'mail' and m.sent_at is null and m.taken_at is null
      union all
      select m.not_before from private.outgoing_push as m where delivery_due_in.what = 'push' and m.taken_at is null
    ) as waits;
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.undo_decision(uuid) to authenticated;
grant execute on function public.delivery_due_in(text) to service_role;

-- schemas/calendar.sql

-- A plan as an event of a calendar, and the address of a feed that follows every plan of a person.

-- The token is part of an address that calendar apps store and request, so it can be replaced.
create table private.calendar_feeds (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now()
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The events of the plans that this person sits at and that have a time, with or without a place: the next ones and
-- those of the last quarter. Cancelled plans are included, so that calendars remove their entry.
create function private.calendar_events(person uuid, plan uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select coalesce(jsonb_agg(event order by event ->> 'starts_at'), '[]') from (
      select jsonb_build_object(
        'plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision,
        'status', private.plan_state(p), 'state', table_of.state,
        'starts_at', t.starts_at, 'ends_at', t.ends_at, 'time_zone', p.time_zone,
        'place', k.name, 'address', coalesce(at_home.address, k.address),
        'latitude', coalesce(at_home.latitude, k.latitude), 'longitude', coalesce(at_home.longitude, k.longitude),
        'people', table_of.people,
        'created_at', p.created_at, 'updated_at', p.updated_at
      ) as event
      from public.plan_members as m
      join public.plans as p on p.id = m.plan_id
      join public.time_options as t on t.id = p.chosen_time_id
      left join public.place_options as o on o.id = p.chosen_place_id
      left join public.places as k on k.id = o.place_id
      left join lateral private.home_for(k.id, p.id, m.user_id) as at_home on k.home
      cross join lateral (
        select count(*) filter (where who.seats > 0) as people, min(who.state) filter (where who.user_id = m.user_id) as state
        from private.plan_people(p.id) as who
      ) as table_of
      where m.user_id = person and (calendar_events.plan is null or p.id = calendar_events.plan)
        and t.ends_at > now() - interval '90 days'
      order by t.starts_at desc
      limit 500
    ) as events;
  end;

-- The events of the caller: one plan's, or all.
create function public.my_calendar(plan uuid default null) returns jsonb
  language sql stable security definer set search_path = ''
  return private.calendar_events((select private.require_caller()), plan);

create function public.has_calendar_feed() returns boolean
  language sql stable security definer set search_path = ''
  return exists (select 1 from private.calendar_feeds as f where f.user_id = (select private.require_caller()));

-- The secret part of a feed's address. The token is in the answer and nowhere else; the one before ends.
create function public.create_calendar_feed() returns text
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  secret text := translate(encode(extensions.gen_random_bytes(24), 'base64'), '+/', '-_');
begin
  insert into private.calendar_feeds as f (user_id, token_hash)
    values (caller, private.token_hash(secret))
    on conflict (user_id) do update set token_hash = excluded.token_hash, created_at = now();
  return secret;
end $$;

create function public.revoke_calendar_feed() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.calendar_feeds where user_id = (select private.require_caller());
  end;

-- The events behind a feed's token, for whoever has it; null where no feed has that token.
create function public.calendar_of_feed(token text) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select private.calendar_events(f.user_id, null) from private.calendar_feeds as f
    where f.token_hash = private.token_hash(calendar_of_feed.token);
  end;

-- Says that the caller reads a calendar now, for the function read-calendar, which fetches only after it.
create function public.count_calendar_read() returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if caller is not null and not private.count_use('calendars_per_hour', interval '1 hour') then
    perform private.refuse('too_many_calendars');
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.my_calendar(uuid), public.has_calendar_feed(), public.create_calendar_feed(),
  public.revoke_calendar_feed(), public.count_calendar_read() to authenticated;
grant execute on function public.calendar_of_feed(text) to anon, authenticated;

-- schemas/live.sql

-- The live channels of a plan. Topics have an epoch that grows when a person leaves, because an open channel is not
-- authorised again: later messages are sent on a topic that only the remaining people can join. Only the database
-- sends on `plan:<id>:<epoch>`, only that person on `plan:<id>:<epoch>:<person>`, so the topic proves the sender.

create table public.plan_channels (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  epoch integer not null default 0,
  -- Grows once in each transaction that changes what a plan is read with, in commit order: the row is locked.
  revision bigint not null default 0,
  changed_in xid8
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.plan_topic(plan uuid, epoch integer) returns text
  language sql immutable set search_path = ''
  return 'plan:' || plan || ':' || epoch;

create function private.open_plan_channel() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.plan_channels (plan_id) values (new.id);
  return null;
end $$;

-- Says once in a transaction that the plan has changed: everybody reads it again as a whole. `person` is who changed
-- it, where that is known.
create function private.announce_plan(plan uuid, source text, operation text, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plan_channels;
begin
  update public.plan_channels as c set revision = c.revision + 1, changed_in = pg_current_xact_id()
    where c.plan_id = plan and c.changed_in is distinct from pg_current_xact_id()
      -- Not while the whole plan goes: nobody is left to tell.
      and exists (select 1 from public.plans as p where p.id = plan)
    returning * into this;
  if found then
    perform realtime.send(
      jsonb_build_object('table', source, 'operation', operation, 'revision', this.revision, 'user_id', person),
      source, private.plan_topic(plan, this.epoch), true);
  end if;
end $$;

-- Before the seat goes and before anything that follows from it (the line moves): the old topic hears a last notice
-- without content, and all later messages of this transaction and of others are said on the next one. Also when a
-- seat passes to another person: the earlier one must not hear later messages.
create function private.close_plan_channel() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plan_channels;
begin
  select * into this from public.plan_channels as c
    where c.plan_id = old.plan_id and exists (select 1 from public.plans as p where p.id = c.plan_id)
    for no key update;
  if found then
    update public.plan_channels as c
      set epoch = c.epoch + 1, revision = this.revision + 1, changed_in = pg_current_xact_id()
      where c.plan_id = old.plan_id;
    perform realtime.send(
      jsonb_build_object('table', 'plan_members', 'operation', 'DELETE', 'revision', this.revision + 1),
      'plan_members', private.plan_topic(old.plan_id, this.epoch), true);
  end if;
  return coalesce(new, old);
end $$;

-- Tables that a plan is read with: one notice a transaction, without content. A plan may hide results until one has
-- voted, so who may read votes asks for them under row level security.
create function private.announce_part() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  this record;
begin
  -- What follows from a change (who has voted, whom a seat goes to) is announced with that change.
  if tg_table_name = 'plan_members' and tg_op = 'UPDATE' and pg_trigger_depth() > 1 then
    return null;
  end if;
  for this in
    select coalesce(row ->> 'plan_id', row ->> 'id')::uuid as plan,
      case when count(distinct row ->> 'user_id') = 1 then min(row ->> 'user_id')::uuid end as person
    from (select to_jsonb(c) as row from changed as c) as rows
    group by 1 order by 1
  loop
    perform private.announce_plan(this.plan, tg_table_name, tg_op, this.person);
  end loop;
  return null;
end $$;

-- Tables that everyone at the plan may read: one message a statement and plan, with the row if it is one.
create function private.announce_rows() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  this record;
begin
  for this in
    select c.plan_id as plan, case when count(*) = 1 then (array_agg(to_jsonb(c)))[1] end as row
    from changed as c group by c.plan_id order by c.plan_id
  loop
    perform realtime.send(
      jsonb_build_object(
        'table', tg_table_name, 'operation', tg_op,
        case when tg_op = 'DELETE' then 'old_record' else 'record' end, this.row),
      tg_table_name, private.plan_topic(c.plan_id, c.epoch), true)
    from public.plan_channels as c where c.plan_id = this.plan;
  end loop;
  return null;
end $$;

-- Whether the caller sits at the plan of the topic and the topic is of the present epoch: the plan's own, or that of
-- somebody who sits there (`person`: of this one only).
create function private.is_live_topic(topic text, person uuid default null) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1
    from public.plan_channels as c
    join public.plan_members as mine on mine.plan_id = c.plan_id and mine.user_id = (select private.caller())
    where c.plan_id = private.uuid_or_null(split_part(topic, ':', 2))
      and (
        (person is null and topic = private.plan_topic(c.plan_id, c.epoch))
        or exists (
          select 1 from public.plan_members as m
          where m.plan_id = c.plan_id and (person is null or m.user_id = person)
            and topic = private.plan_topic(c.plan_id, c.epoch) || ':' || m.user_id
        )
      )
  );

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.plan_channels enable row level security;

create policy "channels are read by the table" on public.plan_channels
  for select to authenticated using (plan_id = any (array(select private.my_plan_ids())));

create policy "the table listens" on realtime.messages
  for select to authenticated using (
    extension in ('broadcast', 'presence')
    and (select private.is_live_topic((select realtime.topic())))
  );
create policy "the table speaks" on realtime.messages
  for insert to authenticated with check (
    extension in ('broadcast', 'presence')
    and (select private.caller()) is not null
    and (select private.is_live_topic((select realtime.topic()), (select private.caller())))
  );

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger open_channel after insert on public.plans
  for each row execute function private.open_plan_channel();
create trigger close_channel before delete on public.plan_members
  for each row execute function private.close_plan_channel();
create trigger close_channel_of_passed before update of user_id on public.plan_members
  for each row when (new.user_id is distinct from old.user_id)
  execute function private.close_plan_channel();
create trigger announce_update after update on public.plans referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.plan_members referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.plan_members referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.plan_members referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.time_options referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.time_options referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.place_options referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.place_options referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.time_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.time_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.time_votes referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.place_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.place_votes referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.place_votes referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.arrivals referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_update after update on public.arrivals referencing new table as changed
  for each statement execute function private.announce_part();
create trigger announce_delete after delete on public.arrivals referencing old table as changed
  for each statement execute function private.announce_part();
create trigger announce_insert after insert on public.messages referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_update after update on public.messages referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_insert after insert on public.reactions referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_delete after delete on public.reactions referencing old table as changed
  for each statement execute function private.announce_rows();
create trigger announce_insert after insert on public.photos referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_update after update on public.photos referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_delete after delete on public.photos referencing old table as changed
  for each statement execute function private.announce_rows();
create trigger announce_insert after insert on public.ratings referencing new table as changed
  for each statement execute function private.announce_rows();
create trigger announce_update after update on public.ratings referencing new table as changed
  for each statement execute function private.announce_rows();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant select (plan_id, epoch, revision) on public.plan_channels to authenticated;
grant execute on function private.is_live_topic(text, uuid) to authenticated, service_role;

-- schemas/look_ups.sql

-- Answers of the geocoder that are kept for a while, so that it is asked once.

create table private.look_ups (
  digest text primary key check (char_length(digest) = 64),
  answers jsonb not null,
  asked_at timestamptz not null default now()
);

create index look_ups_asked_at_idx on private.look_ups (asked_at);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Says that the caller looks something up now, for the function look-up, which asks only after it.
create function public.count_look_up() returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if caller is not null and not private.count_use('look_ups_per_hour', interval '1 hour') then
    perform private.refuse('too_many_look_ups');
  end if;
end $$;

-- Keeps answers, and removes some that are too old.
create function public.keep_look_up(digest text, answers jsonb) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    insert into private.look_ups (digest, answers) values (keep_look_up.digest, keep_look_up.answers)
      on conflict (digest) do update set answers = excluded.answers, asked_at = now();
    delete from private.look_ups as l where l.digest in (
      select old.digest from private.look_ups as old
      where old.asked_at < now() - make_interval(days => private.limit_of('look_up_days'))
      limit 20
    );
  end;

-- The kept answers to a question; null when there are none, or they are too old.
create function public.kept_look_up(digest text) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select l.answers from private.look_ups as l
    where l.digest = kept_look_up.digest
      and l.asked_at > now() - make_interval(days => private.limit_of('look_up_days'));
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.count_look_up() to authenticated;
grant execute on function public.keep_look_up(text, jsonb), public.kept_look_up(text) to service_role;

-- schemas/samples.sql

-- A table to try Nosh at, one for each visitor, on any backend, without a seed. Its made-up people are in
-- rows/sample_people.sql.

-- Which plans are only there to be tried, and whose.
create table private.sample_plans (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  person uuid not null unique references public.profiles (id) on delete cascade,
  made_at timestamptz not null default now()
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A table for the caller to try Nosh at: they host it, four made-up people have voted. The same one until it is gone.
-- `title` and `note` are in the caller's language. Where the backend knows places of everybody's, three of them are on
-- it.
create function public.start_sample_plan(title text, note text, hello text, time_zone text default 'UTC') returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  made_up constant uuid[] := array[
    '00000000-0000-4000-8000-5a3b1e000001', '00000000-0000-4000-8000-5a3b1e000002',
    '00000000-0000-4000-8000-5a3b1e000003', '00000000-0000-4000-8000-5a3b1e000004'
  ];
  day date;
  evening timestamptz;
begin
  -- Two clicks at once get one table.
  perform 1 from public.profiles as p where p.id = caller for update;
  select s.plan_id into new_plan from private.sample_plans as s where s.person = caller;
  if new_plan is not null then
    return new_plan;
  end if;

  insert into public.plans (title, note, time_zone, vote_deadline)
    values (private.trimmed(start_sample_plan.title), private.trimmed(start_sample_plan.note),
      start_sample_plan.time_zone, now() + interval '3 days')
    returning id into new_plan;
  insert into private.sample_plans (plan_id, person) values (new_plan, caller);
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, caller, 'host');
  insert into public.plan_members (plan_id, user_id) select new_plan, person from unnest(made_up) as person;
  -- The next three evenings that are at least four days away.
  for ahead in 4..6 loop
    day := (now() at time zone start_sample_plan.time_zone)::date + ahead;
    evening := (day + time '19:30') at time zone start_sample_plan.time_zone;
    perform private.add_time(new_plan, evening, evening + interval '2 hours');
  end loop;
  insert into public.place_options (plan_id, place_id, proposed_by)
    select new_plan, p.id, made_up[1] from public.places as p
    where p.everybody order by p.created_at, p.id limit 3;
  -- The first evening suits most, the second everybody if need be, the third half of them.
  insert into public.time_votes (option_id, plan_id, user_id, answer)
  select o.id, new_plan, person.id,
    (array['yes', 'yes', 'yes', 'if_need_be', 'if_need_be', 'yes', 'if_need_be', 'yes', 'no', 'yes', 'yes', 'no']
      )[(o.at - 1) * 4 + person.at]::public.vote_answer
  from (select t.id, row_number() over (order by t.starts_at) as at from public.time_options as t where t.plan_id = new_plan) as o
  cross join unnest(made_up) with ordinality as person (id, at);
  insert into public.place_votes (option_id, plan_id, user_id, answer)
  select o.id, new_plan, person.id,
    (array['yes', 'if_need_be', 'yes', 'yes', 'no', 'yes', 'yes', 'if_need_be', 'if_need_be', 'yes', 'no', 'yes']
      )[(o.at - 1) * 4 + person.at]::public.vote_answer
  from (select p.id, row_number() over (order by p.id) as at from public.place_options as p where p.plan_id = new_plan) as o
  cross join unnest(made_up) with ordinality as person (id, at);
  insert into public.messages (plan_id, author_id, client_id, body)
    values (new_plan, made_up[1], gen_random_uuid(), private.trimmed(start_sample_plan.hello));
  return new_plan;
end $$;

-- A table to try goes with its visitor.
create function private.remove_sample_plan() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not private.has_real_guests(old.plan_id, old.person) then
    delete from public.plans as p where p.id = old.plan_id;
  end if;
  return old;
end $$;

-- Clears tables that were tried long enough. One at which real people sit too is kept, as a plan like others.
create function private.clear_sample_plans() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  delete from private.sample_plans as s
    where s.made_at < now() - make_interval(days => private.limit_of('sample_plan_days'));
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger remove_sample_plan after delete on private.sample_plans
  for each row execute function private.remove_sample_plan();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.start_sample_plan(text, text, text, text) to authenticated;

-- schemas/guests.sql

-- A guest on a second device, by a personal link: there is no address to sign in with. One link at a time, for a
-- week, and only while they are a guest. And the account that takes over what a guest has done.

create table private.personal_links (
  user_id uuid primary key references auth.users (id) on delete cascade,
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  uses smallint not null default 0
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A refresh token in the form of the auth service's own: twelve letters and digits. It looks up only tokens of this
-- length in its table, and reads longer ones as signed tokens of another kind.
create function private.new_refresh_token() returns text
  language sql volatile set search_path = ''
  begin atomic
    select string_agg(
      substr('abcdefghijklmnopqrstuvwxyz234567', (get_byte(random.bytes, place) & 31) + 1, 1), '' order by place)
    from (select extensions.gen_random_bytes(12) as bytes) as random, generate_series(0, 11) as place;
  end;

-- The token is in the answer and nowhere else. A new link ends the one before.
create function public.create_personal_link() returns table (token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  secret text := translate(encode(extensions.gen_random_bytes(24), 'base64'), '+/', '-_');
begin
  if not private.is_guest() then
    perform private.refuse('not_a_guest');
  end if;
  return query
    insert into private.personal_links as l (user_id, token_hash, expires_at)
    values (caller, private.token_hash(secret), now() + make_interval(days => private.limit_of('personal_link_days')))
    on conflict (user_id) do update
      set token_hash = excluded.token_hash, expires_at = excluded.expires_at, uses = 0
    returning secret, l.expires_at;
end $$;

-- Opens a session for the guest whose link it is, and answers with its first refresh token: the client
-- exchanges it like any other. The auth service has no call for this (an anonymous user has no address and no
-- password), so the rows are those that its own anonymous sign-in writes.
create function public.open_personal_link(token text) returns table (refresh_token text, display_name text)
  language plpgsql security definer set search_path = '' as $$
declare
  link private.personal_links;
  session uuid := gen_random_uuid();
  secret text := private.new_refresh_token();
begin
  select * into link from private.personal_links as l
    where l.token_hash = private.token_hash(open_personal_link.token) for update;
  if not found or link.expires_at <= now() or link.uses >= private.limit_of('personal_link_uses')
    or not exists (select 1 from public.profiles as p where p.id = link.user_id and p.is_guest) then
    perform private.refuse('personal_link_gone');
  end if;
  update private.personal_links as l set uses = l.uses + 1 where l.user_id = link.user_id;
  insert into auth.sessions (id, user_id, created_at, updated_at, aal)
    values (session, link.user_id, now(), now(), 'aal1');
  insert into auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
    values (gen_random_uuid(), session, 'anonymous', now(), now());
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
    values ('00000000-0000-0000-0000-000000000000', secret, link.user_id::text, false, now(), now(), session);
  return query select secret, p.display_name from public.profiles as p where p.id = link.user_id;
end $$;

create function public.revoke_personal_link() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.personal_links where user_id = (select private.require_caller());
  end;

-- Waits for everything that the guest is just doing, and makes what comes later wait: it then finds no seat and is
-- refused. The order is that of other functions: invites, plans by id, profiles, seats, messages.
create function private.lock_guest(guest uuid, account uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from public.invites as i where i.created_by = guest order by i.id for no key update;
  perform 1 from public.plans as p
    where p.id in (select m.plan_id from public.plan_members as m where m.user_id = guest) or guest in (p.ready_by, p.vetoed_by)
    order by p.id for no key update;
  perform 1 from private.usage as u where u.user_id = guest order by u.what for update;
  perform 1 from auth.users as u where u.id = guest for update;
  perform 1 from public.profiles as p where p.id = account for no key update;
  perform 1 from public.profiles as p where p.id = guest for update;
  -- Those that the guest joined while this waited. No further one can follow: a seat needs the profile.
  perform 1 from public.plans as p
    where p.id in (select m.plan_id from public.plan_members as m where m.user_id = guest)
    order by p.id for no key update;
  perform 1 from public.plan_members as m where m.user_id in (guest, account) order by m.plan_id, m.user_id for update;
  perform 1 from public.messages as m
    where m.author_id = guest or m.id in (select r.message_id from public.reactions as r where r.user_id = guest)
    order by m.id for update;
end $$;

-- Both sit at the plan: the account's seat stays. Its answers win, missing ones are the guest's.
create function private.merge_seats(plan uuid, guest uuid, account uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  mine public.plan_members;
  theirs public.plan_members;
  takes_answer boolean;
begin
  select * into mine from public.plan_members as m where m.plan_id = plan and m.user_id = account;
  select * into theirs from public.plan_members as m where m.plan_id = plan and m.user_id = guest;
  -- Who sits keeps the seat, whichever of the two sat, by a vote too.
  if mine.rsvp = 'waitlisted' and exists (
    select 1 from private.plan_people(plan) as who where who.user_id = guest and who.seats > 0
  ) then
    theirs.rsvp := 'going';
    theirs.rsvp_at := coalesce(theirs.rsvp_at, mine.rsvp_at);
  end if;
  takes_answer := mine.rsvp = 'pending' or mine.rsvp = 'waitlisted' and theirs.rsvp = 'going';
  -- Never two hosts at once.
  update public.plan_members as m set role = 'guest' where m.plan_id = plan and m.user_id = guest;
  update public.plan_members as m set
      role = least(mine.role, theirs.role), -- host, cohost, guest
      rsvp = case when takes_answer then theirs.rsvp else mine.rsvp end,
      plus_ones = case when takes_answer then theirs.plus_ones else mine.plus_ones end,
      waitlisted_at = case
        when takes_answer then theirs.waitlisted_at
        when mine.rsvp = 'waitlisted' then least(mine.waitlisted_at, theirs.waitlisted_at)
      end,
      required = mine.required or theirs.required,
      joined_at = least(mine.joined_at, theirs.joined_at),
      answered_at = least(mine.answered_at, theirs.answered_at),
      accepted_at = least(mine.accepted_at, theirs.accepted_at)
    where m.plan_id = plan and m.user_id = account;
  -- On its own: a trigger has written the present time where the answer changed.
  update public.plan_members as m set rsvp_at = case when takes_answer then theirs.rsvp_at else mine.rsvp_at end
    where m.plan_id = plan and m.user_id = account;

  update public.time_votes as v set user_id = account
    where v.plan_id = plan and v.user_id = guest and not exists (
      select 1 from public.time_votes as own where own.option_id = v.option_id and own.user_id = account);
  update public.place_votes as v set user_id = account
    where v.plan_id = plan and v.user_id = guest and not exists (
      select 1 from public.place_votes as own where own.option_id = v.option_id and own.user_id = account);
  update public.reactions as r set user_id = account
    where r.plan_id = plan and r.user_id = guest and not exists (
      select 1 from public.reactions as own
      where own.message_id = r.message_id and own.emoji = r.emoji and own.user_id = account);
  insert into public.message_reads as r (plan_id, user_id, read_at)
    select plan, account, g.read_at from public.message_reads as g where g.plan_id = plan and g.user_id = guest
    on conflict (plan_id, user_id) do update set read_at = greatest(r.read_at, excluded.read_at);
  update public.ratings as r set user_id = account
    where r.plan_id = plan and r.user_id = guest and not exists (
      select 1 from public.ratings as own where own.plan_id = plan and own.user_id = account);
  update public.arrivals as a set user_id = account
    where a.plan_id = plan and a.user_id = guest and not exists (
      select 1 from public.arrivals as own where own.plan_id = plan and own.user_id = account);
  update private.outgoing_push as m set user_id = account where m.plan_id = plan and m.user_id = guest;
  -- Last: the guest's seats are free only now, so that nobody gets those that the account has taken.
  delete from public.plan_members as m where m.plan_id = plan and m.user_id = guest;
end $$;

-- What the guest wrote and chose, besides the seats.
create function private.pass_work(guest uuid, account uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update storage.objects as o set owner_id = account::text, owner = account
    where o.owner_id = guest::text and (
      o.bucket_id = 'plan-photos' and o.name in (select p.path from public.photos as p where p.author_id = guest)
      or o.bucket_id = 'avatars' and o.name ~>=~ (guest || '/') and o.name ~<~ (guest || '0'));
  update public.photos as p set author_id = account where p.author_id = guest;
  update public.time_options as o set proposed_by = account where o.proposed_by = guest;
  update public.place_options as o set proposed_by = account where o.proposed_by = guest;
  update public.invites as i set created_by = account where i.created_by = guest;
  update public.plans as p set ready_by = account where p.ready_by = guest;
  update public.plans as p set vetoed_by = account where p.vetoed_by = guest;
  update public.places as p set created_by = account where p.created_by = guest;
  update public.place_homes as h set user_id = account where h.user_id = guest;
  update private.outgoing_mail as m set sender_id = account where m.sender_id = guest;
  update public.push_subscriptions as s set user_id = account where s.user_id = guest;

  -- One word for each person: the account's counts.
  delete from public.place_diet_claims as c where c.made_by = guest and exists (
    select 1 from public.place_diet_claims as own
    where own.place_id = c.place_id and own.diet = c.diet and own.made_by = account);
  update public.place_diet_claims as c set made_by = account where c.made_by = guest;
  insert into public.saved_places (user_id, place_id, saved_at)
    select account, s.place_id, s.saved_at from public.saved_places as s where s.user_id = guest
    on conflict (user_id, place_id) do nothing;
  insert into public.usual_times (user_id, weekday, part, answer)
    select account, u.weekday, u.part, u.answer from public.usual_times as u where u.user_id = guest
    on conflict (user_id, weekday, part) do nothing;
  update private.calendar_feeds as f set user_id = account
    where f.user_id = guest and not exists (select 1 from private.calendar_feeds as own where own.user_id = account);
  insert into private.reminders (plan_id, user_id, kind, due_for)
    select r.plan_id, account, r.kind, r.due_for from private.reminders as r where r.user_id = guest
    on conflict do nothing;
  update private.join_requests as r set user_id = account
    where r.user_id = guest
      and not exists (select 1 from public.plan_members as m where m.plan_id = r.plan_id and m.user_id = account)
      and not exists (select 1 from private.join_requests as own where own.plan_id = r.plan_id and own.user_id = account);

  -- Not what both were told at once, what one of them did, and what is on a plan that is closed to the account.
  delete from public.notifications as n
    where n.user_id = account and n.actor_id = guest
      or n.user_id = guest and (
        n.actor_id = account
        or exists (
          select 1 from public.notifications as own
          where own.user_id = account and own.plan_id = n.plan_id and own.kind = n.kind and own.created_at = n.created_at)
        or exists (select 1 from private.removals as r where r.user_id = account and r.plan_id = n.plan_id));
  update public.notifications as n set user_id = account where n.user_id = guest;
  update public.notifications as n set actor_id = account where n.actor_id = guest;

  update public.profiles as mine set
      diets = case when mine.diets_known then mine.diets else theirs.diets end,
      diets_known = mine.diets_known or theirs.diets_known,
      -- Two is what every profile begins with.
      budget = case when mine.budget = 2 then theirs.budget else mine.budget end
    from public.profiles as theirs
    where mine.id = account and theirs.id = guest;
  update public.private_profiles as mine
    set start_latitude = theirs.start_latitude, start_longitude = theirs.start_longitude
    from public.private_profiles as theirs
    where mine.id = account and theirs.id = guest and mine.start_latitude is null and theirs.start_latitude is not null;
end $$;

-- Makes everything of the guest whose personal link it is the caller's. Returns the number of plans that the caller now
-- sits at as that guest did. Limits do not refuse: nothing is new.
create function public.take_over_guest(token text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  link private.personal_links;
  guest uuid;
  seat record;
  touched uuid[];
  moved integer := 0;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  select * into link from private.personal_links as l
    where l.token_hash = private.token_hash(take_over_guest.token) for update;
  if not found or link.expires_at <= now() or link.uses >= private.limit_of('personal_link_uses') then
    perform private.refuse('personal_link_gone');
  end if;
  guest := link.user_id;
  perform private.lock_guest(guest, caller);
  if not exists (select 1 from public.profiles as p where p.id = guest and p.is_guest) then
    perform private.refuse('no_longer_guest');
  end if;
  touched := array(
    select m.id from public.messages as m where m.author_id = guest
    union
    select r.message_id from public.reactions as r where r.user_id = guest);

  -- One table to try for each person. The guest's goes if nobody else sits there.
  if exists (select 1 from private.sample_plans as s where s.person = caller) then
    delete from private.sample_plans as s where s.person = guest;
  else
    update private.sample_plans as s set person = caller where s.person = guest;
  end if;

  for seat in
    select m.plan_id, m.role,
      exists (select 1 from public.plan_members as own where own.plan_id = m.plan_id and own.user_id = caller) as shared,
      exists (select 1 from private.removals as r where r.plan_id = m.plan_id and r.user_id = caller) as removed
    from public.plan_members as m where m.user_id = guest order by m.plan_id
  loop
    -- Who was removed comes back by a new invite only. A host could write that invite, and no plan is without a host.
    if seat.removed and not seat.shared and seat.role <> 'host' then
      delete from public.plan_members as m where m.plan_id = seat.plan_id and m.user_id = guest;
      continue;
    elsif seat.shared then
      perform private.merge_seats(seat.plan_id, guest, caller);
    else
      update public.plan_members as m set user_id = caller where m.plan_id = seat.plan_id and m.user_id = guest;
    end if;
    delete from private.removals as r where r.plan_id = seat.plan_id and r.user_id = caller;
    moved := moved + 1;
  end loop;

  -- A guest who was removed does not come back by another name.
  update private.removals as r set removed_at = greatest(r.removed_at, g.removed_at)
    from private.removals as g
    where r.user_id = caller and g.user_id = guest and (r.plan_id = g.plan_id or r.circle_id = g.circle_id);
  update private.removals as r set user_id = caller
    where r.user_id = guest
      and not exists (
        select 1 from private.removals as own
        where own.user_id = caller and (own.plan_id = r.plan_id or own.circle_id = r.circle_id))
      and not exists (
        select 1 from public.plan_members as m where m.plan_id = r.plan_id and m.user_id = caller);

  -- Those that the guest only reacted to get a new revision too: devices catch up by it.
  update public.messages as m set author_id = case when m.author_id = guest then caller else m.author_id end
    where m.id = any (touched);
  perform private.pass_work(guest, caller);
  delete from auth.users as u where u.id = guest;
  return moved;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.create_personal_link(), public.revoke_personal_link(), public.take_over_guest(text)
  to authenticated;
grant execute on function public.open_personal_link(text) to anon, authenticated;

-- schemas/account.sql

-- Export and deletion of everything that belongs to a person, with their mail, reads and places.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A person's mail, reads, own places and words about diets, for the export.
create function private.further_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'message_reads', (
        select coalesce(jsonb_agg(to_jsonb(r)), '[]') from public.message_reads as r where r.user_id = person),
      'places', (
        select coalesce(jsonb_agg(to_jsonb(p) - 'search_text' || jsonb_build_object('hours', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'weekday', h.weekday, 'opens', h.opens, 'closes', h.closes)), '[]')
          from public.place_hours as h where h.place_id = p.id))), '[]')
        from public.places as p where p.created_by = person),
      'place_homes', (
        select coalesce(jsonb_agg(to_jsonb(h)), '[]') from public.place_homes as h where h.user_id = person),
      'diet_claims', (
        select coalesce(jsonb_agg(to_jsonb(c)), '[]') from public.place_diet_claims as c where c.made_by = person),
      'calendar_feed', (
        select jsonb_build_object('created_at', f.created_at)
        from private.calendar_feeds as f where f.user_id = person),
      'mail', (
        select jsonb_build_object(
          'choices', (
            select coalesce(jsonb_agg(jsonb_build_object('address', r.address,
              'no_invites_since', r.no_invites_since, 'no_reminders_since', r.no_reminders_since)), '[]')
            from private.mail_recipients as r where r.address = mine.address),
          'received', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id,
              'created_at', m.created_at, 'sent_at', m.sent_at) order by m.created_at), '[]')
            from private.outgoing_mail as m where m.address = mine.address),
          'left', (
            select coalesce(jsonb_agg(jsonb_build_object('plan_id', l.plan_id, 'address', l.address,
              'asked_at', l.asked_at, 'confirmed_at', l.confirmed_at) order by l.asked_at), '[]')
            from private.left_addresses as l where l.user_id = person),
          'sent', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id,
              'address', m.address, 'created_at', m.created_at, 'sent_at', m.sent_at) order by m.created_at), '[]')
            from private.outgoing_mail as m where m.sender_id = person))
        from (select lower(u.email) as address from auth.users as u where u.id = person) as mine)
    );
  end;

-- A person's usual times, objections to plans that decide themselves, and requests to join, for the export.
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
        from public.plans as p where p.vetoed_by = person),
      'join_requests', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', r.plan_id, 'asked_at', r.asked_at, 'declined_at', r.declined_at) order by r.asked_at), '[]')
        from private.join_requests as r where r.user_id = person));
  end;

-- The places that a person put on the lists of their circles, for the export.
create function private.circle_places_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'circle_places', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'circle_id', c.circle_id, 'place_id', c.place_id, 'put_at', c.put_at) order by c.put_at, c.place_id), '[]')
        from public.circle_places as c where c.put_by = person));
  end;

-- Devices are in the export of a person's data. Their keys are not: they open no account, but let others write there.
create function private.push_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  return jsonb_build_object('push_subscriptions', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.id, 'service', substring(s.endpoint from '^https://[^/]+'), 'created_at', s.created_at)
      order by s.created_at), '[]')
    from public.push_subscriptions as s where s.user_id = person));

-- Everything that is kept about the caller, as one JSON object.
create function public.export_my_data() returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select
      private.push_data((select private.require_caller()))
      || private.habits_data((select private.require_caller()))
      || private.circle_places_data((select private.require_caller()))
      || private.further_data((select private.require_caller()))
      || jsonb_build_object(
        'exported_at', now(),
        'account', (
          select jsonb_build_object(
            'id', u.id, 'email', u.email, 'created_at', u.created_at, 'last_sign_in_at', u.last_sign_in_at)
          from auth.users as u where u.id = (select private.require_caller())),
        'profile', (
          select to_jsonb(p) from public.profiles as p where p.id = (select private.require_caller())),
        'private_profile', (
          select to_jsonb(p) from public.private_profiles as p where p.id = (select private.require_caller())),
        'circles', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'name', c.name, 'role', m.role, 'joined_at', m.joined_at) order by m.joined_at), '[]')
          from public.circle_members as m join public.circles as c on c.id = m.circle_id
          where m.user_id = (select private.require_caller())),
        'plans', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'id', p.id, 'title', p.title, 'status', private.plan_state(p), 'role', m.role, 'rsvp', m.rsvp,
            'plus_ones', m.plus_ones, 'joined_at', m.joined_at) order by m.joined_at), '[]')
          from public.plan_members as m join public.plans as p on p.id = m.plan_id
          where m.user_id = (select private.require_caller())),
        'time_votes', (
          select coalesce(jsonb_agg(to_jsonb(v)), '[]')
          from public.time_votes as v where v.user_id = (select private.require_caller())),
        'place_votes', (
          select coalesce(jsonb_agg(to_jsonb(v)), '[]')
          from public.place_votes as v where v.user_id = (select private.require_caller())),
        'messages', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'plan_id', m.plan_id, 'body', m.body, 'created_at', m.created_at) order by m.created_at), '[]')
          from public.messages as m where m.author_id = (select private.require_caller())),
        'reactions', (
          select coalesce(jsonb_agg(to_jsonb(r)), '[]')
          from public.reactions as r where r.user_id = (select private.require_caller())),
        'photos', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'plan_id', p.plan_id, 'path', p.path, 'caption', p.caption, 'created_at', p.created_at)
            order by p.created_at), '[]')
          from public.photos as p where p.author_id = (select private.require_caller())),
        'ratings', (
          select coalesce(jsonb_agg(to_jsonb(r)), '[]')
          from public.ratings as r where r.user_id = (select private.require_caller())),
        'arrivals', (
          select coalesce(jsonb_agg(to_jsonb(a)), '[]')
          from public.arrivals as a where a.user_id = (select private.require_caller())),
        'saved_places', (
          select coalesce(jsonb_agg(jsonb_build_object('place', p.name, 'saved_at', s.saved_at)), '[]')
          from public.saved_places as s join public.places as p on p.id = s.place_id
          where s.user_id = (select private.require_caller())),
        'notifications', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'kind', n.kind, 'plan_id', n.plan_id, 'created_at', n.created_at, 'read_at', n.read_at)
            order by n.created_at), '[]')
          from public.notifications as n where n.user_id = (select private.require_caller()))
      ) as jsonb_build_object;
  end;

-- Deletes the caller with sessions, votes, seats and saved places. Their messages and photos stay at the table
-- without a name; clients remove the caller's files before.
create function public.delete_my_account() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from auth.users where id = (select private.require_caller());
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.export_my_data(), public.delete_my_account() to authenticated;

-- schemas/jobs.sql

-- Jobs of pg_cron. They write due messages as rows, and deliver waiting ones by calling a function. A job with the same
-- name is replaced.

-- Calls an edge function with the secret that it asks for. The project's address is `project_url` in the vault; without
-- it nothing is called, and only notifications are written.
create function private.call_function(name text) returns void
  language sql security definer set search_path = ''
  begin atomic
    select net.http_post(
      url := address.decrypted_secret || '/functions/v1/' || call_function.name,
      body := '{}'::jsonb,
      headers := jsonb_build_object('Content-Type', 'application/json', 'x-reminders-secret', secret.decrypted_secret))
    from vault.decrypted_secrets as address join vault.decrypted_secrets as secret on secret.name = 'reminders_secret'
    where address.name = 'project_url';
  end;

select cron.schedule('plan-reminders', '*/10 * * * *', 'select private.remind(); select private.deliver_mail()');
select cron.schedule('sample-plans', '17 4 * * *', 'select private.clear_sample_plans()');
-- Messages whose first attempt failed.
select cron.schedule('web-push', '*/10 * * * *', 'select private.deliver_push()');
select cron.schedule('decide-plans', '*/5 * * * *', 'select private.decide_plans()');
select cron.schedule('standing-dinners', '7 * * * *', 'select private.make_standing_plans()');

-- rows/errors.sql

-- The catalogue of errors (schemas/errors.sql). web/src/lib/errors.test.ts compares it with the words of the app.

insert into private.errors (code, status, message, hint) values
  ('needs_account', 403, 'Guests cannot do this.',
    'Add an email address to your guest identity first; you keep everything.'),
  ('plan_not_found', 404, 'There is no such plan at your table.', 'Ask its host for an invite link.'),
  ('circle_not_found', 404, 'There is no such circle of yours.', 'Ask one of its admins to add you.'),
  ('place_not_found', 404, 'There is no such place.', 'Choose another place.'),
  ('option_not_found', 404, 'That option is no longer on this plan.', 'Look at the current options and answer again.'),
  ('person_not_found', 404, 'That person is not here.', 'Reload to see who is.'),
  ('message_not_found', 404, 'That message is not yours or no longer there.', 'Reload the conversation.'),
  ('not_host', 403, 'Only the host or a cohost can do this.', 'Ask the host.'),
  ('not_circle_admin', 403, 'Only an admin of the circle can do this.', 'Ask an admin of the circle.'),
  ('not_circle_owner', 403, 'Only the owner of the circle can do this.', 'Ask the owner of the circle.'),
  ('owner_cannot_leave', 409, 'The owner cannot leave the circle.', 'Hand the circle over to someone first.'),
  ('host_cannot_leave', 409, 'The host cannot leave the table.', 'Cancel the plan, or make someone else host first.'),
  ('not_allowed_to_propose', 403, 'On this plan only the host proposes.', 'Suggest it in the chat.'),
  ('plan_not_polling', 409, 'This plan is no longer being voted on.', 'The host can reopen it.'),
  ('plan_not_confirmed', 409, 'This plan is not confirmed.', 'Wait until the host has chosen a time and a place.'),
  ('plan_not_cancelled', 409, 'This plan is not cancelled.', 'There is nothing to restore.'),
  ('plan_over', 409, 'This plan is over.', 'Start a new one.'),
  ('plan_not_done', 409, 'You can rate a meal once it is over.', 'Come back after the meal.'),
  ('plan_cancelled', 409, 'This plan is cancelled.', 'The host can bring it back.'),
  ('voting_closed', 409, 'The deadline for votes has passed.', 'Ask the host to move it.'),
  ('time_in_past', 400, 'That time is already over.', 'Choose a time in the future.'),
  ('time_too_far', 400, 'That time is more than 180 days away.', 'Choose an earlier time.'),
  ('time_bad_length', 400, 'A meal lasts between 15 minutes and 12 hours.', 'Change when it ends.'),
  ('time_duplicate', 409, 'That time is already on the plan.', 'Vote for it instead.'),
  ('place_duplicate', 409, 'That place is already on the plan.', 'Vote for it instead.'),
  ('place_closed', 409, 'That place is closed at that time.', 'Choose another time or another place.'),
  ('deadline_in_past', 400, 'The deadline for votes must be in the future.', 'Choose a later deadline.'),
  ('invite_not_found', 404, 'This invite link does not exist.', 'Check that the whole link was copied.'),
  ('invite_expired', 410, 'This invite link has expired.', 'Ask for a new one.'),
  ('invite_used_up', 410, 'This invite link has been used as often as it can be.', 'Ask for a new one.'),
  ('invite_revoked', 410, 'This invite link was withdrawn.', 'Ask for a new one.'),
  ('not_the_day', 409, 'The arrival board opens six hours before the meal.', 'Come back on the day.'),
  ('place_is_shared', 409, 'Others can find this place already.', 'Add the home as a place of its own.'),
  ('too_late_to_undo', 409, 'This can not be undone any more.', 'Change the time or place, or reopen voting.'),
  ('arrival_backwards', 409, 'You are already further along than that.', 'Nothing to do.'),
  ('circle_full', 409, 'This circle has fifty people, which is the most there can be.', 'Start a second circle.'),
  ('plan_full', 409, 'Twenty people are at this table, which is the most there can be.',
    'Ask the host to free a seat.'),
  ('too_many_times', 409, 'A plan can hold thirty times.', 'Remove one that nobody wants.'),
  ('too_many_places', 409, 'A plan can hold twenty places.', 'Remove one that nobody wants.'),
  ('too_many_photos', 409, 'A plan can hold a hundred photos.', 'Remove one first.'),
  ('too_many_messages', 429, 'That is more than thirty messages in a minute.',
    'Wait a moment. What you wrote is kept.'),
  ('too_many_plans', 429, 'A new account can start ten plans a day.', 'Try again tomorrow.'),
  ('message_changed', 409, 'That message was changed somewhere else meanwhile.',
    'What you wrote is kept. Look at the message, then decide.'),
  ('not_a_guest', 409, 'This is for guests.', 'With an account, your address does the same.'),
  ('personal_link_gone', 410, 'This personal link does not work any more.',
    'Make a new one on the device where you are in.'),
  ('too_many_mails', 429, 'That is more invitations by mail than one person sends in a day.',
    'Share the link instead, or go on tomorrow.'),
  ('mail_bad_address', 400, 'One of these is not a mail address.', 'Check how they are written.'),
  ('mail_link_gone', 404, 'This link belongs to no mail of ours.', 'Use the link at the end of the newest mail.'),
  ('second_step_needed', 403, 'Finish signing in first.', 'Enter the code of your authenticator app.'),
  ('not_main_host', 403, 'Only the host can do this.', 'Ask the host of this plan.'),
  ('removed_before', 403, 'You were removed, so this link does not work for you.', 'Ask for a new invite link.'),
  ('no_seat_free', 409, 'There are not enough free seats for your party.',
    'Your answer is as it was. Ask the host for more seats.'),
  ('too_many_new_places', 429, 'That is more new places than one person adds in a day.', 'Go on tomorrow.'),
  ('too_many_invites', 409, 'Sixty invite links are open, which is the most there can be.',
    'Revoke one that nobody needs.'),
  ('too_many_circles', 409, 'You own twenty circles, which is the most there can be.',
    'Delete one, or hand one over.'),
  ('too_many_reactions', 429, 'Those were many reactions in a minute.', 'Wait a moment.'),
  ('too_many_calendars', 429, 'Those were many calendars in an hour.', 'Try again later, or use a file.'),
  ('unsafe_for_some', 409, 'This place is not confirmed safe for everyone who may come.',
    'Look at who it is, ask the kitchen, and choose again.'),
  ('place_source_unknown', 409, 'This place was not found in OpenStreetMap lately.',
    'Look for it again, or add it as your own.'),
  ('too_many_hours', 409, 'A place can have forty-two opening times a week.', 'Join those that touch.'),
  ('too_many_guest_plans', 409, 'Without an account you can host three plans at a time.',
    'Add an email address under Me, or cancel a plan.'),
  ('push_bad_subscription', 400, 'This browser gave no address that notifications can be sent to.',
    'Turn notifications off and on again.'),
  ('too_many_push_devices', 409, 'You get notifications on ten devices, which is the most there can be.',
    'Turn them off on a device that you no longer use.'),
  ('nudged_today', 429, 'Everyone who has not voted was nudged today.', 'Nudge again tomorrow, or write in the chat.'),
  ('nobody_to_nudge', 409, 'Everyone has voted.', 'Nothing to do.'),
  ('nothing_proposed', 409, 'There is no proposal to object to any more.', 'Look at the plan to see what happened.'),
  ('not_coming', 409, 'You said that you are not coming.', 'Answer that you are coming first, then object.'),
  ('standing_not_found', 404, 'There is no such standing dinner in your circles.', 'Look at the circle again.'),
  ('too_many_standing', 409, 'A circle can have three standing dinners.', 'End one first.'),
  ('too_many_look_ups', 429, 'Those were many look-ups in an hour.', 'Try again later, or tap the map.'),
  ('too_many_circle_places', 409, 'A circle can keep sixty places.', 'Remove one that nobody goes to any more.'),
  ('no_longer_guest', 409, 'Those plans belong to an account already.', 'Sign in with the address of that account.'),
  ('choice_changed', 409, 'The time or place was just changed by another host.',
    'Look at what is chosen now, then decide.'),
  ('too_many_confirmations', 429, 'Enough confirmations were sent there, or from here, for one day.',
    'Look for the mail that was sent, or go on tomorrow.'),
  ('confirmation_gone', 410, 'This link does not confirm an address any more.', 'Leave the address at the plan again.'),
  ('too_many_join_requests', 429, 'That is more requests to join than one person or network makes in a day.',
    'Ask the host for an invite link, or try again tomorrow.'),
  ('join_requests_full', 409, 'Twenty people are already waiting for an answer from the host.',
    'Ask the host for an invite link.')
on conflict (code) do update set status = excluded.status, message = excluded.message, hint = excluded.hint;

-- rows/limits.sql

-- The limits, each with its reason (schemas/limits.sql).

insert into private.limits (name, value, reason) values
  ('circle_people', 50, 'Above fifty a circle is a mailing list; roles and the member list stop being readable.'),
  ('plan_people', 20, 'The largest table most restaurants will set, and the most seats the table can draw legibly.'),
  ('time_options', 30, 'More columns than a phone can show; people stop answering long before.'),
  ('place_options', 20, 'With thirty times this keeps the pairs to rank at six hundred at most.'),
  ('plan_photos', 100, 'Keeps a plan under a gigabyte of storage.'),
  ('invite_days', 14, 'A link that was forwarded should not open a table months later.'),
  ('invite_uses', 20, 'A plan seats twenty; more uses could only be strangers.'),
  ('messages_per_minute', 30, 'Faster than anyone types; slower than a script.'),
  ('plans_per_day', 10, 'Stops a new account from sending invitations in bulk.'),
  ('new_account_days', 7, 'How long an account counts as new for plans_per_day.'),
  ('time_option_days', 180, 'Nobody knows their calendar further ahead.'),
  ('done_after_hours', 4, 'A meal is over, and ratings open, this long after its last minute.'),
  ('arrival_opens_hours', 6, 'The arrival board opens this long before the meal.'),
  ('personal_link_days', 7,
    'Long enough for the way from the phone to the desk; short enough to be forgotten in a chat.'),
  ('personal_link_uses', 5, 'A person has a handful of devices.'),
  ('mails_per_day', 40, 'Two full tables a day for each person; more would be a mailing list.'),
  ('mails_per_call', 20, 'A plan seats twenty.'),
  ('vote_reminder_hours', 24, 'The last evening before the deadline, when one can still answer.'),
  ('plan_reminder_hours', 24, 'The day before, when one can still say that one is not coming.'),
  ('places_per_day', 30, 'A person who writes down more kitchens in a day copies a list.'),
  ('open_invites', 60, 'Three for each seat of the largest plan; more links are not looked after by anybody.'),
  ('circles_owned', 20, 'Nobody looks after more groups than that.'),
  ('reactions_per_minute', 60, 'Faster than anyone taps; each one is told to everybody at the table.'),
  ('calendars_per_hour', 30, 'A few calendars, read again after each change; not a way to fetch pages in bulk.'),
  ('avatar_files', 5, 'The picture in use, and those that wait to be removed after it was changed.'),
  ('stored_files', 500, 'Every photo of five full plans; a person with more uses the bucket as a disk.'),
  ('stored_megabytes', 1000, 'The files of one person stay under a gigabyte.'),
  ('place_hours', 42, 'Six openings on each day of the week.'),
  ('guest_plans', 3, 'Enough to host a dinner or two; more plans want an address that their host can be reached at.'),
  ('sample_plan_days', 14, 'As long as an invite link; a visitor who comes back later gets a new table.'),
  ('push_devices', 10, 'A person has a handful of devices; more are browsers that were set up again.'),
  ('undo_seconds', 10, 'How long a decision can be undone; its mails wait as long.'),
  ('nudge_hours', 24, 'A plan nudges once a day: a second time is nagging.'),
  ('veto_hours', 12, 'A night or a working day: everybody looks at their phone once.'),
  ('veto_ends_hours', 3, 'Nobody learns of dinner while they are on their way home.'),
  ('veto_least_minutes', 60, 'A shorter time to object would be none.'),
  ('plans_decided_at_once', 20, 'What one call of the function ranks well within its time.'),
  ('standing_dinners', 3, 'Each makes a plan every week; a circle with more has a calendar, not a habit.'),
  ('standing_days_ahead', 8, 'A week and a day: everybody knows before the same evening a week earlier.'),
  ('standing_vote_hours', 48, 'The place is booked two days before.'),
  ('standing_places', 3, 'Enough to choose from, few enough to answer in a minute.'),
  ('look_ups_per_hour', 120, 'A few addresses, typed letter by letter; not a way to copy a geocoder.'),
  ('look_up_days', 30, 'Streets change slowly, and new houses should be found within a month.'),
  ('circle_places', 60, 'A longer list is no longer a choice among friends.'),
  ('confirmations_per_person', 5, 'A person mistypes an address a few times at most.'),
  ('confirmations_per_network', 20, 'A whole table may sit in one room; new guests from there do not count anew.'),
  ('confirmations_per_address', 3, 'An address that is asked again and again is not the one who asks.'),
  ('confirmation_days', 7, 'A mail that was not opened for a week is not waited for.'),
  ('join_requests_per_plan', 3, 'A host may decline by mistake; a person who was declined three times is not wanted.'),
  ('join_requests_per_person', 5, 'Nobody is brought along to more tables in a day.'),
  ('guest_plans_per_network', 20, 'A whole table may sit in one room; new guests from there do not count anew.'),
  ('join_requests_per_network', 20, 'A whole table may sit in one room; new guests from there do not count anew.'),
  ('open_join_requests', 20, 'As many as a plan seats; a longer list is not read.')
on conflict (name) do update set value = excluded.value, reason = excluded.reason;

-- rows/vault.sql

-- The secret that the schedule shows to functions. It is random, and nobody has to know it. The other entry of the vault,
-- project_url, is in config.toml.

select vault.create_secret(encode(extensions.gen_random_bytes(32), 'hex'), 'reminders_secret',
    'What the schedule shows to the function plan-reminders.')
  where not exists (select 1 from vault.secrets where name = 'reminders_secret');

-- rows/sample_people.sql

-- The made-up people of the tables to try (schemas/samples.sql). Nobody can sign in as them: they have neither address nor
-- password.

insert into auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', person.id::uuid, 'authenticated', 'authenticated', '{}',
  jsonb_build_object('display_name', person.name), now(), now()
from (values
  ('00000000-0000-4000-8000-5a3b1e000001', 'Mia (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000002', 'Jonas (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000003', 'Priya (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000004', 'Tomás (sample)')
) as person (id, name)
on conflict (id) do nothing;

-- Guests, so that no plan is ever handed over to one of them; and they have said what they eat.
update public.profiles set is_guest = true, diets_known = true where id::text like '00000000-0000-4000-8000-5a3b1e%';
update public.profiles set diets = '{vegetarian}' where id = '00000000-0000-4000-8000-5a3b1e000003';
update public.private_profiles set asked_at = now() where id::text like '00000000-0000-4000-8000-5a3b1e%';
