-- Candidates for a plan in the same time however many places there are: by nearness where most are safe for the table,
-- by an index on diets where few are.

-- The diets that a place is safe for by those that are known: the rule of functions/_shared/ranking/diets.ts.
create function private.diets_that_hold(known public.diet[]) returns public.diet[]
  language sql immutable parallel safe set search_path = ''
  return known
    || case when 'vegan'::public.diet = any (known)
      then '{vegetarian,pescatarian,lactose_free}'::public.diet[] else '{}'::public.diet[] end
    || case when 'vegetarian'::public.diet = any (known)
      then '{pescatarian}'::public.diet[] else '{}'::public.diet[] end;

-- Whoever adds or changes a place writes this index.
grant execute on function private.diets_that_hold(public.diet[]) to authenticated, service_role;

create index places_diets_idx on public.places using gin (private.diets_that_hold(safe_diets));

do $rewrite$
declare
  definition text := pg_catalog.pg_get_functiondef('public.plan_candidates(uuid, integer)'::regprocedure);
  first integer := strpos(definition, '        -- The rule of functions/_shared/diets.ts.');
  last integer := strpos(definition, '      order by point(p.longitude');
begin
  if first = 0 or last < first then
    raise exception 'plan_candidates is not as it was';
  end if;
  execute overlay(definition
    placing E'        and private.diets_that_hold(p.safe_diets) operator(pg_catalog.@>) diets\n'
    from first for last - first);
end $rewrite$;

-- Which index is the better one depends on the diets: they are planned for each time.
alter function public.plan_candidates(uuid, integer) set plan_cache_mode = 'force_custom_plan';
