begin;
select plan(7);
select ok(not has_table_privilege('anon', 'public.expenses', 'select'), 'anon reads nothing');
select col_has_check('public', 'expenses', 'amount', 'amounts are positive');
set local role authenticated;
set local "request.jwt.claims" to
  '{"sub": "aaaaaaaa-0000-4000-8000-000000000001", "aal": "aal1", "is_anonymous": true}';
select isnt_empty('select * from public.expenses', 'the owner sees the seed');
select throws_ok(
  $$ update public.expenses set state = 'sent' $$, '42501', null, 'an anonymous user sends nothing');
select ok(
  not has_column_privilege('authenticated', 'public.expenses', 'owner_id', 'update'), 'the owner stays');
set local "request.jwt.claims" to '{"sub": "aaaaaaaa-0000-4000-8000-000000000001", "aal": "aal1"}';
select lives_ok($$ update public.expenses set amount = 13 $$, 'a draft is changed');
reset role;
insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
values (gen_random_uuid(), 'aaaaaaaa-0000-4000-8000-000000000001', 'totp', 'verified', now(), now());
set local role authenticated;
select is_empty('select * from public.expenses', 'whoever has a second factor needs it');
select * from finish();
rollback;
