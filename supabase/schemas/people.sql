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
grant select, update (start_latitude, start_longitude, start_city, mail_invites, mail_reminders, language, asked_at)
  on public.private_profiles to authenticated;
grant select, insert, update, delete on public.usual_times to authenticated;
grant execute on function private.is_guest(), private.known_people() to authenticated, service_role;
