-- A migration of their own: a new value can be used once its transaction has ended.
alter type public.mail_kind add value 'confirm_address';
alter type public.mail_kind add value 'everybody_answered';
alter type public.notification_kind add value 'everybody_answered';
