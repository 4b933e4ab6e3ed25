-- Whether people have said what they eat: named diets say it by themselves, no diets only when the person says so.
begin;
create extension if not exists pgtap with schema extensions;
select plan(6);

insert into auth.users (id, email, raw_user_meta_data, aud, role)
  values ('10000000-0000-4000-8000-000000000001', 'new@diets.test', '{"display_name": "New"}', 'authenticated', 'authenticated');
create function pg_temp.known() returns boolean language sql as $$
  select p.diets_known from public.profiles as p where p.id = '10000000-0000-4000-8000-000000000001' $$;

select is(pg_temp.known(), false, 'a new person was not asked');
select is(
  (select m.asked_at from public.private_profiles as m where m.id = '10000000-0000-4000-8000-000000000001'), null,
  'so the question is open');
update public.profiles set display_name = 'Newer' where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), false, 'another change says nothing about diets');
update public.profiles set diets = '{}', diets_known = true where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), true, 'I eat everything');
update public.profiles set diets = '{}', diets_known = false where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), false, 'it can be taken back');
update public.profiles set diets = '{vegan}' where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), true, 'diets that are named are known');

select * from finish();
rollback;
