alter view public.paid_workspaces set (security_invoker = false);
alter table billing.invoices drop constraint invoices_workspace_id_workspaces_id_fk;
