begin;
create extension if not exists pgtap with schema extensions;
select plan(3);
select col_is_unique('public', 'documents', array['workspace', 'title']);
select results_eq(
  'select title from public.documents order by title', $$ values ('Handbook'), ('Plan') $$, 'both seeds are there');
set local role authenticated;
set local "request.jwt.claims" to '{"app_metadata": {"workspaces": ["acme"]}}';
select results_eq('select title from public.documents', $$ values ('Handbook') $$, 'a workspace sees its own');
select * from finish();
rollback;
