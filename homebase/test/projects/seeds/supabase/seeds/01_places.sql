set session_replication_role = replica;
insert into public.visits (id, place) overriding system value values (7, 1), (8, 2);
insert into public.places values (1, 2, 'one; "quoted"'), (2, 1, E'two\n');
set session_replication_role = default;
select pg_catalog.setval('"public"."visits_id_seq"', (select max(id) from public.visits), true);
