create extension if not exists pg_cron with schema extensions;
create extension if not exists pg_net;
grant usage on schema cron to postgres;
grant all privileges on all tables in schema cron to postgres;
select cron.schedule('nightly', '0 3 * * *', $$delete from public.log where at < now() - interval '7 days'$$);
select cron.schedule('call', '*/5 * * * *', $$
  select net.http_post(
    url := (select decrypted_secret from vault.decrypted_secrets where name = 'project_url') || '/functions/v1/x',
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || (select decrypted_secret from vault.decrypted_secrets where name = 'anon_key')),
    body := concat('{"time": "', now(), '"}')::jsonb
  ) as request_id;
$$);
do $$ begin perform cron.unschedule('missing'); exception when others then null; end $$;
select cron.unschedule('nightly') where exists (select 1 from cron.job where jobname = 'nightly');
create table public.log (id bigint generated always as identity primary key, at timestamptz default now(), line text);
select vault.create_secret('http://localhost:54321', 'project_url', 'where the API is');
select vault.create_secret('anon', 'anon_key');
create trigger "hook" after insert or update or delete on public.log for each row
  execute function supabase_functions.http_request('http://127.0.0.1:9/hook', 'POST', '{"Content-Type":"application/json"}', '{}', '1000');
create or replace function public.send() returns trigger language plpgsql security definer as $$
begin
  perform net.http_post('http://127.0.0.1:9/send', jsonb_build_object('record', row_to_json(new)), headers => '{"Content-Type": "application/json"}'::jsonb);
  return new;
end $$;
create trigger send after insert on public.log for each row execute function public.send();
create function public.secret(name text) returns text language sql security definer set search_path = '' as $$
  select decrypted_secret from vault.decrypted_secrets s where s.name = $1 $$;
revoke execute on function public.secret(text) from anon, authenticated, public;
