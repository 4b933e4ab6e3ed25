drop policy "single sign-on only" on public.reports;
create or replace function public.my_provider() returns uuid language sql stable as 'select null::uuid';
drop trigger join_tenant on auth.users;
