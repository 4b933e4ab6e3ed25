-- How many files a person may store: their own are counted, whatever others have, and those of each bucket by themselves.
begin;
create extension if not exists pgtap with schema extensions;

insert into auth.users (id, email, raw_user_meta_data, aud, role) values
  ('10000000-0000-4000-8000-000000000001', 'files@limits.test', '{"display_name": "Somebody"}', 'authenticated', 'authenticated');
insert into public.plans (id, title, time_zone) values ('40000000-0000-4000-8000-000000000001', 'Plan', 'UTC');
insert into public.plan_members (plan_id, user_id, role) values
  ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'host');
insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true), ('plan-photos', 'plan-photos', false),
  ('other', 'other', false) on conflict (id) do nothing;

-- What becomes of a new file of this person: `stored`, or the error. It is not kept.
create function pg_temp.store(bucket text, path text) returns text language plpgsql as $$
declare
  result text := 'stored';
begin
  perform set_config('request.jwt.claims', '{"sub":"10000000-0000-4000-8000-000000000001","role":"authenticated"}', true);
  perform set_config('role', 'authenticated', true);
  begin
    insert into storage.objects (bucket_id, name) values (bucket, path);
    raise exception using errcode = 'NOSH0';
  exception
    when sqlstate 'NOSH0' then null;
    when others then result := sqlstate;
  end;
  perform set_config('role', 'postgres', true);
  return result;
end $$;

select plan(8);
-- The person has a face and three photos; people before and behind them in the order of names have five faces each.
insert into storage.objects (bucket_id, name) values ('avatars', '10000000-0000-4000-8000-000000000001/1.webp');
insert into storage.objects (bucket_id, name)
select 'plan-photos', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000001/' || at || '.webp'
from generate_series(1, 3) as at;
insert into storage.objects (bucket_id, name)
select 'avatars', person || '/' || at || '.webp'
from unnest(array['00000000-0000-4000-8000-000000000000', 'ffffffff-0000-4000-8000-000000000000']) as person,
  generate_series(1, 5) as at;
update private.limits set value = 2 where name = 'avatar_files';
update private.limits set value = 5 where name = 'stored_files';
select is(pg_temp.store('avatars', '10000000-0000-4000-8000-000000000001/2.webp'), 'stored',
  'neither photos nor faces of others count as one''s faces');
select is(pg_temp.store('plan-photos', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000001/4.webp'), 'stored',
  'nor do files of others count');

insert into storage.objects (bucket_id, name) values ('avatars', '10000000-0000-4000-8000-000000000001/2.webp');
select is(pg_temp.store('avatars', '10000000-0000-4000-8000-000000000001/3.webp'), '42501', 'a face more than allowed is refused');
select is(pg_temp.store('plan-photos', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000001/4.webp'), '42501',
  'so is a file more than allowed, of any kind');

update private.limits set value = 100 where name = 'avatar_files';
update private.limits set value = 6 where name = 'stored_files';
select is(pg_temp.store('plan-photos', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000001/4.webp'), 'stored',
  'one file fewer than allowed has room for one');
select is(pg_temp.store('avatars', '10000000-0000-4000-8000-000000000001/3.webp'), 'stored', 'in either bucket');

update private.limits set value = 3 where name = 'plan_photos';
select is(pg_temp.store('plan-photos', '40000000-0000-4000-8000-000000000001/10000000-0000-4000-8000-000000000001/4.webp'), '42501',
  'a plan has as many files as photos');
update private.limits set value = 0 where name = 'stored_files';
select lives_ok(
  $$insert into storage.objects (bucket_id, name) values ('avatars', '10000000-0000-4000-8000-000000000001/2.webp')
    on conflict (bucket_id, name) do update set updated_at = now()$$, 'a file that is replaced is not one more');

select * from finish();
rollback;
