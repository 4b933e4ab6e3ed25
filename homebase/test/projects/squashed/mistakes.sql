alter table public.clubs alter column name type text;
alter table public.members drop column badge;
drop policy "own membership" on public.members;
