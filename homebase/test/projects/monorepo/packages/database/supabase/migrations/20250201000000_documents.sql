create table public.documents (
  id uuid primary key default gen_random_uuid(),
  workspace text not null,
  title text not null,
  unique (workspace, title)
);
alter table public.documents enable row level security;
create policy "by workspace" on public.documents to authenticated
  using (workspace = any (array(select jsonb_array_elements_text(auth.jwt() -> 'app_metadata' -> 'workspaces'))));
