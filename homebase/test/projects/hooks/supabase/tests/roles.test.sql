begin;
select plan(6);
select function_privs_are('public', 'custom_access_token_hook', array['jsonb'], 'authenticated', array[]::text[]);
select function_privs_are('hooks', 'before_user_created', array['jsonb'], 'supabase_auth_admin', array['EXECUTE']);
insert into auth.users (id, email) values ('aaaaaaaa-0000-4000-8000-000000000001', 'ada@example.com');
insert into public.user_roles (user_id, role) values ('aaaaaaaa-0000-4000-8000-000000000001', 'moderator');
select is(
  public.custom_access_token_hook('{"user_id": "aaaaaaaa-0000-4000-8000-000000000001", "claims": {}}')
    #>> '{claims,user_role}', 'moderator', 'the token has the role');
select is(
  hooks.before_user_created('{"user": {"email": "eve@elsewhere.test"}}') #>> '{error,message}', 'By invitation only', 'others are turned away');
set local role authenticated;
set local "request.jwt.claims" to '{"user_role": "moderator"}';
delete from public.channels;
select is((select count(*)::int from public.channels), 2, 'a moderator deletes no channel');
set local "request.jwt.claims" to '{"user_role": "admin"}';
delete from public.channels;
select is_empty('select * from public.channels', 'an admin does');
select * from finish();
rollback;
