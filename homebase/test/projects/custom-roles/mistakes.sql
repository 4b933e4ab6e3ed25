grant select on public.articles to changes_auditor;
revoke update on public.articles from editor;
drop policy "counting" on public.articles;
