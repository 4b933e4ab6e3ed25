-- Four more kinds of mail: what became of a plan. A file of its own: a value of an enum can be used only after the
-- transaction that added it.
alter type public.mail_kind add value 'plan_confirmed';
alter type public.mail_kind add value 'plan_reopened';
alter type public.mail_kind add value 'plan_cancelled';
alter type public.mail_kind add value 'plan_restored';
