-- Nobody is said to eat everything who was not asked: `diets_known` is true once a person has said what they eat, and
-- a list without diets then means everything. `asked_at` says that a person was asked, or skipped the question.

alter table public.profiles add column diets_known boolean not null default false;
alter table public.private_profiles add column asked_at timestamptz;
grant update (diets_known) on public.profiles to authenticated;
grant update (asked_at) on public.private_profiles to authenticated;

update public.profiles set diets_known = true where diets <> '{}';
-- The made-up people of the tables to try have said it.
update public.profiles set diets_known = true where id::text like '00000000-0000-4000-8000-5a3b1e%';
update public.private_profiles as mine set asked_at = now()
  from public.profiles as p
  where p.id = mine.id and (p.diets_known or mine.start_latitude is not null);

-- Diets that somebody has named are known.
create function private.know_diets() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.diets <> '{}' then
    new.diets_known := true;
  end if;
  return new;
end $$;
create trigger know_diets before insert or update of diets, diets_known on public.profiles
  for each row execute function private.know_diets();
