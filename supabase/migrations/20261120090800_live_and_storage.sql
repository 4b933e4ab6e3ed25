-- What others see at once (Realtime) and who may touch which file (Storage).

-- One private channel for each plan, `plan:<id>`. Rows whose content everyone at the table may read travel
-- with the message; votes travel as a bare notice (table, operation, person), because a plan may hide
-- results until one has voted: who may read them asks for them under row level security.
create function private.broadcast_row() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  plan uuid := coalesce(
    to_jsonb(coalesce(new, old)) ->> 'plan_id', to_jsonb(coalesce(new, old)) ->> 'id')::uuid;
begin
  perform realtime.broadcast_changes(
    'plan:' || plan, tg_table_name, tg_op, tg_table_name, tg_table_schema, new, old);
  return null;
end $$;

create function private.broadcast_notice() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform realtime.send(
    jsonb_build_object('table', tg_table_name, 'operation', tg_op, 'user_id', changed -> 'user_id'),
    tg_table_name, 'plan:' || (changed ->> 'plan_id'), true);
  return null;
end $$;

create trigger broadcast after update on public.plans
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or update or delete on public.plan_members
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or delete on public.time_options
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or delete on public.place_options
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or update on public.messages
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or delete on public.reactions
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or update or delete on public.photos
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or update on public.ratings
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or update or delete on public.arrivals
  for each row execute function private.broadcast_row();
create trigger broadcast after insert or update or delete on public.time_votes
  for each row execute function private.broadcast_notice();
create trigger broadcast after insert or update or delete on public.place_votes
  for each row execute function private.broadcast_notice();

-- `plan:<id>` to its id; null for any other topic.
create function private.plan_of_topic(topic text) returns uuid
  language sql immutable set search_path = ''
  return case when topic like 'plan:%' then private.uuid_or_null(substr(topic, 6)) end;

grant execute on function private.plan_of_topic(text) to authenticated, service_role;

create policy "the table listens" on realtime.messages
  for select to authenticated using (
    extension in ('broadcast', 'presence')
    and (select private.is_plan_member(private.plan_of_topic((select realtime.topic()))))
  );
create policy "the table speaks" on realtime.messages
  for insert to authenticated with check (
    extension in ('broadcast', 'presence')
    and (select private.is_plan_member(private.plan_of_topic((select realtime.topic()))))
  );

alter publication supabase_realtime add table public.notifications;

-- ---------------------------------------------------------------------------------------------------------
-- Files. Buckets are in config.toml. avatars: <person>/<file>, public. plan-photos: <plan>/<person>/<file>.

create policy "avatars are listed by their person" on storage.objects
  for select to authenticated using (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text
  );
create policy "avatars are added by their person" on storage.objects
  for insert to authenticated with check (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text
  );
create policy "avatars are replaced by their person" on storage.objects
  for update to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "avatars are removed by their person" on storage.objects
  for delete to authenticated using (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text
  );

create policy "plan photos are read by the table" on storage.objects
  for select to authenticated using (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) in (select private.my_plan_ids())
  );
create policy "plan photos are added by the table" on storage.objects
  for insert to authenticated with check (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) in (select private.my_plan_ids())
    and (storage.foldername(name))[2] = (select auth.uid())::text
  );
create policy "plan photos are removed by author or host" on storage.objects
  for delete to authenticated using (
    bucket_id = 'plan-photos'
    and (
      (storage.foldername(name))[2] = (select auth.uid())::text
      or private.uuid_or_null((storage.foldername(name))[1]) in (select private.my_hosted_plan_ids())
    )
  );
