begin;
select plan(7);
select is_member_of('editor', array['authenticator']);
select table_privs_are('public', 'articles', 'authenticated', array[]::text[]);
select is(public.drafts(), 1::bigint, 'drafts are counted with the rights of a role');
select results_eq(
  'select distinct who from reporting.changes', $$ values ('editor') $$, 'the seed was written by an editor');
set local role anon;
select results_eq('select title from public.articles', $$ values ('Ready') $$, 'only what is published');
reset role;
-- These roles cannot use the schema of pgTAP: what they did is looked at afterwards.
set local role editor;
update public.articles set draft = false;
reset role;
select is(public.drafts(), 0::bigint, 'an editor publishes');
select ok(not has_table_privilege('changes_auditor', 'public.articles', 'select'), 'an auditor reads changes only');
select * from finish();
rollback;
