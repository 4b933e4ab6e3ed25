begin;
select plan(8);
select enum_has_labels('public', 'size', array['s', 'm', 'l', 'xl']);
select throws_ok($$ select 'nobody'::public.email $$, '23514', null, 'an address has an @');
insert into shop.products (name, price, tags, attributes) values ('Green tea', 10, '{hot}', 'origin => "Azores"');
select is((select tax from shop.products), 2.0, 'the tax is computed');
select is((select name from shop.find('teas')), 'Green tea', 'words are found by their stem');
select throws_ok(
  $$ insert into shop.bookings (during, room) values ('[2025-01-01, 2025-01-03)', 1), ('[2025-01-02, 2025-01-04)', 1) $$,
  '23P01', null, 'bookings of a room do not overlap');
insert into public.events (at, kind) values ('2025-06-01', 'a'), ('2030-01-01', 'b');
select is((select count(*)::int from public.events_2025), 1, 'rows go to their partition');
select is(public.product_of(x), 24::numeric, 'an aggregate of the project') from (values (2), (3), (4)) v (x);
select is(
  (select (total, product)::text from public.add_numbers(3)), '(5,6)', 'an argument has a default');
select * from finish();
rollback;
