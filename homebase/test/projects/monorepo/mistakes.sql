alter table public.documents disable row level security;
alter table public.documents drop constraint documents_workspace_title_key;
