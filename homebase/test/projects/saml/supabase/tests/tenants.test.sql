begin;
select plan(4);
insert into auth.users (id, email, is_sso_user) values (gen_random_uuid(), 'ada@acme.example', true);
select is(
  (select raw_user_meta_data ->> 'department' from auth.users), 'none', 'a user of single sign-on has a department');
set local role authenticated;
set local "request.jwt.claims" to '{"sub": "aaaaaaaa-0000-4000-8000-000000000001",
  "app_metadata": {"provider": "sso:cccccccc-0000-4000-8000-000000000001"},
  "amr": [{"method": "sso/saml", "provider": "cccccccc-0000-4000-8000-000000000001", "timestamp": 1}]}';
select results_eq('select name from public.tenants', $$ values ('Acme') $$, 'a session sees its tenant');
select results_eq('select title from public.reports', $$ values ('Acme''s first') $$, 'and its reports');
set local "request.jwt.claims" to '{"sub": "aaaaaaaa-0000-4000-8000-000000000001",
  "app_metadata": {"provider": "email"},
  "amr": [{"method": "sso/saml", "provider": "cccccccc-0000-4000-8000-000000000001", "timestamp": 1}]}';
select is_empty('select * from public.reports', 'no reports without single sign-on');
select * from finish();
rollback;
