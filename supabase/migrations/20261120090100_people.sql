-- Who people are: what others may see (profiles) and what only they may see (private_profiles).

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  display_name text not null check (private.is_text(display_name, 1, 40)),
  avatar_path text check (char_length(avatar_path) <= 200),
  diets public.diet[] not null default '{}',
  budget smallint not null default 2 check (budget between 1 and 4),
  time_zone text not null default 'UTC' check (private.is_time_zone(time_zone)),
  -- Mirrors auth.users.is_anonymous; only the trigger below writes it.
  is_guest boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table public.private_profiles (
  id uuid primary key references public.profiles (id) on delete cascade,
  start_latitude double precision check (start_latitude between -90 and 90),
  start_longitude double precision check (start_longitude between -180 and 180),
  mail_invites boolean not null default true,
  mail_reminders boolean not null default true,
  updated_at timestamptz not null default now(),
  constraint start_point_is_whole check ((start_latitude is null) = (start_longitude is null))
);

create trigger touch before update on public.profiles
  for each row execute function private.touch_updated_at();
create trigger touch before update on public.private_profiles
  for each row execute function private.touch_updated_at();

-- A name for a new user, from what the sign-up brought along, never empty and never too long.
create function private.name_from(meta jsonb, email text) returns text
  language sql immutable set search_path = ''
  return coalesce(
    nullif(btrim(left(btrim(meta ->> 'display_name'), 40)), ''),
    nullif(btrim(left(btrim(meta ->> 'full_name'), 40)), ''),
    nullif(btrim(left(btrim(meta ->> 'name'), 40)), ''),
    nullif(btrim(left(split_part(email, '@', 1), 40)), ''),
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

create trigger on_auth_user_created after insert on auth.users
  for each row execute function private.handle_new_user();

-- A guest who adds an email address stays the same person; only the mark goes.
create function private.handle_user_upgraded() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set is_guest = coalesce(new.is_anonymous, false) where id = new.id;
  return new;
end $$;

create trigger on_auth_user_upgraded after update of is_anonymous on auth.users
  for each row when (old.is_anonymous is distinct from new.is_anonymous)
  execute function private.handle_user_upgraded();

create function private.is_guest() returns boolean
  language sql stable security definer set search_path = ''
  return coalesce((select p.is_guest from public.profiles as p where p.id = (select auth.uid())), true);

grant execute on function private.is_guest() to authenticated, service_role;

alter table public.profiles enable row level security;
alter table public.private_profiles enable row level security;

grant select on public.profiles to authenticated;
grant update (display_name, avatar_path, diets, budget, time_zone) on public.profiles to authenticated;
grant select on public.private_profiles to authenticated;
grant update (start_latitude, start_longitude, mail_invites, mail_reminders) on public.private_profiles
  to authenticated;

-- Who may read a profile besides its owner is decided with plans and circles (private.known_people).
create policy "own profile is updated by its person" on public.profiles
  for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));

create policy "private profile is read by its person" on public.private_profiles
  for select to authenticated using (id = (select auth.uid()));
create policy "private profile is updated by its person" on public.private_profiles
  for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));
