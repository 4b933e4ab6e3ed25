-- One more thing to be told of: a decided plan that has another time or place now. A file of its own: a value of an enum
-- can be used only after the transaction that added it.
alter type public.notification_kind add value 'plan_moved';
alter type public.mail_kind add value 'plan_moved';
