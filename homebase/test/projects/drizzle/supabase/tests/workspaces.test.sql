begin;
select plan(5);
select enum_has_labels('public', 'plan', array['free', 'team', 'pro']);
select table_privs_are('billing', 'invoices', 'billing_reader', array['SELECT']);
insert into auth.users (id) values ('aaaaaaaa-0000-4000-8000-000000000001');
insert into public.workspaces (id, owner_id, name, plan) values
  ('bbbbbbbb-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000001', 'one', 'pro');
insert into billing.invoices (workspace_id, cents) values ('bbbbbbbb-0000-4000-8000-000000000001', 1000);
select results_eq(
  'select number, tax from billing.invoices', 'values (1000::bigint, 230)', 'an invoice has a number and a tax');
select throws_ok('delete from public.workspaces', '23503', null, 'a workspace with invoices stays');
set local role authenticated;
select is_empty('select * from public.paid_workspaces', 'others'' workspaces are hidden in the view too');
select * from finish();
rollback;
