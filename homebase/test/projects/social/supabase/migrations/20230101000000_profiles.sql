create table profiles (
  id uuid references auth.users not null primary key,
  updated_at timestamp with time zone,
  username text unique,
  email text,
  role text default 'user',
  constraint username_length check (char_length(username) >= 3)
);
alter table profiles enable row level security;
create policy "Public profiles are viewable by everyone." on profiles for select using (true);
create policy "Users can insert their own profile." on profiles for insert with check (auth.uid() = id);
create policy "By email" on profiles for update using (auth.email() = email) with check (auth.role() = 'authenticated');
create policy "Admins" on profiles as restrictive for delete to authenticated
  using ((auth.jwt() -> 'app_metadata' ->> 'role') = 'admin' or (current_setting('request.jwt.claims', true)::json ->> 'role') = 'admin');

create function public.handle_new_user() returns trigger as $$
begin
  insert into public.profiles (id, username, email)
  values (new.id, coalesce(new.raw_user_meta_data->>'user_name', 'user_' || left(new.id::text, 8)), new.email);
  return new;
end;
$$ language plpgsql security definer set search_path = public;
drop trigger if exists on_auth_user_created on auth.users;
create trigger on_auth_user_created after insert on auth.users for each row execute procedure public.handle_new_user();
create trigger on_auth_user_deleted before delete on auth.users for each row when (old.email is not null) execute function public.handle_new_user();
drop trigger on_auth_user_deleted on auth.users;

insert into storage.buckets (id, name) values ('avatars', 'avatars');
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('media', 'media', true, 5242880, array['image/png', 'image/jpeg']) on conflict (id) do nothing;
create policy "Avatar images are publicly accessible." on storage.objects for select using (bucket_id = 'avatars');
create policy "Own folder" on storage.objects for insert to authenticated
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = auth.uid()::text and storage.extension(name) = 'png'
    and auth.uid()::text = owner_id and lower(storage.filename(name)) <> '');
create policy "Buckets" on storage.buckets for select using (true);
grant all on storage.objects, storage.buckets to authenticated;
grant usage on schema auth to authenticated, anon;

begin;
  drop publication if exists supabase_realtime;
  create publication supabase_realtime;
commit;
alter publication supabase_realtime add table profiles;
