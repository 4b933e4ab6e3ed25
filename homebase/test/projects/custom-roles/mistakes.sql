grant select on public.articles to auditor;
revoke update on public.articles from editor;
drop policy "counting" on public.articles;
