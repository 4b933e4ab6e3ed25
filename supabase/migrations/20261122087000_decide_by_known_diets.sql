-- A plan that decides itself is ranked with who has said what they eat, as in the app.
do $rewrite$
declare
  definition text := pg_catalog.pg_get_functiondef('public.plans_to_decide()'::regprocedure);
  changed text := replace(definition, $old$'diets', who.diets,$old$, $new$'diets', who.diets, 'diets_known', who.diets_known,$new$);
begin
  if changed = definition then
    raise exception 'plans_to_decide() is not as this migration expects it';
  end if;
  execute changed;
end $rewrite$;
