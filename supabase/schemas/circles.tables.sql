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
