create function private.one_line(value text) returns text
  language sql immutable parallel safe set search_path = ''
  return regexp_replace(value, '[\n\u000b\f\r\u0085\u2028-\u202e\u2066-\u2069]+', ' ', 'g');

create function private.is_name(value text, most integer) returns boolean
  language sql immutable set search_path = ''
  return private.is_text(value, 1, most) and value = private.one_line(value);

grant execute on function private.one_line(text), private.is_name(text, integer) to authenticated, service_role;

create or replace function private.name_from(meta jsonb, email text) returns text
  language sql immutable set search_path = ''
  return coalesce(
    nullif(private.trimmed(left(private.trimmed(private.one_line(meta ->> 'display_name')), 40)), ''),
    nullif(private.trimmed(left(private.trimmed(private.one_line(meta ->> 'full_name')), 40)), ''),
    nullif(private.trimmed(left(private.trimmed(private.one_line(meta ->> 'name')), 40)), ''),
    nullif(private.trimmed(left(private.one_line(split_part(email, '@', 1)), 40)), ''),
    'Guest'
  );

update public.profiles set display_name = private.trimmed(private.one_line(display_name))
  where display_name <> private.one_line(display_name);
-- lint: allow lock: profiles are few, and none is left that breaks the rule.
alter table public.profiles drop constraint profiles_display_name_check;
-- lint: allow lock: as above.
alter table public.profiles add constraint profiles_display_name_check check (private.is_name(display_name, 40));

alter policy "avatars are added by their person" on storage.objects with check (
    bucket_id = 'avatars' and (storage.foldername(name))[1] = (select private.caller())::text
  );
alter policy "plan photos are added by the table" on storage.objects with check (
    bucket_id = 'plan-photos'
    and private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_plan_ids()))
    and (storage.foldername(name))[2] = (select private.caller())::text
  );
drop function private.may_store(text);
drop function private.my_files();

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

create trigger limit_files before insert on storage.objects
  for each row when (new.bucket_id in ('avatars', 'plan-photos')) execute function private.limit_files();
