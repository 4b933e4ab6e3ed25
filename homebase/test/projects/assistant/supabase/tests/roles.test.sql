begin;
select plan(5);
select has_function('public', 'has_role', array['uuid', 'app_role']);
select isnt_definer('public', 'update_updated_at_column', array[]::text[]);
insert into auth.users (id) values ('aaaaaaaa-0000-4000-8000-000000000001');
insert into public.user_roles (user_id, role) values ('aaaaaaaa-0000-4000-8000-000000000001', 'admin');
select ok(public.has_role('aaaaaaaa-0000-4000-8000-000000000001', 'admin'), 'an admin is one');
select is(
  (select relrowsecurity from pg_class where oid = 'public.later'::regclass), true,
  'the event trigger protects tables that come later');
insert into public.tasks (title, updated_at) values ('one', '2020-01-01');
update public.tasks set title = 'two';
select is((select updated_at from public.tasks), now(), 'an update is dated');
select * from finish();
rollback;
