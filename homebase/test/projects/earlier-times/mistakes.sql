drop policy "Admins write" on storage.objects;
drop policy "Admins write" on storage.objects; create policy "Admins write" on storage.objects for all using (true);
