do $$ begin
  for i in 3..5 loop insert into public.places (id, name) values (i, 'place ' || i); end loop;
end $$;
