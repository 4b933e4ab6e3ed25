alter table public.pets alter column name drop not null;
alter table public.pets drop column id;
