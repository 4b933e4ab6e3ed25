alter table public.todos disable row level security;
alter table public.todos drop constraint todos_task_check;
