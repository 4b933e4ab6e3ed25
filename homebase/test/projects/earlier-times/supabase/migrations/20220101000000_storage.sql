-- What hosted allowed until 2025 and projects still carry: changes of the services' own tables.
alter table storage.objects enable row level security;
alter table storage.buckets enable row level security;
create index if not exists objects_by_owner on storage.objects (owner);
create or replace function auth.is_admin() returns boolean language sql stable as $$
  select coalesce((auth.jwt() -> 'app_metadata' ->> 'admin')::boolean, false);
$$;
comment on function auth.is_admin() is 'Whether the caller is an administrator.';
create policy "Admins write" on storage.objects for all using (auth.is_admin());
insert into storage.buckets (id, name) values ('avatars', 'avatars') on conflict do nothing;
create table public.accounts (id uuid primary key references auth.users, email text default auth.email(), role text default auth.role());
alter table auth.users add column if not exists nickname text;
drop policy if exists "Nobody" on storage.objects;
