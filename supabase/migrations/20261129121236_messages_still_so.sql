-- Messages that waited while the plan changed are not sent, and name the person who acted so that one person is meant.

SET check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.is_still_so(kind text, this public.plans, readers uuid[], actor uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN CASE WHEN (kind = ANY (ARRAY['plan_confirmed'::text, 'plan_moved'::text, 'plan_changed'::text])) THEN (private.plan_state(this) = 'confirmed'::text) WHEN (kind = 'plan_placed'::text) THEN ((private.plan_state(this) = 'confirmed'::text) AND ((this).chosen_place_id IS NOT NULL)) WHEN (kind = 'plan_tomorrow'::text) THEN (((this).status = 'confirmed'::public.plan_status) AND (EXISTS (SELECT 1 FROM public.time_options t WHERE ((t.id = (is_still_so.this).chosen_time_id) AND (t.starts_at > now()))))) WHEN (kind = 'seat_freed'::text) THEN ((private.plan_state(this) = 'confirmed'::text) AND (EXISTS (SELECT 1 FROM private.plan_people((is_still_so.this).id) who(user_id, role, state, seats, since) WHERE ((who.user_id = ANY (is_still_so.readers)) AND (who.seats > 0))))) WHEN (kind = 'rate_reminder'::text) THEN (private.plan_state(this) = 'done'::text) WHEN (kind = 'plan_cancelled'::text) THEN ((this).status = 'cancelled'::public.plan_status) WHEN (kind = 'plan_restored'::text) THEN ((this).status <> 'cancelled'::public.plan_status) WHEN (kind = 'plan_proposed'::text) THEN (((this).status = 'polling'::public.plan_status) AND ((this).veto_until > now()) AND ((this).vetoed_by IS NULL)) WHEN (kind = 'plan_vetoed'::text) THEN (((this).status = 'polling'::public.plan_status) AND ((this).vetoed_by IS NOT NULL)) WHEN (kind = 'plan_undecided'::text) THEN (((this).status = 'polling'::public.plan_status) AND ((this).undecided IS NOT NULL)) WHEN (kind = ANY (ARRAY['plan_reopened'::text, 'standing_planned'::text])) THEN ((this).status = 'polling'::public.plan_status) WHEN ((kind = 'vote_nudge'::text) OR ((kind = 'vote_reminder'::text) AND ((this).vote_deadline IS NOT NULL))) THEN (EXISTS (SELECT 1 FROM private.plan_next((is_still_so.this).id) n(user_id, step) WHERE ((n.user_id = ANY (is_still_so.readers)) AND (n.step = ANY (ARRAY['times'::text, 'places'::text]))))) WHEN (kind = 'everybody_answered'::text) THEN (((this).status = 'polling'::public.plan_status) AND (NOT (EXISTS (SELECT 1 FROM public.plan_members m WHERE ((m.plan_id = (is_still_so.this).id) AND (private.open_question(m.*) IS NOT NULL)))))) WHEN (kind = 'join_asked'::text) THEN (((this).status <> 'cancelled'::public.plan_status) AND (EXISTS (SELECT 1 FROM private.join_requests r WHERE ((r.plan_id = (is_still_so.this).id) AND (r.declined_at IS NULL) AND ((is_still_so.actor IS NULL) OR (r.user_id = is_still_so.actor)))))) ELSE (kind = ANY (ARRAY['invite'::text, 'confirm_address'::text])) END;

CREATE OR REPLACE FUNCTION private.name_at(plan uuid, person uuid)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT CASE WHEN (EXISTS (SELECT 1 FROM (public.plan_members m JOIN public.profiles other ON ((other.id = m.user_id))) WHERE ((m.plan_id = name_at.plan) AND (other.id <> mine.id) AND (split_part(other.display_name, ' '::text, 1) = split_part(mine.display_name, ' '::text, 1))))) THEN mine.display_name ELSE split_part(mine.display_name, ' '::text, 1) END AS split_part FROM public.profiles mine WHERE (mine.id = name_at.person));

CREATE OR REPLACE FUNCTION public.take_mail(most integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 DELETE FROM private.outgoing_mail m
    USING public.plans p
   WHERE ((p.id = m.plan_id) AND (m.sent_at IS NULL) AND (m.attempts < 5) AND ((m.taken_at IS NULL) OR (m.taken_at < (now() - '00:10:00'::interval))) AND (private.is_still_so((m.kind)::text, p.*, ARRAY( SELECT a.user_id
            FROM private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
           WHERE (a.address = m.address)), m.sender_id) IS NOT TRUE));
 WITH taken AS (
          UPDATE private.outgoing_mail m_1 SET taken_at = now(), attempts = (m_1.attempts + 1)
           WHERE (m_1.id IN ( SELECT w.id
                    FROM private.outgoing_mail w
                   WHERE ((w.sent_at IS NULL) AND (w.attempts < 5) AND ((w.not_before IS NULL) OR (w.not_before <= now())) AND ((w.taken_at IS NULL) OR (w.taken_at < (now() - '00:10:00'::interval))))
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
             m_1.failure,
             m_1.not_before
         )
  SELECT COALESCE(jsonb_agg(jsonb_build_object('id', m.id, 'address', m.address, 'kind', m.kind, 'language', m.language, 'secret', m.secret, 'unsubscribe', r.token, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline, 'veto_until', p.veto_until, 'veto_reason', p.veto_reason, 'vetoed_by', private.name_at(p.id, p.vetoed_by), 'undecided', p.undecided, 'own', (private.is_decision((m.kind)::text) AND (m.sender_id IS NOT NULL)), 'starts_at', t.starts_at, 'first_starts_at', ( SELECT min(v.starts_at) AS min
            FROM public.time_options v
           WHERE (v.plan_id = p.id)), 'last_starts_at', ( SELECT max(v.starts_at) AS max
            FROM public.time_options v
           WHERE (v.plan_id = p.id)), 'place', k.name, 'address_of_place', COALESCE(at_home.address, k.address), 'question',
         CASE
             WHEN (m.kind = ANY (ARRAY['vote_nudge'::public.mail_kind, 'vote_reminder'::public.mail_kind])) THEN ( SELECT n.step
                FROM (private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
                  JOIN private.plan_next(p.id) n(user_id, step) ON ((n.user_id = a.user_id)))
               WHERE ((a.address = m.address) AND (n.step = ANY (ARRAY['times'::text, 'places'::text])))
              LIMIT 1)
             ELSE NULL::text
         END, 'was_starts_at', ( SELECT w.starts_at
            FROM public.time_options w
           WHERE (w.id = p.moved_from_time_id)), 'was_place', ( SELECT w.name
            FROM (public.place_options x
              JOIN public.places w ON ((w.id = x.place_id)))
           WHERE (x.id = p.moved_from_place_id)), 'host', private.name_at(p.id, hm.user_id), 'sender', private.name_at(
         CASE
             WHEN (m.kind <> 'invite'::public.mail_kind) THEN p.id
             ELSE NULL::uuid
         END, COALESCE(m.sender_id, ( SELECT n.actor_id
            FROM (private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
              JOIN public.notifications n ON (((n.user_id = a.user_id) AND (n.plan_id = p.id) AND ((n.kind)::text = (m.kind)::text))))
           WHERE (a.address = m.address)
           ORDER BY n.created_at DESC
          LIMIT 1))), 'hosts', (EXISTS ( SELECT 1
            FROM (private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
              JOIN public.plan_members c ON (((c.plan_id = p.id) AND (c.user_id = a.user_id))))
           WHERE ((a.address = m.address) AND (c.role = ANY (ARRAY['host'::public.plan_role, 'cohost'::public.plan_role]))))), 'people', ( SELECT count(*) AS count
            FROM public.plan_members c
           WHERE ((c.plan_id = p.id) AND (c.rsvp <> 'declined'::public.rsvp_status))), 'joined', ( SELECT count(*) AS count
            FROM public.plan_members c
           WHERE ((c.plan_id = p.id) AND (c.rsvp <> 'declined'::public.rsvp_status) AND (c.accepted_at IS NOT NULL))), 'event',
         CASE
             WHEN ((m.kind <> 'plan_proposed'::public.mail_kind) AND (t.id IS NOT NULL)) THEN jsonb_build_object('plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision, 'status', private.plan_state(p.*), 'state', COALESCE(( SELECT who.state
                FROM (private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
                  JOIN private.plan_people(p.id) who(user_id, role, state, seats, since) ON ((who.user_id = a.user_id)))
               WHERE (a.address = m.address)
               ORDER BY who.since
              LIMIT 1), 'asked'::public.person_state), 'starts_at', t.starts_at, 'ends_at', t.ends_at, 'place', k.name, 'address', COALESCE(at_home.address, k.address), 'latitude', COALESCE(at_home.latitude, k.latitude), 'longitude', COALESCE(at_home.longitude, k.longitude), 'people', ( SELECT count(*) AS count
                FROM private.plan_people(p.id) who(user_id, role, state, seats, since)
               WHERE (who.seats > 0)), 'created_at', p.created_at, 'updated_at', p.updated_at)
             ELSE NULL::jsonb
         END) ORDER BY m.created_at), '[]'::jsonb) AS "coalesce"
    FROM (((((((taken m
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
      LEFT JOIN LATERAL ( SELECT home.place_id,
             home.user_id,
             home.address,
             home.latitude,
             home.longitude
            FROM (private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
              CROSS JOIN LATERAL private.home_for(k.id, p.id, a.user_id) home(place_id, user_id, address, latitude, longitude))
           WHERE (k.home AND (a.address = m.address) AND (home.place_id IS NOT NULL))
          LIMIT 1) at_home ON (true))
      LEFT JOIN public.plan_members hm ON (((hm.plan_id = p.id) AND (hm.role = 'host'::public.plan_role))));
END;

CREATE OR REPLACE FUNCTION public.take_push(most integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 DELETE FROM private.outgoing_push m
    USING public.plans p
   WHERE ((p.id = m.plan_id) AND (m.attempts < 5) AND ((m.taken_at IS NULL) OR (m.taken_at < (now() - '00:10:00'::interval))) AND (private.is_still_so((m.kind)::text, p.*, ARRAY[m.user_id], NULL::uuid) IS NOT TRUE));
 WITH taken AS (
          UPDATE private.outgoing_push m_1 SET taken_at = now(), attempts = (m_1.attempts + 1)
           WHERE (m_1.id IN ( SELECT w.id
                    FROM private.outgoing_push w
                   WHERE ((w.attempts < 5) AND ((w.not_before IS NULL) OR (w.not_before <= now())) AND ((w.taken_at IS NULL) OR (w.taken_at < (now() - '00:10:00'::interval))))
                   ORDER BY w.created_at
                  LIMIT LEAST(take_push.most, 100)
                  FOR UPDATE OF w SKIP LOCKED))
           RETURNING m_1.id,
             m_1.subscription_id,
             m_1.plan_id,
             m_1.user_id,
             m_1.kind,
             m_1.created_at,
             m_1.taken_at,
             m_1.attempts,
             m_1.failure,
             m_1.not_before
         )
  SELECT COALESCE(jsonb_agg(jsonb_build_object('id', m.id, 'kind', m.kind, 'language', mine.language, 'endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline, 'starts_at', t.starts_at, 'place', k.name, 'veto_until', p.veto_until, 'question',
         CASE
             WHEN (m.kind = ANY (ARRAY['vote_nudge'::public.notification_kind, 'vote_reminder'::public.notification_kind])) THEN ( SELECT n.step
                FROM private.plan_next(p.id) n(user_id, step)
               WHERE ((n.user_id = m.user_id) AND (n.step = ANY (ARRAY['times'::text, 'places'::text]))))
             ELSE NULL::text
         END) ORDER BY m.created_at), '[]'::jsonb) AS "coalesce"
    FROM ((((((taken m
      JOIN public.push_subscriptions s ON ((s.id = m.subscription_id)))
      JOIN public.private_profiles mine ON ((mine.id = m.user_id)))
      JOIN public.plans p ON ((p.id = m.plan_id)))
      LEFT JOIN public.time_options t ON ((t.id =
         CASE m.kind
             WHEN 'plan_proposed'::public.notification_kind THEN p.proposed_time_id
             ELSE p.chosen_time_id
         END)))
      LEFT JOIN public.place_options o ON ((o.id =
         CASE m.kind
             WHEN 'plan_proposed'::public.notification_kind THEN p.proposed_place_id
             ELSE p.chosen_place_id
         END)))
      LEFT JOIN public.places k ON ((k.id = o.place_id)));
END;

REVOKE ALL ON FUNCTION "private"."is_still_so"(text, public.plans, uuid[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_still_so"(text, public.plans, uuid[], uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."name_at"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."name_at"(uuid, uuid) TO "postgres";

RESET check_function_bodies;
