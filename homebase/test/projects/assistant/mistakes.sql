drop event trigger trg_enable_rls; alter table public.later disable row level security;
drop trigger update_tasks_updated_at on public.tasks;
create or replace function public.has_role(_user_id uuid, _role public.app_role) returns boolean language sql as 'select false';
