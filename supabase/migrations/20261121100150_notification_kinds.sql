-- Three more things to be told of. A file of its own: a value of an enum can be used only after the
-- transaction that added it.
alter type public.notification_kind add value 'vote_reminder';
alter type public.notification_kind add value 'plan_tomorrow';
alter type public.notification_kind add value 'rate_reminder';
