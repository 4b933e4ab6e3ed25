-- A doubt reaches what a diet concludes from: who doubts that a kitchen is vegetarian doubts that it is vegan, too.
-- Otherwise the word "vegan" would make it safe for vegetarians over a doubt.

create or replace function private.settle_place(place uuid) returns void
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

select private.settle_place(p.id) from public.places as p
  where exists (select 1 from public.place_diet_claims as c where c.place_id = p.id and not c.holds);
