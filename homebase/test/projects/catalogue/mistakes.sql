alter type public.size add value 'xxl';
drop function shop.find(text);
alter table shop.bookings drop constraint bookings_room_during_excl;
