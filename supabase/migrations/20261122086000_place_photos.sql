-- The photos of meals at a place, for each plan and author: how many, and the newest one. The caller reads those of
-- their own plans, as the tables below the view allow.
create view public.place_photos with (security_invoker = true) as
  select o.place_id, ph.plan_id, ph.author_id, p.title as plan_title, count(*)::integer as photos,
    max(ph.created_at) as newest_at,
    (array_agg(ph.path order by ph.created_at desc, ph.id))[1] as path,
    (array_agg(ph.caption order by ph.created_at desc, ph.id))[1] as caption
  from public.photos as ph
  join public.plans as p on p.id = ph.plan_id and p.status = 'confirmed'
  join public.place_options as o on o.id = p.chosen_place_id
  group by o.place_id, ph.plan_id, ph.author_id, p.title;
grant select on public.place_photos to authenticated;

-- A plan that decides itself counts them as its host would see them.
do $rewrite$
declare
  definition text := pg_catalog.pg_get_functiondef('public.plans_to_decide()'::regprocedure);
  changed text := replace(definition, $old$'rows', jsonb_build_object($old$, $new$'photos', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', f.plan_id, 'place_id', f.place_id, 'author_id', f.author_id, 'photos', f.photos)), '[]')
        from public.place_photos as f
        join public.plan_members as seen on seen.plan_id = f.plan_id and seen.user_id = host
        where f.place_id in (select o.place_id from public.place_options as o where o.plan_id = this.id)
      ),
      'rows', jsonb_build_object($new$);
begin
  if changed = definition then
    raise exception 'plans_to_decide() is not as this migration expects it';
  end if;
  execute changed;
end $rewrite$;
