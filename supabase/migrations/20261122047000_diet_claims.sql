-- Who says that a place is safe for a diet, and since when. Where a place was taken from is written by the server;
-- everybody else's word is a claim with a name, and what somebody doubts is not known to be safe.

insert into private.errors (code, status, message, hint) values
  ('place_source_unknown', 409, 'This place was not found in OpenStreetMap lately.', 'Look for it again, or add it as your own.');

-- What the server itself found elsewhere, by its id there: the function find-places writes it, nobody reads it.
create table private.found_places (
  external_id text primary key check (char_length(external_id) <= 40),
  safe_diets public.diet[] not null,
  found_at timestamptz not null default now()
);

create function public.remember_found_places(places jsonb) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    insert into private.found_places (external_id, safe_diets)
      select f.external_id, coalesce(f.safe_diets, '{}')
      from jsonb_to_recordset(places) as f (external_id text, safe_diets public.diet[])
      where f.external_id is not null
      on conflict (external_id) do update set safe_diets = excluded.safe_diets, found_at = now();
  end;
revoke execute on function public.remember_found_places(jsonb) from public, anon, authenticated;
grant execute on function public.remember_found_places(jsonb) to service_role;

create table public.place_diet_claims (
  id uuid primary key default gen_random_uuid(),
  place_id uuid not null references public.places (id) on delete cascade,
  diet public.diet not null,
  -- Who says so; null for the place's source, and for people whose account is gone.
  made_by uuid references public.profiles (id) on delete set null,
  from_source boolean not null default false,
  holds boolean not null, -- false: doubted
  made_at timestamptz not null default now()
);
create unique index place_diet_claims_one_word on public.place_diet_claims (place_id, diet, made_by);
create index place_diet_claims_made_by_idx on public.place_diet_claims (made_by);

alter table public.place_diet_claims enable row level security;
grant select on public.place_diet_claims to authenticated;
create policy "claims are read by everyone signed in" on public.place_diet_claims
  for select to authenticated using ((select private.caller()) is not null);

insert into public.place_diet_claims (place_id, diet, made_by, from_source, holds, made_at)
  select p.id, diet, case when p.source = 'member' then p.created_by end, p.source <> 'member', true, p.created_at
  from public.places as p cross join unnest(p.safe_diets) as diet;

-- A place of another source is one that the server has found there.
create function private.check_place_source() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if (select private.caller()) is not null and new.source <> 'member' and not exists (
    select 1 from private.found_places as f where f.external_id = new.external_id
  ) then
    perform private.refuse('place_source_unknown');
  end if;
  return new;
end $$;
create trigger check_place_source before insert on public.places
  for each row execute function private.check_place_source();

-- `safe_diets` is what the claims come to: confirmed by somebody and doubted by nobody.
create function private.settle_place(place uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    update public.places as p set safe_diets = settled.diets
      from (
        select coalesce(array_agg(c.diet order by c.diet) filter (where c.holds), '{}') as diets from (
          select claim.diet, bool_and(claim.holds) as holds from public.place_diet_claims as claim
          where claim.place_id = place group by claim.diet
        ) as c
      ) as settled
      where p.id = place and p.safe_diets is distinct from settled.diets;
  end;

create function private.settle_diets() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.settle_place(coalesce(new.place_id, old.place_id));
  return null;
end $$;
create trigger settle_diets after insert or update or delete on public.place_diet_claims
  for each row execute function private.settle_diets();

create function private.claim_diet(place uuid, diet public.diet, person uuid, holds boolean) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    insert into public.place_diet_claims (place_id, diet, made_by, holds)
      values (place, claim_diet.diet, person, claim_diet.holds)
      on conflict (place_id, diet, made_by) do update set holds = excluded.holds, made_at = now()
      where place_diet_claims.holds is distinct from excluded.holds;
  end;

-- What is written to `safe_diets` is a claim of the person who writes it: added diets are confirmed, removed ones
-- doubted. Of a place from elsewhere, the source's own word is the source's.
create function private.note_diet_claims() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(private.caller(), new.created_by);
  before public.diet[] := case when tg_op = 'INSERT' then '{}' else old.safe_diets end;
  sourced public.diet[] := '{}';
  given public.diet;
begin
  if tg_op = 'INSERT' and new.source <> 'member' then
    select f.safe_diets into sourced from private.found_places as f where f.external_id = new.external_id;
    -- What the owner of the database writes (seed, imports) is the source's word.
    sourced := coalesce(sourced, case when private.caller() is null then new.safe_diets end, '{}');
    insert into public.place_diet_claims (place_id, diet, from_source, holds)
      select new.id, diet, true, true from unnest(sourced) as diet;
  end if;
  foreach given in array new.safe_diets loop
    if given <> all (before) and given <> all (sourced) then
      perform private.claim_diet(new.id, given, person, true);
    end if;
  end loop;
  foreach given in array before loop
    if given <> all (new.safe_diets) then
      perform private.claim_diet(new.id, given, person, false);
    end if;
  end loop;
  -- Also where no claim is new: what somebody doubts is not written away.
  perform private.settle_place(new.id);
  return null;
end $$;
create trigger note_diet_claims after insert or update of safe_diets on public.places
  -- Not for what settle_diets writes.
  for each row when (pg_trigger_depth() = 0) execute function private.note_diet_claims();

-- Says that a place is safe for a diet (`holds`), or doubts it; null takes one's own word back. For members, and for
-- guests who sit at a plan that the place is on.
create function public.say_diet(place uuid, diet public.diet, holds boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  -- Held until the end, so that two words at once are both counted.
  perform 1 from public.places as p where p.id = place for no key update;
  if not found then
    perform private.refuse('place_not_found');
  elsif private.is_guest() and not exists (
    select 1 from public.place_options as o
    where o.place_id = place and o.plan_id in (select private.my_plan_ids())
  ) then
    perform private.refuse('needs_account');
  end if;
  if say_diet.holds is null then
    delete from public.place_diet_claims as c
      where c.place_id = place and c.diet = say_diet.diet and c.made_by = caller;
  else
    perform private.claim_diet(place, say_diet.diet, caller, say_diet.holds);
  end if;
end $$;
revoke execute on function public.say_diet(uuid, public.diet, boolean) from public, anon;
grant execute on function public.say_diet(uuid, public.diet, boolean) to authenticated;
