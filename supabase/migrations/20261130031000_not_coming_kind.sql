-- The kind of notification that tells hosts who isn't coming. It can be used once this migration has ended.

alter type public.notification_kind add value 'not_coming';
