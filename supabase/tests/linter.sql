-- Rules for every table, policy and function of the schema, checked in the catalogue. Each list must be empty; it
-- names the objects that break the rule.
begin;
create extension if not exists pgtap with schema extensions;
select plan(10);

create temporary view policies as
  select format('%s.%s: %s', schemaname, tablename, policyname) as policy, schemaname, tablename,
    concat_ws(' ', qual, with_check) as condition
  from pg_policies where schemaname in ('public', 'private', 'storage', 'realtime');
create temporary view functions as
  select p.oid::regprocedure::text as function, p.*, pg_get_functiondef(p.oid) as definition
  from pg_proc as p
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.prokind = 'f'
    and not exists (select 1 from pg_depend as d where d.objid = p.oid and d.deptype = 'e');

select is_empty(
  $$select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity$$,
  'row security is on');
select is_empty(
  $$select function from functions where not coalesce('search_path=""' = any (proconfig), false)$$,
  'every function has an empty search_path');
select is_empty(
  $$select function from functions where definition ~ 'auth\.uid\(\)'
      and proname not in ('caller', 'require_caller')$$,
  'functions ask private.caller() who calls');
select is_empty(
  $$select policy from policies where condition ~ 'auth\.(uid|jwt|role)\(\)'$$,
  'policies ask private.caller() who calls');
select is_empty(
  $$select table_name || '.' || column_name from information_schema.columns
    where table_schema = 'public' and column_default like '%auth.uid()%'$$,
  'so do the defaults of columns');
select is_empty(
  $$select p.policyname from pg_policies as p
    where p.schemaname = 'public' and p.roles = '{authenticated}'
      and concat(p.qual, p.with_check) !~ 'private\.'$$,
  'no policy of the signed in lets everybody in');
-- A call that does not read the row is wrapped in a subquery, so that it runs once per statement.
select is_empty(
  $$select policy from policies
    where regexp_replace(condition, '\(\s*SELECT private\.\w+\(', '', 'gi') ~ 'private\.(caller|is_guest|my_|known_|open_)'$$,
  'calls in policies are wrapped in a select');
-- Both are made once a statement; an array is looked up by an index, a hash row by row (plans.sql says which is for which).
select is_empty(
  $$select policy from policies where condition ~* 'in \(\s*select private\.' and tablename not in (
    'plan_members', 'time_options', 'place_options', 'time_votes', 'place_votes', 'arrivals', 'ratings')$$,
  'policies compare with arrays, but where rows are read plan by plan');
select is_empty(
  $$select c.conrelid::regclass || ' ' || c.conname from pg_constraint as c
    where c.contype = 'f' and c.connamespace in ('public'::regnamespace, 'private'::regnamespace)
      and not exists (
        select 1 from pg_index as i
        where i.indrelid = c.conrelid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] operator(pg_catalog.@>) c.conkey
      )$$,
  'every foreign key has an index that begins with its columns');
-- Each column by which policies select rows is the first column of an index.
select is_empty(
  $$select p.policy || ' ' || a.attname from policies as p
    join pg_class as t on t.relname = p.tablename and t.relnamespace = p.schemaname::regnamespace
    join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      and (a.attname = 'id' or a.attname like '%\_id')
    where p.schemaname = 'public' and p.condition ~ ('(^|[( ])' || a.attname || ' (=|IN)')
      and not exists (select 1 from pg_index as i where i.indrelid = t.oid and i.indkey[0] = a.attnum)$$,
  'every column of a policy begins an index');

select * from finish();
rollback;
