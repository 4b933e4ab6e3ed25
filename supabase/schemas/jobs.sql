-- Jobs of pg_cron. They write due messages as rows, and deliver waiting ones by calling a function. A job with the same
-- name is replaced.

-- Calls an edge function with the secret that it asks for. The project's address is `project_url` in the vault; without
-- it nothing is called, and only notifications are written.
create function private.call_function(name text) returns void
  language sql security definer set search_path = ''
  begin atomic
    select net.http_post(
      url := address.decrypted_secret || '/functions/v1/' || call_function.name,
      body := '{}'::jsonb,
      headers := jsonb_build_object('Content-Type', 'application/json', 'x-reminders-secret', secret.decrypted_secret))
    from vault.decrypted_secrets as address join vault.decrypted_secrets as secret on secret.name = 'reminders_secret'
    where address.name = 'project_url';
  end;

select cron.schedule('plan-reminders', '*/10 * * * *', 'select private.remind(); select private.deliver_mail()');
select cron.schedule('sample-plans', '17 4 * * *', 'select private.clear_sample_plans()');
-- Messages whose first attempt failed.
select cron.schedule('web-push', '*/10 * * * *', 'select private.deliver_push()');
select cron.schedule('decide-plans', '*/5 * * * *', 'select private.decide_plans()');
select cron.schedule('standing-dinners', '7 * * * *', 'select private.make_standing_plans()');
