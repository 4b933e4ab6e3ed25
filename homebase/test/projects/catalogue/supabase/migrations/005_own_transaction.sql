BEGIN;
create table public.in_transaction (id int primary key);
savepoint one;
insert into public.in_transaction values (1);
rollback to savepoint one;
COMMIT;
VACUUM ANALYZE public.in_transaction;
