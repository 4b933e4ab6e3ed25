insert into public.log (line) values ('first');
