set local check_function_bodies = off;

ALTER TABLE "public"."plans" DROP CONSTRAINT "choice_is_whole";

ALTER TABLE "public"."plans" DROP CONSTRAINT "proposal_is_whole";

DROP FUNCTION "public"."change_choice"(uuid, uuid, uuid, uuid, uuid, uuid[]);

ALTER TABLE "public"."ratings" ALTER COLUMN "place_id" DROP NOT NULL;

ALTER TYPE "public"."mail_kind" ADD VALUE 'plan_placed' AFTER 'plan_moved';

ALTER TYPE "public"."notification_kind" ADD VALUE 'plan_placed' AFTER 'plan_moved';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.calendar_events(person uuid, plan uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(events.event ORDER BY (events.event ->> 'starts_at'::text)), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT jsonb_build_object('plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision, 'status', private.plan_state(p.*), 'rsvp', m.rsvp, 'starts_at', t.starts_at, 'ends_at', t.ends_at, 'time_zone', p.time_zone, 'place', k.name, 'address', k.address, 'latitude', k.latitude, 'longitude', k.longitude, 'people', ( SELECT count(*) AS count
                    FROM public.plan_members c
                   WHERE ((c.plan_id = p.id) AND (c.rsvp = 'going'::public.rsvp_status))), 'created_at', p.created_at, 'updated_at', p.updated_at) AS event
            FROM ((((public.plan_members m
              JOIN public.plans p ON ((p.id = m.plan_id)))
              JOIN public.time_options t ON ((t.id = p.chosen_time_id)))
              LEFT JOIN public.place_options o ON ((o.id = p.chosen_place_id)))
              LEFT JOIN public.places k ON ((k.id = o.place_id)))
           WHERE ((m.user_id = calendar_events.person) AND ((calendar_events.plan IS NULL) OR (p.id = calendar_events.plan)) AND (t.ends_at > (now() - '90 days'::interval)))
           ORDER BY t.starts_at DESC
          LIMIT 500) events;
END;

CREATE OR REPLACE FUNCTION private.check_choice(plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  meal public.time_options;
  place uuid;
begin
  select * into meal from public.time_options as o where o.id = time_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if meal.starts_at <= now() and not exists (
    select 1 from public.plans as p where p.id = plan and p.chosen_time_id = time_option and p.chosen_place_id is null
  ) then
    perform private.refuse('time_in_past');
  end if;
  if place_option is null then
    return;
  end if;
  select o.place_id into place from public.place_options as o where o.id = place_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if not coalesce(private.place_open_during(place, meal.starts_at, meal.ends_at), true) then
    perform private.refuse('place_closed');
  end if;
  if exists (
    select 1 from private.unsafe_for(plan, time_option, place) as person
    where person <> all (coalesce(check_choice.unsafe_for, '{}'))
  ) then
    perform private.refuse('unsafe_for_some');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.clear_ready()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.chosen_time_id is distinct from old.chosen_time_id
    or old.chosen_place_id is not null and new.chosen_place_id is distinct from old.chosen_place_id then
    new.ready_at := null;
    new.ready_by := null;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.is_addition(kind text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN (kind = ANY (ARRAY['plan_changed'::text, 'plan_placed'::text]));

CREATE OR REPLACE FUNCTION private.mail_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from told as n
    where n.kind = 'vote_nudge' or private.is_addition(n.kind::text) or private.is_decision(n.kind::text)) then
    return null;
  end if;
  delete from private.outgoing_mail as m using told as n, auth.users as u
    where u.id = n.user_id and m.address = lower(u.email) and m.plan_id = n.plan_id
      and private.is_addition(m.kind::text) and (n.kind::text = m.kind::text or private.is_decision(n.kind::text))
      and m.sent_at is null and m.taken_at is null;
  insert into private.mail_recipients (address)
    select distinct lower(u.email) from told as n
    join auth.users as u on u.id = n.user_id
    where (n.kind = 'vote_nudge' or private.is_addition(n.kind::text)) and u.email is not null and u.email_confirmed_at is not null
    on conflict do nothing;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language)
    select r.address, n.kind::text::public.mail_kind, n.plan_id, n.actor_id, p.language
    from told as n
    join auth.users as u on u.id = n.user_id and u.email_confirmed_at is not null
    join public.private_profiles as p on p.id = u.id and p.mail_reminders
    join private.mail_recipients as r on r.address = lower(u.email) and r.no_reminders_since is null
    where (n.kind = 'vote_nudge' or private.is_addition(n.kind::text)) and not (n.kind <> 'vote_nudge' and exists (
      select 1 from private.outgoing_mail as m
      where m.address = r.address and m.plan_id = n.plan_id and private.is_decision(m.kind::text)
        and m.sent_at is null and m.taken_at is null
    ));
  if exists (select 1 from told as n where n.kind = 'vote_nudge') then
    perform private.deliver_mail();
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.plan_for_place(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans := private.plan_of_caller(plan, false);
begin
  if this.status <> 'confirmed' then
    perform private.plan_for_proposal(plan);
  elsif not private.is_plan_host(plan) then
    perform private.refuse('not_host');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.push_notifications()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Of several decisions that wait for a device only the newest is sent.
  delete from private.outgoing_push as m using told as n
    where m.plan_id = n.plan_id and m.user_id = n.user_id and m.taken_at is null
      and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text)) and private.is_decision(n.kind::text);
  insert into private.outgoing_push (subscription_id, plan_id, user_id, kind)
    select s.id, n.plan_id, n.user_id, n.kind
    from told as n
    join public.push_subscriptions as s on s.user_id = n.user_id
    join public.plan_members as seat on seat.plan_id = n.plan_id and seat.user_id = n.user_id
    where (private.is_decision(n.kind::text)
        or private.is_addition(n.kind::text) or n.kind in ('vote_nudge', 'vote_reminder', 'plan_tomorrow', 'seat_freed', 'standing_planned'))
      and not (private.is_addition(n.kind::text) and exists (
        select 1 from private.outgoing_push as m
        where m.subscription_id = s.id and m.plan_id = n.plan_id and m.taken_at is null
          and (private.is_decision(m.kind::text) or m.kind = n.kind)
      ));
  if found then
    perform private.deliver_push();
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.change_choice(plan uuid, was_time uuid, time_option uuid, was_place uuid DEFAULT NULL::uuid, place_option uuid DEFAULT NULL::uuid, unsafe_for uuid[] DEFAULT '{}'::uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  is_move boolean := this.chosen_time_id <> time_option or this.chosen_place_id is not null;
  told text := case when is_move then 'plan_moved' else 'plan_placed' end;
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (this.chosen_time_id, this.chosen_place_id) is not distinct from (time_option, place_option) then
    return;
  elsif (this.chosen_time_id, this.chosen_place_id) is distinct from (was_time, was_place) then
    perform private.refuse('choice_changed');
  end if;
  perform private.check_choice(plan, time_option, place_option, change_choice.unsafe_for);
  update public.plans as p set chosen_time_id = time_option, chosen_place_id = place_option, revision = p.revision + 1
    where p.id = change_choice.plan;
  if is_move then
    update public.plan_members as m
      set rsvp = case m.role when 'host' then 'going' else 'pending' end::public.rsvp_status, waitlisted_at = null
      where m.plan_id = change_choice.plan and (m.rsvp <> 'declined' or m.role = 'host');
    delete from public.arrivals as a where a.plan_id = change_choice.plan;
  end if;
  -- Several changes are one line in the activity, until it was read.
  delete from public.notifications as n
    where n.plan_id = change_choice.plan and n.kind::text in (told, 'plan_placed') and n.read_at is null;
  perform private.notify_table(plan, told::public.notification_kind);
end $function$;

CREATE OR REPLACE FUNCTION public.confirm_plan(plan uuid, time_option uuid, place_option uuid DEFAULT NULL::uuid, unsafe_for uuid[] DEFAULT '{}'::uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_polling(this);
  perform private.settle_plan(plan, time_option, place_option, confirm_plan.unsafe_for);
end $function$;

CREATE OR REPLACE FUNCTION public.propose_choice(plan uuid, deadline timestamp with time zone, revision integer, time_option uuid, place_option uuid DEFAULT NULL::uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans := private.plan_to_decide(plan, deadline, revision);
  meal public.time_options;
  place uuid;
begin
  if this.id is null then
    return false;
  end if;
  select * into meal from public.time_options as o where o.id = time_option and o.plan_id = plan;
  select o.place_id into place from public.place_options as o where o.id = place_option and o.plan_id = plan;
  if meal.id is null
    or place is null and (
      place_option is not null or exists (select 1 from public.place_options as o where o.plan_id = propose_choice.plan))
    or meal.starts_at - make_interval(
      hours => private.limit_of('veto_ends_hours'), mins => private.limit_of('veto_least_minutes')) <= now()
    or not coalesce(private.place_open_during(place, meal.starts_at, meal.ends_at), true)
    or exists (select 1 from private.unsafe_for(plan, time_option, place)) then
    return false;
  end if;
  perform set_config('nosh.decides_itself', 'on', true);
  update public.plans as p set decided_deadline = deadline, undecided = null,
      proposed_time_id = time_option, proposed_place_id = place_option, proposed_at = now(),
      veto_until = least(
        now() + make_interval(hours => private.limit_of('veto_hours')),
        meal.starts_at - make_interval(hours => private.limit_of('veto_ends_hours')))
    where p.id = plan;
  perform private.notify_table(plan, 'plan_proposed');
  perform set_config('nosh.decides_itself', '', true);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.propose_named_place(plan uuid, name text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
begin
  perform private.plan_for_place(plan);
  return private.add_named_place(plan, propose_named_place.name);
end $function$;

CREATE OR REPLACE FUNCTION public.propose_place(plan uuid, place uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
begin
  perform private.plan_for_place(plan);
  return private.add_place(plan, place);
end $function$;

CREATE OR REPLACE FUNCTION public.rate_plan(plan uuid, stars integer, comment text DEFAULT ''::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  if private.plan_state(this) <> 'done' then
    perform private.refuse('plan_not_done');
  end if;
  insert into public.ratings as r (plan_id, user_id, place_id, stars, comment)
    values (plan, caller, (select o.place_id from public.place_options as o where o.id = this.chosen_place_id),
      rate_plan.stars, private.trimmed(rate_plan.comment))
    on conflict on constraint ratings_pkey
    do update set stars = excluded.stars, comment = excluded.comment, place_id = excluded.place_id;
end $function$;

CREATE OR REPLACE FUNCTION public.take_mail(most integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH taken AS (
          UPDATE private.outgoing_mail m_1 SET taken_at = now(), attempts = (m_1.attempts + 1)
           WHERE (m_1.id IN ( SELECT w.id
                    FROM private.outgoing_mail w
                   WHERE ((w.sent_at IS NULL) AND (w.attempts < 5) AND ((w.taken_at IS NULL) OR (w.taken_at < (now() - '00:10:00'::interval))))
                   ORDER BY w.created_at
                  LIMIT LEAST(take_mail.most, 100)
                  FOR UPDATE OF w SKIP LOCKED))
           RETURNING m_1.id,
             m_1.address,
             m_1.kind,
             m_1.plan_id,
             m_1.sender_id,
             m_1.language,
             m_1.secret,
             m_1.created_at,
             m_1.taken_at,
             m_1.attempts,
             m_1.sent_at,
             m_1.failure
         )
  SELECT COALESCE(jsonb_agg(jsonb_build_object('id', m.id, 'address', m.address, 'kind', m.kind, 'language', m.language, 'secret', m.secret, 'unsubscribe', r.token, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline, 'veto_until', p.veto_until, 'veto_reason', p.veto_reason, 'vetoed_by', ( SELECT split_part(v.display_name, ' '::text, 1) AS split_part
            FROM public.profiles v
           WHERE (v.id = p.vetoed_by)), 'undecided', p.undecided, 'starts_at', t.starts_at, 'place', k.name, 'address_of_place', k.address, 'host', split_part(h.display_name, ' '::text, 1), 'sender', split_part(s.display_name, ' '::text, 1), 'people', ( SELECT count(*) AS count
            FROM public.plan_members c
           WHERE (c.plan_id = p.id)), 'event',
         CASE
             WHEN ((m.kind <> 'plan_proposed'::public.mail_kind) AND (t.id IS NOT NULL)) THEN jsonb_build_object('plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision, 'status', private.plan_state(p.*), 'rsvp', COALESCE(( SELECT (m2.rsvp)::text AS rsvp
                FROM (public.plan_members m2
                  JOIN auth.users u ON ((u.id = m2.user_id)))
               WHERE ((m2.plan_id = p.id) AND (lower((u.email)::text) = m.address))), 'pending'::text), 'starts_at', t.starts_at, 'ends_at', t.ends_at, 'place', k.name, 'address', k.address, 'latitude', k.latitude, 'longitude', k.longitude, 'people', ( SELECT count(*) AS count
                FROM public.plan_members c
               WHERE ((c.plan_id = p.id) AND (c.rsvp = 'going'::public.rsvp_status))), 'created_at', p.created_at, 'updated_at', p.updated_at)
             ELSE NULL::jsonb
         END) ORDER BY m.created_at), '[]'::jsonb) AS "coalesce"
    FROM ((((((((taken m
      JOIN private.mail_recipients r ON ((r.address = m.address)))
      JOIN public.plans p ON ((p.id = m.plan_id)))
      LEFT JOIN public.time_options t ON ((t.id =
         CASE m.kind
             WHEN 'plan_proposed'::public.mail_kind THEN p.proposed_time_id
             ELSE p.chosen_time_id
         END)))
      LEFT JOIN public.place_options o ON ((o.id =
         CASE m.kind
             WHEN 'plan_proposed'::public.mail_kind THEN p.proposed_place_id
             ELSE p.chosen_place_id
         END)))
      LEFT JOIN public.places k ON ((k.id = o.place_id)))
      LEFT JOIN public.plan_members hm ON (((hm.plan_id = p.id) AND (hm.role = 'host'::public.plan_role))))
      LEFT JOIN public.profiles h ON ((h.id = hm.user_id)))
      LEFT JOIN public.profiles s ON ((s.id = m.sender_id)));
END;

ALTER TABLE "public"."plans" ADD CONSTRAINT "choice_is_whole" CHECK (((chosen_time_id IS NOT NULL) OR (chosen_place_id IS NULL))) NOT VALID;

ALTER TABLE "public"."plans" VALIDATE CONSTRAINT "choice_is_whole";

ALTER TABLE "public"."plans" ADD CONSTRAINT "proposal_is_whole" CHECK (((num_nulls(proposed_time_id, proposed_at, veto_until) = ANY (ARRAY[0, 3])) AND ((proposed_time_id IS NOT NULL) OR (proposed_place_id IS NULL)))) NOT VALID;

ALTER TABLE "public"."plans" VALIDATE CONSTRAINT "proposal_is_whole";

REVOKE ALL ON FUNCTION "private"."is_addition"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_addition"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_for_place"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_for_place"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."change_choice"(uuid, uuid, uuid, uuid, uuid, uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."change_choice"(uuid, uuid, uuid, uuid, uuid, uuid[]) TO "authenticated", "postgres", "service_role";
