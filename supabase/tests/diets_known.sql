-- diets_known: true once a person has named diets, or has said that they eat everything.
begin;
create extension if not exists pgtap with schema extensions;
select plan(6);

insert into auth.users (id, email, raw_user_meta_data, aud, role)
  values ('10000000-0000-4000-8000-000000000001', 'new@diets.test', '{"display_name": "New"}', 'authenticated', 'authenticated');
create function pg_temp.known() returns boolean language sql as $$
  select p.diets_known from public.profiles as p where p.id = '10000000-0000-4000-8000-000000000001' $$;

select is(pg_temp.known(), false, 'a new person has not said what they eat');
select is(
  (select m.asked_at from public.private_profiles as m where m.id = '10000000-0000-4000-8000-000000000001'), null,
  'a new person has not been asked');
update public.profiles set display_name = 'Newer' where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), false, 'another change of the profile does not set it');
update public.profiles set diets = '{}', diets_known = true where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), true, 'it can be set without diets');
update public.profiles set diets = '{}', diets_known = false where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), false, 'it can be unset without diets');
update public.profiles set diets = '{vegan}' where id = '10000000-0000-4000-8000-000000000001';
select is(pg_temp.known(), true, 'named diets set it');

select * from finish();
rollback;
