drop trigger "notify" on public.orders;
alter table public.orders alter column status drop default;
