begin;
select plan(6);
select is((select count(*)::int from public.profiles), 3, 'each user of the seed has a profile');
insert into public.team_members (team_id, user_id) select t.id, u.id from public.teams t, auth.users u where u.email = 'user1@example.com';
select set_config('request.jwt.claims', json_build_object('sub', id, 'role', 'authenticated')::text, true)
  from auth.users where email = 'user1@example.com';
set local role authenticated;
select results_eq('select name from public.teams', $$ values ('one') $$, 'a member sees the team');
select set_config('request.jwt.claims', '{"sub": "aaaaaaaa-0000-4000-8000-000000000001", "role": "authenticated"}', true);
select is_empty('select * from public.teams', 'others do not');
select throws_ok(
  $$ insert into storage.objects (bucket_id, name, owner_id) values ('avatars', 'other/a.png', 'aaaaaaaa-0000-4000-8000-000000000001') $$,
  '42501', null, 'files go to the own folder only');
reset role;
select function_privs_are('public', 'custom_access_token_hook', array['jsonb'], 'anon', array[]::text[]);
select throws_ok($$ update public.profiles set username = 'x' $$, '23514', null, 'a name has three letters');
select * from finish();
rollback;
