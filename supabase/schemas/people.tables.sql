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
  -- Of a start of which only the city is known. It has no position: no trip is estimated from a city's middle.
  start_city text check (private.is_text(start_city, 1, 80)),
  constraint start_is_point_or_city check (start_city is null or start_latitude is null),
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
