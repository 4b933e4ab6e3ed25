create extension if not exists citext with schema extensions;
create view public.happy_pets with (security_invoker = true) as select id, name from public.pets where mood = 'happy';
comment on view public.happy_pets is 'Those in a good mood';
create policy pictures on storage.objects for select using (bucket_id = 'pets');
create trigger on_sign_up after update on auth.users for each row execute function public.touch();
alter publication supabase_realtime add table public.pets;
