begin;
select plan(4);
insert into auth.users (id) values ('aaaaaaaa-0000-4000-8000-000000000001'), ('aaaaaaaa-0000-4000-8000-000000000002');
insert into public.orders (owner) select id from auth.users;
set local role authenticated;
set local "request.jwt.claims" to '{"sub": "aaaaaaaa-0000-4000-8000-000000000001"}';
select is((select count(*)::int from public.orders), 1, 'a user sees the own order');
reset role;
select enum_has_labels('public', 'order_state', array['open', 'paid', 'sent']);
create table public.made_later (id int);
select is(
  (select relrowsecurity from pg_class where oid = 'public.made_later'::regclass), true, 'a new table is protected');
select trigger_is('public', 'orders', 'touch', 'public', 'touch');
select * from finish();
rollback;
