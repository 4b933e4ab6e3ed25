begin;
select plan(3);
select has_trigger('public', 'orders', 'notify', 'an order is announced');
insert into public.orders default values;
select isnt_empty(
  $$ select * from net.http_request_queue where url like '%orders' $$, 'an order makes a request');
select col_default_is('public', 'orders', 'status', 'open', 'an order begins open');
select * from finish();
rollback;
