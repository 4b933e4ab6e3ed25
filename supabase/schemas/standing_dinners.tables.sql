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
