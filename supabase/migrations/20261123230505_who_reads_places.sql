set local check_function_bodies = off;

DROP POLICY "places of a circle are added by its members" ON "public"."circle_places";

-- lint: allow access: a narrower one takes its place below.
DROP POLICY "claims are read by everyone signed in" ON "public"."place_diet_claims";

-- lint: allow access: a narrower one takes its place below.
DROP POLICY "hours are read by everyone signed in" ON "public"."place_hours";

-- lint: allow access: a narrower one takes its place below.
DROP POLICY "places are read by everyone signed in" ON "public"."places";

DROP POLICY "saved places are added by their person" ON "public"."saved_places";

ALTER TABLE "public"."places" ADD COLUMN "everybody" boolean NOT NULL DEFAULT false;

-- Found places were always everybody's; a member's are read where they are offered, listed or saved.
update public.places set everybody = true where source <> 'member';

CREATE OR REPLACE FUNCTION private.add_place(plan uuid, place uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  option uuid;
begin
  -- Whose table it is offered at reads it: an id alone must not open it.
  if not private.reads_place(place) then
    perform private.refuse('place_not_found');
  end if;
  insert into public.place_options (plan_id, place_id, proposed_by)
    values (plan, place, (select private.caller())) returning id into option;
  return option;
exception
  when unique_violation then perform private.refuse('place_duplicate');
  when foreign_key_violation then perform private.refuse('place_not_found');
end $function$;

CREATE OR REPLACE FUNCTION private.my_place_ids()
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 100
 SET search_path TO ''
BEGIN ATOMIC
 SELECT o.place_id
    FROM public.place_options o
   WHERE (o.plan_id IN ( SELECT private.my_plan_ids() AS my_plan_ids))
 UNION
  SELECT c.place_id
    FROM public.circle_places c
   WHERE (c.circle_id IN ( SELECT private.my_circle_ids() AS my_circle_ids))
 UNION
  SELECT s.place_id
    FROM public.saved_places s
   WHERE (s.user_id = ( SELECT private.caller() AS caller));
END;

CREATE OR REPLACE FUNCTION private.reads_place(place uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (EXISTS (SELECT 1 FROM public.places p WHERE ((p.id = reads_place.place) AND (p.everybody OR (p.created_by = (SELECT private.caller() AS caller)) OR (p.id = ANY (ARRAY(SELECT private.my_place_ids() AS my_place_ids)))))));

CREATE OR REPLACE FUNCTION private.standing_places(dinner public.standing_dinners)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH known AS (
          SELECT o.place_id,
             max(t.starts_at) AS eaten_at
            FROM ((public.plans p
              JOIN public.place_options o ON ((o.plan_id = p.id)))
              LEFT JOIN public.time_options t ON (((t.id = p.chosen_time_id) AND (p.chosen_place_id = o.id) AND (p.status = 'confirmed'::public.plan_status))))
           WHERE (p.circle_id = (standing_places.dinner).circle_id)
           GROUP BY o.place_id
         ), rated AS (
          SELECT r.place_id,
             avg(r.stars) AS stars
            FROM ((public.ratings r
              JOIN public.plans p ON (((p.id = r.plan_id) AND (p.circle_id = (standing_places.dinner).circle_id))))
              JOIN public.circle_members c ON (((c.circle_id = (standing_places.dinner).circle_id) AND (c.user_id = r.user_id))))
           GROUP BY r.place_id
         )
  SELECT known.place_id
    FROM ((known
      JOIN public.places k ON ((k.id = known.place_id)))
      LEFT JOIN rated ON ((rated.place_id = known.place_id)))
   WHERE (k.everybody OR (EXISTS ( SELECT 1
            FROM public.circle_places c
           WHERE ((c.circle_id = (standing_places.dinner).circle_id) AND (c.place_id = known.place_id)))) OR (NOT (EXISTS ( SELECT 1
            FROM public.circle_members c
           WHERE ((c.circle_id = (standing_places.dinner).circle_id) AND (c.user_id IS DISTINCT FROM k.created_by) AND (NOT (EXISTS ( SELECT 1
                    FROM (public.place_options o
                      JOIN public.plan_members m ON (((m.plan_id = o.plan_id) AND (m.user_id = c.user_id))))
                   WHERE (o.place_id = known.place_id)))))))))
   ORDER BY ((known.eaten_at IS NOT NULL) AND (known.eaten_at = ( SELECT max(k_1.eaten_at) AS max
            FROM known k_1))), (round(COALESCE(rated.stars, (3)::numeric))) DESC, known.eaten_at NULLS FIRST, known.place_id
  LIMIT ( SELECT private.limit_of('standing_places'::text) AS limit_of);
END;

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

CREATE OR REPLACE FUNCTION public.save_place(fields jsonb, hours jsonb DEFAULT '[]'::jsonb, place uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  kept uuid := place;
  given record;
begin
  select * into given from jsonb_to_record(fields) as f (
    name text, about text, cuisines text[], address text, latitude double precision, longitude double precision,
    price smallint, safe_diets public.diet[], time_zone text, source public.place_source, external_id text,
    everybody boolean);
  if kept is null then
    insert into public.places as p
      (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by, source,
        external_id, everybody)
    values (
      given.name, coalesce(given.about, ''), coalesce(given.cuisines, '{}'), coalesce(given.address, ''),
      given.latitude, given.longitude, given.price, coalesce(given.safe_diets, '{}'), given.time_zone,
      caller, coalesce(given.source, 'member'), given.external_id,
      coalesce(given.everybody, false) or coalesce(given.source, 'member') <> 'member')
    returning p.id into kept;
  else
    update public.places as p set
      name = given.name, about = coalesce(given.about, ''), cuisines = coalesce(given.cuisines, '{}'),
      address = coalesce(given.address, ''), latitude = given.latitude, longitude = given.longitude,
      price = given.price, safe_diets = coalesce(given.safe_diets, '{}'), time_zone = given.time_zone,
      -- What others read already is not taken from them.
      everybody = p.everybody or coalesce(given.everybody, false)
    where p.id = kept;
    if not found then
      raise exception using errcode = '42501', message = 'Only who added a place can change it.';
    end if;
  end if;
  delete from public.place_hours as h where h.place_id = kept;
  insert into public.place_hours (place_id, weekday, opens, closes)
    select kept, h.weekday, h.opens, h.closes
    from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);
  return kept;
end $function$;

CREATE OR REPLACE FUNCTION public.say_diet(place uuid, diet public.diet, holds boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.start_sample_plan(title text, note text, hello text, time_zone text DEFAULT 'UTC'::text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  new_plan uuid;
  made_up constant uuid[] := array[
    '00000000-0000-4000-8000-5a3b1e000001', '00000000-0000-4000-8000-5a3b1e000002',
    '00000000-0000-4000-8000-5a3b1e000003', '00000000-0000-4000-8000-5a3b1e000004'
  ];
  day date;
  evening timestamptz;
begin
  -- Two clicks at once get one table.
  perform 1 from public.profiles as p where p.id = caller for update;
  select s.plan_id into new_plan from private.sample_plans as s where s.person = caller;
  if new_plan is not null then
    return new_plan;
  end if;

  insert into public.plans (title, note, time_zone, vote_deadline)
    values (private.trimmed(start_sample_plan.title), private.trimmed(start_sample_plan.note),
      start_sample_plan.time_zone, now() + interval '3 days')
    returning id into new_plan;
  insert into private.sample_plans (plan_id, person) values (new_plan, caller);
  insert into public.plan_members (plan_id, user_id, role) values (new_plan, caller, 'host');
  insert into public.plan_members (plan_id, user_id) select new_plan, person from unnest(made_up) as person;
  -- The next three evenings that are at least four days away.
  for ahead in 4..6 loop
    day := (now() at time zone start_sample_plan.time_zone)::date + ahead;
    evening := (day + time '19:30') at time zone start_sample_plan.time_zone;
    perform private.add_time(new_plan, evening, evening + interval '2 hours');
  end loop;
  insert into public.place_options (plan_id, place_id, proposed_by)
    select new_plan, p.id, made_up[1] from public.places as p
    where p.everybody order by p.created_at, p.id limit 3;
  -- The first evening suits most, the second everybody if need be, the third half of them.
  insert into public.time_votes (option_id, plan_id, user_id, answer)
  select o.id, new_plan, person.id,
    (array['yes', 'yes', 'yes', 'if_need_be', 'if_need_be', 'yes', 'if_need_be', 'yes', 'no', 'yes', 'yes', 'no']
      )[(o.at - 1) * 4 + person.at]::public.vote_answer
  from (select t.id, row_number() over (order by t.starts_at) as at from public.time_options as t where t.plan_id = new_plan) as o
  cross join unnest(made_up) with ordinality as person (id, at);
  insert into public.place_votes (option_id, plan_id, user_id, answer)
  select o.id, new_plan, person.id,
    (array['yes', 'if_need_be', 'yes', 'yes', 'no', 'yes', 'yes', 'if_need_be', 'if_need_be', 'yes', 'no', 'yes']
      )[(o.at - 1) * 4 + person.at]::public.vote_answer
  from (select p.id, row_number() over (order by p.id) as at from public.place_options as p where p.plan_id = new_plan) as o
  cross join unnest(made_up) with ordinality as person (id, at);
  insert into public.messages (plan_id, author_id, client_id, body)
    values (new_plan, made_up[1], gen_random_uuid(), private.trimmed(start_sample_plan.hello));
  return new_plan;
end $function$;

ALTER TABLE "public"."places" ADD CONSTRAINT "found_places_are_everybodys" CHECK (((source = 'member'::public.place_source) OR everybody)) NOT VALID;

ALTER TABLE "public"."places" VALIDATE CONSTRAINT "found_places_are_everybodys";

CREATE POLICY "places of a circle are added by its members" ON "public"."circle_places" FOR INSERT TO "authenticated" WITH CHECK (((circle_id = ANY (ARRAY( SELECT private.my_circle_ids() AS my_circle_ids))) AND (put_by = ( SELECT private.caller() AS caller)) AND (EXISTS ( SELECT 1
   FROM public.places p
  WHERE (p.id = circle_places.place_id)))));

CREATE POLICY "claims are read with their place" ON "public"."place_diet_claims" FOR SELECT TO "authenticated" USING (((( SELECT private.caller() AS caller) IS NOT NULL) AND (EXISTS ( SELECT 1
   FROM public.places p
  WHERE (p.id = place_diet_claims.place_id)))));

CREATE POLICY "hours are read with their place" ON "public"."place_hours" FOR SELECT TO "authenticated" USING (((( SELECT private.caller() AS caller) IS NOT NULL) AND (EXISTS ( SELECT 1
   FROM public.places p
  WHERE (p.id = place_hours.place_id)))));

CREATE POLICY "places are read by whom they belong to" ON "public"."places" FOR SELECT TO "authenticated" USING (((( SELECT private.caller() AS caller) IS NOT NULL) AND (everybody OR (created_by = ( SELECT private.caller() AS caller)) OR (id = ANY (ARRAY( SELECT private.my_place_ids() AS my_place_ids))))));

CREATE POLICY "saved places are added by their person" ON "public"."saved_places" FOR INSERT TO "authenticated" WITH CHECK (((user_id = ( SELECT private.caller() AS caller)) AND (EXISTS ( SELECT 1
   FROM public.places p
  WHERE (p.id = saved_places.place_id)))));

REVOKE ALL ON FUNCTION "private"."my_place_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_place_ids"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "private"."reads_place"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reads_place"(uuid) TO "postgres";

REVOKE ALL ("everybody") ON TABLE "public"."places" FROM "authenticated";

GRANT INSERT ("everybody"), UPDATE ("everybody") ON TABLE "public"."places" TO "authenticated";

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
           WHERE ((wanted_diet.wanted_diet <> ALL (p.safe_diets)) AND (NOT ((wanted_diet.wanted_diet = ANY (ARRAY['vegetarian'::public.diet, 'pescatarian'::public.diet, 'lactose_free'::public.diet])) AND ('vegan'::public.diet = ANY (p.safe_diets)))) AND (NOT ((wanted_diet.wanted_diet = 'pescatarian'::public.diet) AND ('vegetarian'::public.diet = ANY (p.safe_diets)))))))) AND (p.price <= search_places.max_price) AND ((search_places.open_at IS NULL) OR COALESCE(private.place_open_during(p.id, search_places.open_at, (search_places.open_at + make_interval(mins => search_places.open_minutes))), true)))
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
