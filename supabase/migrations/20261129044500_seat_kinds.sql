-- Kinds of notifications for a seat that another device asks for. They can be used once this migration has ended.

alter type public.notification_kind add value 'seat_asked';
alter type public.notification_kind add value 'seat_moved';
