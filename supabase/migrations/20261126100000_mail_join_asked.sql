-- A migration of its own: a new value can be used once its transaction has ended.
alter type public.mail_kind add value 'join_asked';
