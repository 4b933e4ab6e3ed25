revoke select on public.places from seed_reader;
alter table public.visits drop constraint visits_place_fkey;
