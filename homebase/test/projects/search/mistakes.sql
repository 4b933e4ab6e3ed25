drop policy "Everybody reads" on public.documents;
alter table public.documents drop column fts;
