create schema reporting;
create table public.articles (
  id bigint generated always as identity primary key,
  title text not null,
  draft boolean not null default true
);
alter table public.articles enable row level security;
revoke all on public.articles from anon, authenticated;
grant select on public.articles to anon;
grant select, insert, update, delete on public.articles to editor;
grant usage on sequence public.articles_id_seq to editor;
create policy "published" on public.articles for select to anon using (not draft);
create policy "editors" on public.articles to editor using (true) with check (title <> '');

create table reporting.changes (at timestamptz not null default now(), who text not null, title text);
create function reporting.note() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into reporting.changes (who, title) values (coalesce(current_setting('role', true), session_user), new.title);
  return new;
end $$;
create trigger note after insert or update on public.articles for each row execute function reporting.note();
grant usage on schema reporting to changes_auditor, reporting_app;
grant select on reporting.changes to changes_auditor, reporting_app;
alter default privileges in schema reporting grant select on tables to changes_auditor;

-- A function that runs before each request of the API, and limits that hold for one role.
create function public.before_request() returns void language plpgsql stable as $$
begin
  if current_setting('request.headers', true)::json ->> 'x-closed' is not null then
    raise sqlstate 'PGRST' using
      message = '{"code": "closed", "message": "Closed"}', detail = '{"status": 503, "headers": {}}';
  end if;
end $$;
-- For this database only: a setting of the role would hold for every database of the server.
alter role authenticator in database postgres set pgrst.db_pre_request = 'public.before_request';
alter role changes_auditor set default_transaction_read_only = on;
notify pgrst, 'reload config';
