-- Claims that a place is safe for a diet, each with its person and time. The server writes the claims of a place's
-- source. A diet that somebody doubts is not known to be safe, and neither is a diet that implies it: a doubt about
-- vegetarian is a doubt about vegan, too.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Whether the diets that are known to be safe cover this one: the rule of functions/_shared/ranking/diets.ts.
create function private.covers(safe public.diet[], wanted public.diet) returns boolean
  language sql immutable parallel safe set search_path = ''
  return wanted = any (safe)
    or (wanted in ('vegetarian', 'pescatarian', 'lactose_free') and 'vegan' = any (safe))
    or (wanted = 'pescatarian' and 'vegetarian' = any (safe));

-- `safe_diets` is what the claims come to: confirmed by somebody and doubted by nobody.
create function private.settle_place(place uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    update public.places as p set safe_diets = settled.diets
      from (
        select coalesce(array_agg(said.diet order by said.diet), '{}') as diets
        from (
          select distinct c.diet from public.place_diet_claims as c where c.place_id = place and c.holds
        ) as said
        where not exists (
          select 1 from public.place_diet_claims as doubt
          where doubt.place_id = place and not doubt.holds
            and doubt.diet = any (private.diets_that_hold(array[said.diet]))
        )
      ) as settled
      where p.id = place and p.safe_diets is distinct from settled.diets;
  end;

create function private.settle_diets() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.settle_place(coalesce(new.place_id, old.place_id));
  return null;
end $$;

create function private.claim_diet(place uuid, diet public.diet, person uuid, holds boolean) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    insert into public.place_diet_claims (place_id, diet, made_by, holds)
      values (place, claim_diet.diet, person, claim_diet.holds)
      on conflict (place_id, diet, made_by) do update set holds = excluded.holds, made_at = now()
      where place_diet_claims.holds is distinct from excluded.holds;
  end;

-- A change of `safe_diets` is a claim of the person who makes it: added diets are confirmed, removed ones doubted.
-- The diets that a place's source names are claims of the source.
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

-- Says that a place is safe for a diet (`holds`), or doubts it; null takes one's own word back. For members, and for
-- guests who sit at a plan that the place is on.
create function public.say_diet(place uuid, diet public.diet, holds boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  -- Held until the end, so that two words at once are both counted.
  perform 1 from public.places as p where p.id = place and private.reads_place(p.id) for no key update;
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

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger settle_diets after insert or update or delete on public.place_diet_claims
  for each row execute function private.settle_diets();
create trigger note_diet_claims after insert or update of safe_diets on public.places
  -- Not for what settle_diets writes.
  for each row when (pg_trigger_depth() = 0) execute function private.note_diet_claims();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.say_diet(uuid, public.diet, boolean) to authenticated;
