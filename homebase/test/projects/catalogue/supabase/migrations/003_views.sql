create or replace view public.cheap with (security_invoker = true) as select id, name from shop.products where price < 5;
create view public.members as select u.id, u.email, u.raw_user_meta_data ->> 'name' as name from auth.users u;
create materialized view public.totals as select size, count(*) from shop.products group by size;
create unique index on public.totals (size);
refresh materialized view public.totals;
refresh materialized view concurrently public.totals;
create or replace function shop.find(word text) returns setof shop.products language sql stable as $$
  select * from shop.products where name % word or search @@ plainto_tsquery(word);
$$;
create function public.one() returns int language sql begin atomic select 1; end;
create or replace function public.add_numbers(a int, b int default 2, out total int, out product int) as $$
begin total := a + b; product := a * b; end; $$ language plpgsql immutable;
create function public.table_of() returns table (a int, b text) language sql as $f$ select 1, 'x' $f$;
create procedure public.nothing() language plpgsql as $$ begin null; end $$;
create aggregate public.product_of (numeric) (sfunc = numeric_mul, stype = numeric, initcond = '1');
create operator public.=== (leftarg = text, rightarg = text, function = texteq);
create cast (text as address) with inout;
select public.one(), setval('public.numbers', 500, true);
notify pgrst, 'reload schema';
