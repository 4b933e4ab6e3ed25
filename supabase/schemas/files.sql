-- Policies of stored files. Buckets are in config.toml. avatars: <person>/<file>, public. plan-photos:
-- <plan>/<person>/<file>. The storage service cannot return an error of the catalogue: above the limits it answers
-- 403.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- How many files a person has in both buckets, and how many bytes: by the beginning of their names, in one range of
-- the index on names for each plan.
create function private.files_of(person uuid) returns table (avatars bigint, files bigint, bytes numeric)
  language sql stable security definer set search_path = ''
  begin atomic
    with beginnings as (
      select 'avatars' as bucket, person || '/' as beginning
      union all
      select 'plan-photos', m.plan_id || '/' || person || '/' from public.plan_members as m where m.user_id = person
    )
    select count(*) filter (where o.bucket_id = 'avatars'), count(*),
      coalesce(sum((o.metadata ->> 'size')::numeric), 0)
    from beginnings as b
    join storage.objects as o on o.bucket_id = b.bucket
      and o.name operator(pg_catalog.~>=~) b.beginning
      and o.name operator(pg_catalog.~<~) (b.beginning || chr(1114111));
  end;

create function private.photo_files_of(plan uuid) returns bigint
  language sql stable security definer set search_path = ''
  return (
    select count(*) from storage.objects as o
    where o.bucket_id = 'plan-photos'
      and o.name operator(pg_catalog.~>=~) (plan || '/')
      and o.name operator(pg_catalog.~<~) (plan || '/' || chr(1114111))
  );

-- The storage service checks policies first, and makes the row after the upload with rights of its own: many uploads
-- at once would all see the last free place. So each new row is counted here, those of a person, and of a plan, one
-- after the other. A row that is replaced is not a new one.
create function private.limit_files() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  folders text[] := storage.foldername(new.name);
  is_avatar boolean := new.bucket_id = 'avatars';
  person uuid := private.uuid_or_null(folders[case when is_avatar then 1 else 2 end]);
  plan uuid := case when not is_avatar then private.uuid_or_null(folders[1]) end;
  mine record;
begin
  perform pg_advisory_xact_lock(hashtextextended('files of ' || person, 0));
  perform pg_advisory_xact_lock(hashtextextended('photos of ' || plan, 0));
  if exists (select from storage.objects as o where o.bucket_id = new.bucket_id and o.name = new.name) then
    return new;
  end if;
  select * into mine from private.files_of(person);
  if (is_avatar and mine.avatars >= private.limit_of('avatar_files'))
    or mine.files >= private.limit_of('stored_files')
    or mine.bytes >= private.limit_of('stored_megabytes') * 1000000::numeric
  then
    raise exception 'too_many_files' using errcode = 'insufficient_privilege';
  end if;
  if private.photo_files_of(plan) >= private.limit_of('plan_photos') then
    raise exception 'too_many_photos' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

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
-- Triggers

create trigger limit_files before insert on storage.objects
  for each row when (new.bucket_id in ('avatars', 'plan-photos')) execute function private.limit_files();
