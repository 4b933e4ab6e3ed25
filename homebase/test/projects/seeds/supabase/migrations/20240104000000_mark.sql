create table public.with_mark (id int primary key);
-- the end
