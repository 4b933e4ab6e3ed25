select pgmq.drop_queue('mails');
alter table public.settings drop constraint settings_value_check;
