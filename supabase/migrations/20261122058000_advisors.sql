-- What `supabase db advisors` found: extensions that were created without a schema land in `public`, and a table had no
-- primary key.

alter table private.removals add column id uuid primary key default gen_random_uuid();

-- Neither can be moved; their objects are in schemas of their own (cron, net). The schedule is made again below.
do $move$
begin
  if exists (
    select 1 from pg_catalog.pg_extension as e where e.extname = 'pg_cron' and e.extnamespace = 'public'::regnamespace
  ) then
    drop extension pg_cron;
    create extension pg_cron with schema pg_catalog;
  end if;
  if exists (
    select 1 from pg_catalog.pg_extension as e where e.extname = 'pg_net' and e.extnamespace = 'public'::regnamespace
  ) then
    drop extension pg_net;
    create extension pg_net with schema extensions;
  end if;
end $move$;

-- By name: where it is still there, it is replaced.
select cron.schedule('plan-reminders', '*/10 * * * *', 'select private.remind(); select private.deliver_mail()');
