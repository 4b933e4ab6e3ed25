drop policy members on public.teams;
drop policy "Own folder" on storage.objects; create policy "Own folder" on storage.objects for insert to authenticated with check (true);
grant execute on function public.custom_access_token_hook to anon;
