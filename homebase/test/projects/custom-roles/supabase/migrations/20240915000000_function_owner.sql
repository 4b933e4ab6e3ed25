-- A function that runs with a role's rights and no more.
create role counter nologin;
grant counter to postgres;
grant usage, create on schema public to counter;
grant select on public.articles to counter;
create policy "counting" on public.articles for select to counter using (true);
create function public.drafts() returns bigint language sql security definer set search_path = ''
  as 'select count(*) from public.articles where draft';
alter function public.drafts() owner to counter;
revoke create on schema public from counter;
