set local check_function_bodies = off;

-- lint: allow access: replaced below, by who may change the place
DROP POLICY "hours are added by who added the place" ON "public"."place_hours";

-- lint: allow access: replaced below, by who may change the place
DROP POLICY "hours are changed by who added the place" ON "public"."place_hours";

-- lint: allow access: replaced below, by who may change the place
DROP POLICY "hours are removed by who added the place" ON "public"."place_hours";

-- lint: allow access: replaced below, by who may change the place
DROP POLICY "places are changed by who added them" ON "public"."places";

DROP FUNCTION "private"."add_named_place"(uuid, text);

DROP FUNCTION "public"."create_plan"(text, text, text, uuid, jsonb, uuid[], uuid[], timestamp with time zone, integer, boolean, boolean, boolean, text[]);

DROP FUNCTION "public"."propose_named_place"(uuid, text);

CREATE OR REPLACE FUNCTION private.add_named_place(plan uuid, name text, details jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  place uuid;
  given record;
begin
  select * into given from jsonb_to_record(add_named_place.details) as d (
    address text, latitude double precision, longitude double precision, time_zone text, home boolean);
  if exists (
    select 1 from public.place_options as o join public.places as p on p.id = o.place_id
    where o.plan_id = add_named_place.plan
      and private.plain(p.name) = private.plain(private.trimmed(add_named_place.name))
  ) then
    perform private.refuse('place_duplicate');
  end if;
  insert into public.places as p (name, time_zone, created_by, home, address, latitude, longitude)
    select add_named_place.name, coalesce(given.time_zone, this.time_zone), (select private.caller()),
      coalesce(given.home, false), case when given.home then '' else coalesce(given.address, '') end,
      case when not coalesce(given.home, false) then given.latitude end,
      case when not coalesce(given.home, false) then given.longitude end
    from public.plans as this where this.id = plan
    returning p.id into place;
  if given.home and private.trimmed(given.address) <> '' then
    perform public.save_home(place, given.address, given.latitude, given.longitude);
  end if;
  return private.add_place(plan, place);
end $function$;

CREATE OR REPLACE FUNCTION private.my_editable_place_ids()
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 100
 SET search_path TO ''
BEGIN ATOMIC
 SELECT p.id
    FROM public.places p
   WHERE ((p.created_by = ( SELECT private.caller() AS caller)) AND (NOT ( SELECT private.is_guest() AS is_guest)))
 UNION
  SELECT p.id
    FROM (public.place_options o
      JOIN public.places p ON ((p.id = o.place_id)))
   WHERE ((o.plan_id IN ( SELECT private.my_plan_ids() AS my_plan_ids)) AND (NOT p.everybody) AND (NOT p.home) AND (NOT (EXISTS ( SELECT 1
            FROM public.circle_places c
           WHERE (c.place_id = p.id)))));
END;

CREATE OR REPLACE FUNCTION public.create_plan(title text, time_zone text, note text DEFAULT ''::text, circle uuid DEFAULT NULL::uuid, times jsonb DEFAULT '[]'::jsonb, places uuid[] DEFAULT '{}'::uuid[], people uuid[] DEFAULT '{}'::uuid[], vote_deadline timestamp with time zone DEFAULT NULL::timestamp with time zone, capacity integer DEFAULT NULL::integer, guests_may_propose boolean DEFAULT true, results_hidden boolean DEFAULT false, decides_itself boolean DEFAULT false, new_places jsonb DEFAULT '[]'::jsonb)
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
  elsif private.is_guest() and not private.count_daily_use(
    'guest plan network ' || private.network_of_caller(), private.limit_of('guest_plans_per_network')
  ) then
    perform private.refuse('too_many_plans');
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
  for entry in select * from jsonb_array_elements(new_places) loop
    perform private.add_named_place(new_plan, entry ->> 'name', entry);
  end loop;
  perform private.notify_table(new_plan, 'plan_invited');
  return new_plan;
end $function$;

CREATE OR REPLACE FUNCTION public.propose_named_place(plan uuid, name text, details jsonb DEFAULT '{}'::jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
begin
  perform private.plan_for_option(plan);
  return private.add_named_place(plan, propose_named_place.name, propose_named_place.details);
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
      -- The address of a home is saved by save_home.
      address = case when p.home then '' else coalesce(given.address, '') end,
      latitude = case when not p.home then given.latitude end, longitude = case when not p.home then given.longitude end,
      price = given.price, safe_diets = coalesce(given.safe_diets, '{}'), time_zone = given.time_zone,
      -- What others read already is not taken from them.
      everybody = p.everybody or not p.home and coalesce(given.everybody, false)
    where p.id = kept;
    if not found then
      raise exception using errcode = '42501', message = 'This place is changed by who added it.';
    end if;
  end if;
  delete from public.place_hours as h where h.place_id = kept;
  insert into public.place_hours (place_id, weekday, opens, closes)
    select kept, h.weekday, h.opens, h.closes
    from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);
  return kept;
end $function$;

CREATE POLICY "hours are added by who may change the place" ON "public"."place_hours" FOR INSERT TO "authenticated" WITH CHECK ((place_id = ANY (ARRAY( SELECT private.my_editable_place_ids() AS my_editable_place_ids))));

CREATE POLICY "hours are changed by who may change the place" ON "public"."place_hours" FOR UPDATE TO "authenticated" USING ((place_id = ANY (ARRAY( SELECT private.my_editable_place_ids() AS my_editable_place_ids))));

CREATE POLICY "hours are removed by who may change the place" ON "public"."place_hours" FOR DELETE TO "authenticated" USING ((place_id = ANY (ARRAY( SELECT private.my_editable_place_ids() AS my_editable_place_ids))));

CREATE POLICY "places are changed by who added them and by their tables" ON "public"."places" FOR UPDATE TO "authenticated" USING ((id = ANY (ARRAY( SELECT private.my_editable_place_ids() AS my_editable_place_ids)))) WITH CHECK (((created_by = ( SELECT private.caller() AS caller)) OR (NOT everybody)));

REVOKE ALL ON FUNCTION "private"."add_named_place"(uuid, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_named_place"(uuid, text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."my_editable_place_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_editable_place_ids"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."create_plan"(text, text, text, uuid, jsonb, uuid[], uuid[], timestamp with time zone, integer, boolean, boolean, boolean, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_plan"(text, text, text, uuid, jsonb, uuid[], uuid[], timestamp with time zone, integer, boolean, boolean, boolean, jsonb) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."propose_named_place"(uuid, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."propose_named_place"(uuid, text, jsonb) TO "authenticated", "postgres", "service_role";
