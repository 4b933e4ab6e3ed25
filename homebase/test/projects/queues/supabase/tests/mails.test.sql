begin;
select plan(4);
select is(public.queue_mail('ada@example.com'), 1::bigint, 'the first mail is queued');
select is(public.next_mail() ->> 'to', 'ada@example.com', 'and read');
select is(public.next_mail(), null, 'once');
select throws_ok($$ insert into public.settings values (1, '[]') $$, '23514', null, 'a setting is an object');
select * from finish();
rollback;
