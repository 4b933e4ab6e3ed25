-- What a plan that decides itself tells: a proposal, an objection, that it could not decide. And a plan that a standing
-- dinner made. A file of its own: a value of an enum can be used only after the transaction that added it.
alter type public.notification_kind add value 'plan_proposed';
alter type public.notification_kind add value 'plan_vetoed';
alter type public.notification_kind add value 'plan_undecided';
alter type public.notification_kind add value 'standing_planned';
alter type public.mail_kind add value 'plan_proposed';
alter type public.mail_kind add value 'plan_vetoed';
alter type public.mail_kind add value 'plan_undecided';
