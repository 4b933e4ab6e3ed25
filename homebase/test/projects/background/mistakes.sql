select cron.unschedule('call');
drop trigger "hook" on public.log; drop trigger send on public.log;
grant execute on function public.secret(text) to anon;
