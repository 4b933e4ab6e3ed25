begin;
select plan(4);
select col_type_is('public', 'documents', 'embedding', 'extensions', 'vector(3)', 'three dimensions');
select results_eq(
  $$ select content from public.match_documents('[1,0,0]', 0.5, 5) $$, $$ values ('apples'), ('pears') $$, 'the nearest first');
select results_eq(
  $$ select content from public.documents where fts @@ to_tsquery('english', 'engine') $$,
  $$ values ('engines') $$, 'words are found by their stem');
set local role anon;
select is((select count(*)::int from public.documents), 3, 'everybody reads');
select * from finish();
rollback;
