-- Policies of stored files. Buckets are in config.toml. avatars: <person>/<file>, public. plan-photos:
-- <plan>/<person>/<file>. The storage service cannot return an error of the catalogue: above the limits it answers
-- 403.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- How many files the caller has in both buckets, and how many bytes: by the beginning of their names, in one range of
-- the index on names for each plan.
create function private.my_files() returns table (avatars bigint, files bigint, bytes numeric)
  language sql stable security definer set search_path = ''
  begin atomic
    with beginnings as (
      select 'avatars' as bucket, private.caller() || '/' as beginning
      union all
      select 'plan-photos', plan || '/' || private.caller() || '/' from private.my_plan_ids() as plan
    )
    select count(*) filter (where o.bucket_id = 'avatars'), count(*),
      coalesce(sum((o.metadata ->> 'size')::numeric), 0)
    from beginnings as b
    join storage.objects as o on o.bucket_id = b.bucket
      and o.name operator(pg_catalog.~>=~) b.beginning
      and o.name operator(pg_catalog.~<~) (b.beginning || chr(1114111));
  end;

create function private.may_store(bucket text) returns boolean
  language sql stable security definer set search_path = ''
  return (
    select (bucket <> 'avatars' or mine.avatars < private.limit_of('avatar_files'))
      and mine.files < private.limit_of('stored_files')
      and mine.bytes < private.limit_of('stored_megabytes') * 1000000::numeric
    from private.my_files() as mine
  );

-- ---------------------------------------------------------------------------------------------------------
-- Policies

create policy "avatars are listed by their person" on storage.objects
  for select to authenticated using (
    bucket_id = 'avatars'
    and ((storage.foldername(name))[1] = (select private.caller())::text or owner_id = (select private.caller())::text)
  );
create policy "avatars are added by their person" on storage.objects
  for insert to authenticated with check (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text
    and (select private.may_store('avatars'))
  );
create policy "avatars are replaced by their person" on storage.objects
  for update to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text)
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text);
create policy "avatars are removed by their person" on storage.objects
  for delete to authenticated using (
    bucket_id = 'avatars'
    and ((storage.foldername(name))[1] = (select private.caller())::text or owner_id = (select private.caller())::text)
  );
create policy "plan photos are read by the table" on storage.objects
  for select to authenticated using (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_plan_ids()))
  );
create policy "plan photos are added by the table" on storage.objects
  for insert to authenticated with check (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_plan_ids()))
    and (storage.foldername(name))[2] = (select private.caller())::text
    and (select private.may_store('plan-photos'))
  );
-- Files belong to the person who owns them: the one in the path, or the account that took that guest over. The service
-- writes the owner from the token of the upload, and no policy lets people change it.
create policy "plan photos are removed by author or host" on storage.objects
  for delete to authenticated using (
    bucket_id = 'plan-photos'
    and (
      (storage.foldername(name))[2] = (select private.caller())::text
      or owner_id = (select private.caller())::text
      or private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_hosted_plan_ids()))
    )
  );

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.may_store(text) to authenticated;
