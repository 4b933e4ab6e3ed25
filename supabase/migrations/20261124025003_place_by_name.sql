set local check_function_bodies = off;

DROP FUNCTION "public"."create_plan"(text, text, text, uuid, jsonb, uuid[], uuid[], timestamp with time zone, integer, boolean, boolean, boolean);

ALTER TABLE "public"."places" ALTER COLUMN "latitude" DROP NOT NULL;

ALTER TABLE "public"."places" ALTER COLUMN "longitude" DROP NOT NULL;

ALTER TABLE "public"."places" ALTER COLUMN "price" DROP NOT NULL;

CREATE OR REPLACE FUNCTION private.add_named_place(plan uuid, name text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  place uuid;
begin
  if exists (
    select 1 from public.place_options as o join public.places as p on p.id = o.place_id
    where o.plan_id = add_named_place.plan
      and private.plain(p.name) = private.plain(private.trimmed(add_named_place.name))
  ) then
    perform private.refuse('place_duplicate');
  end if;
  insert into public.places as p (name, time_zone, created_by)
    select add_named_place.name, this.time_zone, (select private.caller())
    from public.plans as this where this.id = plan
    returning p.id into place;
  return private.add_place(plan, place);
end $function$;

CREATE OR REPLACE FUNCTION public.create_plan(title text, time_zone text, note text DEFAULT ''::text, circle uuid DEFAULT NULL::uuid, times jsonb DEFAULT '[]'::jsonb, places uuid[] DEFAULT '{}'::uuid[], people uuid[] DEFAULT '{}'::uuid[], vote_deadline timestamp with time zone DEFAULT NULL::timestamp with time zone, capacity integer DEFAULT NULL::integer, guests_may_propose boolean DEFAULT true, results_hidden boolean DEFAULT false, decides_itself boolean DEFAULT false, place_names text[] DEFAULT '{}'::text[])
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  account_age interval;
  entry jsonb;
  place uuid;
  named text;
begin
  if circle is not null and circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  end if;
  if create_plan.vote_deadline <= now() then
    perform private.refuse('deadline_in_past');
  end if;
  select now() - p.created_at into account_age from public.profiles as p
    where p.id = caller for update; -- two plans at once are counted one after the other
  if private.is_guest() and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and private.plan_state(p) in ('polling', 'confirmed')
      and not exists (select 1 from private.sample_plans as s where s.plan_id = p.id)
  ) >= private.limit_of('guest_plans') then
    perform private.refuse('too_many_guest_plans');
  end if;
  if account_age < make_interval(days => private.limit_of('new_account_days')) and (
    select count(*) from public.plan_members as m
    join public.plans as p on p.id = m.plan_id
    where m.user_id = caller and m.role = 'host' and p.created_at > now() - interval '1 day'
  ) >= private.limit_of('plans_per_day') then
    perform private.refuse('too_many_plans');
  end if;

  insert into public.plans
    (circle_id, title, note, time_zone, vote_deadline, capacity, guests_may_propose, results_hidden,
     decides_itself)
  values
    (circle, private.trimmed(create_plan.title), private.trimmed(create_plan.note), create_plan.time_zone,
     create_plan.vote_deadline, create_plan.capacity, create_plan.guests_may_propose, create_plan.results_hidden,
     create_plan.decides_itself)
  returning id into new_plan;
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, caller, 'host');
  insert into public.plan_members (plan_id, user_id)
    select new_plan, person from (
      select distinct person from unnest(people) as person
      where person <> caller and person in (select private.invitable_people())
    ) as known;
  for entry in select * from jsonb_array_elements(times) loop
    perform private.add_time(new_plan, (entry ->> 'starts_at')::timestamptz, (entry ->> 'ends_at')::timestamptz);
  end loop;
  foreach place in array places loop
    perform private.add_place(new_plan, place);
  end loop;
  foreach named in array place_names loop
    perform private.add_named_place(new_plan, named);
  end loop;
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $function$;

CREATE OR REPLACE FUNCTION public.plan_candidates(plan uuid, most integer DEFAULT 60)
 RETURNS TABLE(place_id uuid, trips jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  middle point;
  diets public.diet[];
begin
  if not private.is_plan_member(plan) then
    return;
  end if;
  select point(avg(at.longitude), avg(at.latitude)) into middle from (
    select s.start_longitude as longitude, s.start_latitude as latitude
    from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
    where m.plan_id = plan and m.rsvp <> 'declined' and s.start_latitude is not null
  ) as at having count(*) > 0;
  if middle is null then
    select point(avg(p.longitude), avg(p.latitude)) into middle
      from public.place_options as o join public.places as p on p.id = o.place_id
      where o.plan_id = plan having count(*) > 0;
  end if;
  if middle is null then
    return;
  end if;
  select coalesce(array_agg(distinct diet), '{}') into diets
    from public.plan_members as m join public.profiles as who on who.id = m.user_id
    cross join unnest(who.diets) as diet
    where m.plan_id = plan and m.rsvp <> 'declined';
  return query
    with near as materialized (
      select p.id, p.latitude, p.longitude,
        point(p.longitude, p.latitude) operator(pg_catalog.<->) middle as distance
      from public.places as p
      where p.id <> all (array(
          select o.place_id from public.place_options as o where o.plan_id = plan_candidates.plan
        ))
        and (p.everybody or p.created_by = (select private.caller())
          or p.id = any (array(select private.my_place_ids())))
        and p.latitude is not null
        and private.diets_that_hold(p.safe_diets) operator(pg_catalog.@>) diets
      order by point(p.longitude, p.latitude) operator(pg_catalog.<->) middle
      limit least(greatest(most, 1), 200)
    ), starts as materialized (
      select m.user_id, private.grid_latitude(s.start_latitude) as latitude,
        private.grid_longitude(s.start_latitude, s.start_longitude) as longitude
      from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
      where m.plan_id = plan_candidates.plan and s.start_latitude is not null
    ), ends as materialized (
      select near.id, near.distance, private.grid_latitude(near.latitude) as latitude,
        private.grid_longitude(near.latitude, near.longitude) as longitude
      from near
    )
    select ends.id, coalesce((
      select jsonb_object_agg(starts.user_id,
        private.grid_minutes(starts.latitude, starts.longitude, ends.latitude, ends.longitude))
      from starts
    ), '{}')
    from ends order by ends.distance, ends.id;
end $function$;

CREATE OR REPLACE FUNCTION public.plan_trips(plan uuid, places uuid[] DEFAULT NULL::uuid[])
 RETURNS TABLE(place_id uuid, user_id uuid, minutes integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH starts AS MATERIALIZED (
          SELECT m.user_id,
             private.grid_latitude(s.start_latitude) AS latitude,
             private.grid_longitude(s.start_latitude, s.start_longitude) AS longitude
            FROM (public.plan_members m
              JOIN public.private_profiles s ON ((s.id = m.user_id)))
           WHERE ((m.plan_id = plan_trips.plan) AND (s.start_latitude IS NOT NULL) AND private.is_plan_member(plan_trips.plan))
         ), ends AS MATERIALIZED (
          SELECT p.id,
             private.grid_latitude(p.latitude) AS latitude,
             private.grid_longitude(p.latitude, p.longitude) AS longitude
            FROM (public.place_options o
              JOIN public.places p ON ((p.id = o.place_id)))
           WHERE ((o.plan_id = plan_trips.plan) AND (p.latitude IS NOT NULL) AND ((plan_trips.places IS NULL) OR (p.id = ANY (plan_trips.places))))
         )
  SELECT ends.id,
     starts.user_id,
     private.grid_minutes(starts.latitude, starts.longitude, ends.latitude, ends.longitude) AS grid_minutes
    FROM (ends
      CROSS JOIN starts);
END;

CREATE OR REPLACE FUNCTION public.propose_named_place(plan uuid, name text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
begin
  perform private.plan_for_proposal(plan);
  return private.add_named_place(plan, propose_named_place.name);
end $function$;

ALTER TABLE "public"."places" ADD CONSTRAINT "position_is_whole" CHECK (((latitude IS NULL) = (longitude IS NULL))) NOT VALID;

ALTER TABLE "public"."places" VALIDATE CONSTRAINT "position_is_whole";

REVOKE ALL ON FUNCTION "private"."add_named_place"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_named_place"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."create_plan"(text, text, text, uuid, jsonb, uuid[], uuid[], timestamp with time zone, integer, boolean, boolean, boolean, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_plan"(text, text, text, uuid, jsonb, uuid[], uuid[], timestamp with time zone, integer, boolean, boolean, boolean, text[]) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."propose_named_place"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."propose_named_place"(uuid, text) TO "authenticated", "postgres", "service_role";

CREATE OR REPLACE FUNCTION public.search_places(words text DEFAULT ''::text, diets public.diet[] DEFAULT '{}'::public.diet[], max_price integer DEFAULT 4, latitude double precision DEFAULT NULL::double precision, longitude double precision DEFAULT NULL::double precision, open_at timestamp with time zone DEFAULT NULL::timestamp with time zone, open_minutes integer DEFAULT 90, most integer DEFAULT 50)
 RETURNS SETOF public.places
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 WITH wanted AS (
          SELECT btrim(regexp_replace(private.plain("left"(search_places.words, 80)), '[^[:alnum:]]+'::text, ' '::text, 'g'::text)) AS text,
             to_tsquery('simple'::regconfig, NULLIF(array_to_string(ARRAY( SELECT (w.w || ':*'::text)
                    FROM regexp_split_to_table(private.plain("left"(search_places.words, 80)), '[^[:alnum:]]+'::text) w(w)
                   WHERE (w.w <> ''::text)), ' & '::text), ''::text)) AS query
         )
  SELECT p.id,
     p.name,
     p.about,
     p.cuisines,
     p.address,
     p.latitude,
     p.longitude,
     p.price,
     p.safe_diets,
     p.time_zone,
     p.source,
     p.created_by,
     p.created_at,
     p.updated_at,
     p.external_id,
     p.search_text,
     p.everybody
    FROM (public.places p
      CROSS JOIN wanted)
   WHERE (((wanted.text = ''::text) OR (to_tsvector('simple'::regconfig, p.search_text) @@ wanted.query) OR (extensions.word_similarity(wanted.text, p.search_text) > (0.45)::double precision)) AND (NOT (EXISTS ( SELECT 1
            FROM unnest(search_places.diets) wanted_diet(wanted_diet)
           WHERE ((wanted_diet.wanted_diet <> ALL (p.safe_diets)) AND (NOT ((wanted_diet.wanted_diet = ANY (ARRAY['vegetarian'::public.diet, 'pescatarian'::public.diet, 'lactose_free'::public.diet])) AND ('vegan'::public.diet = ANY (p.safe_diets)))) AND (NOT ((wanted_diet.wanted_diet = 'pescatarian'::public.diet) AND ('vegetarian'::public.diet = ANY (p.safe_diets)))))))) AND COALESCE((p.price <= search_places.max_price), true) AND ((search_places.open_at IS NULL) OR COALESCE(private.place_open_during(p.id, search_places.open_at, (search_places.open_at + make_interval(mins => search_places.open_minutes))), true)))
   ORDER BY
         CASE
             WHEN (wanted.text = ''::text) THEN 0
             WHEN (to_tsvector('simple'::regconfig, p.search_text) @@ plainto_tsquery('simple'::regconfig, wanted.text)) THEN 0
             WHEN (to_tsvector('simple'::regconfig, p.search_text) @@ wanted.query) THEN 1
             ELSE 2
         END,
         CASE
             WHEN (wanted.text = ''::text) THEN (0)::real
             ELSE (- extensions.word_similarity(wanted.text, private.plain(p.name)))
         END,
         CASE
             WHEN (search_places.latitude IS NOT NULL) THEN (power((p.latitude - search_places.latitude), (2)::double precision) + power(((p.longitude - search_places.longitude) * cos(radians(search_places.latitude))), (2)::double precision))
             ELSE NULL::double precision
         END, p.name, p.id
  LIMIT LEAST(GREATEST(search_places.most, 1), 500);
END;
