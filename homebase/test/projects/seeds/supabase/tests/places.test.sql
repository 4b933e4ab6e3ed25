begin;
select plan(4);
select is((select count(*)::int from public.places), 5, 'both seeds are there');
select fk_ok('public', 'visits', 'place', 'public', 'places', 'id');
select table_privs_are('public', 'places', 'seed_reader', array['SELECT']);
select is(nextval('public.visits_id_seq'), 9::bigint, 'numbers go on after the seed');
select * from finish();
rollback;
