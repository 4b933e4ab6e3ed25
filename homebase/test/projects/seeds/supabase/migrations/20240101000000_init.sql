create table public.places (id int primary key, parent int references public.places deferrable initially deferred, name text);
create table public.visits (id serial primary key, place int not null references public.places);
grant select on public.places to seed_reader;
create role seed_made nologin;
alter database postgres set timezone to 'Europe/Lisbon';
alter database postgres set "app.jwt_secret" to 'your-jwt-secret';
alter role authenticated in database postgres set app.mode = 'x';
create function public.setting() returns text language sql stable as $$ select current_setting('app.jwt_secret', true) || ' ' || current_setting('TimeZone') $$;
