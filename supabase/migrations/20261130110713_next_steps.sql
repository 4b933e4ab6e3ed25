SET check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.next_step(plan text, state public.person_state, question text, hosts boolean, alone boolean, accepts boolean, decides boolean, placed boolean, today boolean, rates boolean, diet boolean, shares boolean, books boolean, unread boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN CASE plan WHEN 'polling'::text THEN CASE WHEN (hosts AND alone) THEN 'invite'::text WHEN (accepts AND (question IS NOT NULL)) THEN question WHEN (accepts AND diet AND (state <> 'not_coming'::public.person_state)) THEN 'diet'::text WHEN (hosts AND decides) THEN 'decide'::text WHEN (hosts AND accepts AND shares) THEN 'share'::text WHEN (unread AND (state <> 'not_coming'::public.person_state)) THEN 'chat'::text ELSE NULL::text END WHEN 'confirmed'::text THEN CASE WHEN (state = 'asked'::public.person_state) THEN 'rsvp'::text WHEN (hosts AND (NOT placed)) THEN 'place'::text WHEN (today AND (state = 'expected'::public.person_state)) THEN 'set_out'::text WHEN (hosts AND shares) THEN 'share'::text WHEN (hosts AND books) THEN 'book'::text WHEN (unread AND (state <> 'not_coming'::public.person_state)) THEN 'chat'::text ELSE NULL::text END WHEN 'done'::text THEN CASE WHEN ((state = 'was_there'::public.person_state) AND rates) THEN 'rate'::text ELSE NULL::text END ELSE NULL::text END;

REVOKE ALL ON FUNCTION "private"."next_step"(text, public.person_state, text, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_step"(text, public.person_state, text, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean, boolean) TO "postgres";

CREATE OR REPLACE FUNCTION private.unread_of(seat public.plan_members)
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT (count(*))::integer AS count FROM (SELECT 1 AS "?column?" FROM public.messages m WHERE ((m.plan_id = (unread_of.seat).plan_id) AND (m.author_id IS DISTINCT FROM (unread_of.seat).user_id) AND (m.deleted_at IS NULL) AND (m.created_at > COALESCE((SELECT r.read_at FROM public.message_reads r WHERE ((r.plan_id = (unread_of.seat).plan_id) AND (r.user_id = (unread_of.seat).user_id))), (unread_of.seat).joined_at))) LIMIT 100) unseen);

REVOKE ALL ON FUNCTION "private"."unread_of"(public.plan_members) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unread_of"(public.plan_members) TO "postgres";

CREATE OR REPLACE FUNCTION private.unreached(plan uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT m.user_id
    FROM public.plan_members m
   WHERE ((m.plan_id = unreached.plan) AND (m.rsvp <> 'declined'::public.rsvp_status) AND ((m.user_id)::text !~~ '00000000-0000-4000-8000-5a3b1e%'::text) AND (private.reach(m.plan_id, m.user_id) IS NULL));
END;

REVOKE ALL ON FUNCTION "private"."unreached"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unreached"(uuid) TO "postgres";

CREATE OR REPLACE FUNCTION private.steps_of(plan uuid, person uuid)
 RETURNS TABLE(user_id uuid, step text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select who.user_id, private.next_step(private.plan_state(p), who.state, private.open_question(m),
      is_host.yes, seats.alone, options.upcoming and coalesce(p.vote_deadline > now(), true),
      options.upcoming and not p.decides_itself and p.proposed_time_id is null
        and (p.vote_deadline <= now() or not seats.asked),
      p.chosen_place_id is not null,
      meal.starts_at - make_interval(hours => private.limit_of('arrival_opens_hours')) <= now(),
      meal.ends_at > now() - interval '14 days' and not exists (
        select 1 from public.ratings as r where r.plan_id = p.id and r.user_id = m.user_id),
      mine.asked_at is null and not shown.diets_known,
      -- Of the people whom no message reaches, one whose answer is missing.
      case when is_host.yes and p.status <> 'cancelled' then exists (
        select 1 from private.unreached(p.id) as other (id)
        join public.plan_members as s on s.plan_id = p.id and s.user_id = other.id
        join private.plan_people(p.id) as asked on asked.user_id = other.id
        where other.id <> m.user_id
          and case p.status when 'polling' then private.open_question(s) is not null else asked.state = 'asked' end) end,
      case when is_host.yes and meal.starts_at > now() and (kitchen.phone <> '' or kitchen.booking_url <> '') then (
        select sum(one.seats) > 0 and p.booked_seats is distinct from sum(one.seats) from private.plan_people(p.id) as one) end,
      private.unread_of(m) > 0)
    from public.plans as p
    left join public.time_options as meal on meal.id = p.chosen_time_id
    left join public.place_options as chosen on chosen.id = p.chosen_place_id
    left join public.places as kitchen on kitchen.id = chosen.place_id
    cross join lateral (
      select count(*) = 1 as alone, bool_or(private.open_question(s) is not null) as asked
      from public.plan_members as s where s.plan_id = p.id
    ) as seats
    cross join lateral (
      select exists (select 1 from public.time_options as o where o.plan_id = p.id and o.starts_at > now()) as upcoming
    ) as options
    cross join lateral private.plan_people(p.id) as who
    join public.plan_members as m on m.plan_id = p.id and m.user_id = who.user_id
    join public.profiles as shown on shown.id = m.user_id
    left join public.private_profiles as mine on mine.id = m.user_id
    cross join lateral (select m.role in ('host', 'cohost') as yes) as is_host
    where p.id = steps_of.plan and m.user_id = coalesce(steps_of.person, m.user_id);
end $function$;

REVOKE ALL ON FUNCTION "private"."steps_of"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."steps_of"(uuid, uuid) TO "postgres";

CREATE OR REPLACE FUNCTION private.plan_next(plan uuid)
 RETURNS TABLE(user_id uuid, step text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT n.user_id,
     n.step
    FROM private.steps_of(plan_next.plan, NULL::uuid) n(user_id, step);
END;

CREATE OR REPLACE FUNCTION private.my_next_step(plan uuid)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT n.step FROM private.steps_of(my_next_step.plan, (SELECT private.caller() AS caller)) n(user_id, step));

DROP FUNCTION "private"."next_step"(text, public.person_state, text, boolean, boolean, boolean, boolean, boolean, boolean, boolean);

CREATE OR REPLACE FUNCTION public.plan_unreachable(plan uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  elsif not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  end if;
  return query select other.id from private.unreached(plan) as other (id) where other.id <> caller;
end $function$;

CREATE OR REPLACE FUNCTION public.unread_counts()
 RETURNS TABLE(plan_id uuid, unread integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT seat.plan_id,
     counted.unread
    FROM (public.plan_members seat
      CROSS JOIN LATERAL private.unread_of(seat.*) counted(unread))
   WHERE ((seat.user_id = ( SELECT private.require_caller() AS require_caller)) AND (counted.unread > 0));
END;

RESET check_function_bodies;
