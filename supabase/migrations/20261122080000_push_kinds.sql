-- Two more things to be told of, in the app and by mail: a decided plan whose name or note changed, and a nudge to
-- vote. A file of its own: a value of an enum can be used only after the transaction that added it.
alter type public.notification_kind add value 'plan_changed';
alter type public.notification_kind add value 'vote_nudge';
alter type public.mail_kind add value 'plan_changed';
alter type public.mail_kind add value 'vote_nudge';
