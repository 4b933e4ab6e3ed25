-- Jobs of pg_cron. They write due messages as rows, and deliver waiting ones by calling a function. The project's
-- address is `project_url` in the vault; without it only notifications are written. A job with the same name is
-- replaced.

select cron.schedule('plan-reminders', '*/10 * * * *', 'select private.remind(); select private.deliver_mail()');
select cron.schedule('sample-plans', '17 4 * * *', 'select private.clear_sample_plans()');
-- Messages whose first attempt failed.
select cron.schedule('web-push', '*/10 * * * *', 'select private.deliver_push()');
select cron.schedule('decide-plans', '*/5 * * * *', 'select private.decide_plans()');
select cron.schedule('standing-dinners', '7 * * * *', 'select private.make_standing_plans()');
