-- After a meal a person says whether there was a proper meal for their diet; a yes lifts the warning for them there.

alter table public.ratings add column ate public.diet[] not null default '{}';
alter table public.ratings add column lacked public.diet[] not null default '{}';
alter table public.ratings add column eaten_at timestamptz;
-- lint: allow lock: every row has the defaults
alter table public.ratings add constraint ratings_meal_check check (
  cardinality(ate || lacked) <= 3 and not ate operator(pg_catalog.&&) lacked
  and ate || lacked operator(pg_catalog.<@) '{vegetarian,vegan,pescatarian}'::public.diet[]
  and (eaten_at is not null or cardinality(ate || lacked) = 0));

create function private.ate_here(place uuid, person uuid, diet public.diet, reader uuid) returns boolean
  language sql stable set search_path = ''
  return coalesce((
    select ate_here.diet = any (r.ate) from public.ratings as r
    where r.place_id = ate_here.place and r.user_id = ate_here.person and ate_here.diet = any (r.ate || r.lacked)
      and r.plan_id in (select m.plan_id from public.plan_members as m where m.user_id = ate_here.reader)
    order by r.eaten_at desc, ate_here.diet = any (r.ate) limit 1
  ), false);

create or replace function private.unsafe_for(plan uuid, time_option uuid, place uuid) returns setof uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select m.user_id
    from public.plan_members as m
    join public.profiles as who on who.id = m.user_id
    join public.places as p on p.id = unsafe_for.place
    where m.plan_id = unsafe_for.plan and m.rsvp <> 'declined'
      and not exists (
        select 1 from public.time_votes as v
        where v.option_id = unsafe_for.time_option and v.user_id = m.user_id and v.answer = 'no'
      )
      and exists (
        select 1 from unnest(who.diets) as wanted
        where not private.covers(p.safe_diets, wanted)
          and not private.ate_here(p.id, m.user_id, wanted, coalesce((select private.caller()), (
            select host.user_id from public.plan_members as host
            where host.plan_id = unsafe_for.plan and host.role = 'host')))
      );
  end;

create or replace function public.plans_to_decide() returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
declare
  this public.plans;
  host uuid;
  trips jsonb;
  all_plans jsonb := '[]';
  claims text := coalesce(current_setting('request.jwt.claims', true), '');
begin
  for this in
    select p.* from public.plans as p where private.is_to_decide(p)
    order by p.vote_deadline, p.id limit private.limit_of('plans_decided_at_once')
  loop
    select m.user_id into host from public.plan_members as m where m.plan_id = this.id and m.role = 'host';
    -- Trips as the host sees them.
    perform set_config('request.jwt.claims',
      jsonb_build_object('sub', host, 'role', 'authenticated', 'aal', 'aal2')::text, true);
    select coalesce(jsonb_agg(to_jsonb(t)), '[]') into trips from public.plan_trips(this.id) as t;
    perform set_config('request.jwt.claims', claims, true);
    all_plans := all_plans || jsonb_build_object(
      'deadline', this.vote_deadline,
      'revision', (select c.revision from public.plan_channels as c where c.plan_id = this.id),
      'from', now() + make_interval(
        hours => private.limit_of('veto_ends_hours'), mins => private.limit_of('veto_least_minutes')),
      'trips', trips,
      'ratings', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', r.plan_id, 'place_id', r.place_id, 'user_id', r.user_id, 'stars', r.stars,
          'created_at', r.created_at, 'ate', r.ate, 'lacked', r.lacked, 'eaten_at', r.eaten_at)), '[]')
        from public.ratings as r
        join public.plan_members as seen on seen.plan_id = r.plan_id and seen.user_id = host
        where r.place_id in (select o.place_id from public.place_options as o where o.plan_id = this.id)
      ),
      'photos', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', f.plan_id, 'place_id', f.place_id, 'author_id', f.author_id, 'photos', f.photos)), '[]')
        from public.place_photos as f
        join public.plan_members as seen on seen.plan_id = f.plan_id and seen.user_id = host
        where f.place_id in (select o.place_id from public.place_options as o where o.plan_id = this.id)
      ),
      'rows', jsonb_build_object(
        'id', this.id,
        'plan_members', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'user_id', m.user_id, 'rsvp', m.rsvp, 'required', m.required,
            'profiles', jsonb_build_object(
              'display_name', who.display_name, 'diets', who.diets, 'diets_known', who.diets_known, 'budget', who.budget))
            order by m.joined_at, m.user_id), '[]')
          from public.plan_members as m join public.profiles as who on who.id = m.user_id
          where m.plan_id = this.id
        ),
        'time_options', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'id', o.id, 'starts_at', o.starts_at, 'ends_at', o.ends_at, 'time_votes', (
              select coalesce(jsonb_agg(jsonb_build_object('user_id', v.user_id, 'answer', v.answer)), '[]')
              from public.time_votes as v where v.option_id = o.id)) order by o.starts_at, o.id), '[]')
          from public.time_options as o where o.plan_id = this.id
        ),
        'place_options', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'id', o.id, 'place_id', o.place_id, 'place_votes', (
              select coalesce(jsonb_agg(jsonb_build_object('user_id', v.user_id, 'answer', v.answer)), '[]')
              from public.place_votes as v where v.option_id = o.id),
            'places', jsonb_build_object(
              'id', k.id, 'name', k.name, 'safe_diets', k.safe_diets, 'price', k.price, 'time_zone', k.time_zone,
              'place_hours', (
                select coalesce(jsonb_agg(jsonb_build_object(
                  'weekday', h.weekday, 'opens', h.opens, 'closes', h.closes)), '[]')
                from public.place_hours as h where h.place_id = k.id))) order by o.created_at, o.id), '[]')
          from public.place_options as o join public.places as k on k.id = o.place_id where o.plan_id = this.id
        )
      )
    );
  end loop;
  return all_plans;
end $$;

drop function public.rate_plan(uuid, integer, text);
create function public.rate_plan(
  plan uuid, stars integer, comment text default '', ate public.diet[] default '{}', lacked public.diet[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  if private.plan_state(this) <> 'done' then
    perform private.refuse('plan_not_done');
  end if;
  insert into public.ratings as r (plan_id, user_id, place_id, stars, comment, ate, lacked, eaten_at)
    values (plan, caller, (select o.place_id from public.place_options as o where o.id = this.chosen_place_id),
      rate_plan.stars, private.trimmed(rate_plan.comment), coalesce(rate_plan.ate, '{}'),
      coalesce(rate_plan.lacked, '{}'),
      (select o.starts_at from public.time_options as o where o.id = this.chosen_time_id))
    on conflict on constraint ratings_pkey
    do update set stars = excluded.stars, comment = excluded.comment, place_id = excluded.place_id,
      ate = excluded.ate, lacked = excluded.lacked, eaten_at = excluded.eaten_at;
end $$;

grant execute on function public.rate_plan(uuid, integer, text, public.diet[], public.diet[]) to authenticated;
