set local check_function_bodies = off;

DROP TRIGGER "mail_changes" ON "public"."notifications";

DROP TRIGGER "mail_decisions" ON "public"."notifications";

DROP TRIGGER "push_notifications" ON "public"."notifications";

CREATE TABLE "private"."undos" ("plan_id" uuid NOT NULL, "decided_at" timestamp with time zone NOT NULL DEFAULT now(), "until" timestamp with time zone NOT NULL, "before" jsonb NOT NULL, "after" jsonb, CONSTRAINT "undos_pkey" PRIMARY KEY (plan_id));

ALTER TABLE "private"."outgoing_mail" ADD COLUMN "not_before" timestamp with time zone;

ALTER TABLE "private"."outgoing_push" ADD COLUMN "not_before" timestamp with time zone;

CREATE OR REPLACE FUNCTION private.mail_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from told as n
    where n.kind in ('vote_nudge', 'everybody_answered')
      or private.is_addition(n.kind::text) or private.is_decision(n.kind::text)) then
    return null;
  end if;
  delete from private.outgoing_mail as m using told as n cross join lateral private.plan_mail_addresses(n.plan_id) as a
    where a.user_id in (n.user_id, n.actor_id) and m.address = a.address and m.plan_id = n.plan_id
      and private.is_addition(m.kind::text) and (n.kind::text = m.kind::text or private.is_decision(n.kind::text))
      and m.sent_at is null and m.taken_at is null;
  insert into private.mail_recipients (address)
    select distinct a.address from told as n
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.user_id in (n.user_id, n.actor_id)
    where n.kind in ('vote_nudge', 'everybody_answered') or private.is_addition(n.kind::text)
    on conflict do nothing;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, not_before)
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id, n.actor_id, a.language,
      private.not_before(n.plan_id)
    from told as n
    -- The host who added the place gets it for the calendar too.
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.wanted and (a.user_id = n.user_id
      or a.user_id = n.actor_id and n.kind = 'plan_placed')
    join private.mail_recipients as r on r.address = a.address and r.no_reminders_since is null
    where n.kind in ('vote_nudge', 'everybody_answered') or private.is_addition(n.kind::text) and not exists (
      select 1 from private.outgoing_mail as m
      where m.address = r.address and m.plan_id = n.plan_id and private.is_decision(m.kind::text)
        and m.sent_at is null and m.taken_at is null
    );
  if exists (select 1 from told as n where n.kind in ('vote_nudge', 'everybody_answered')) then
    perform private.deliver_mail();
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.mail_decisions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- What the owner of the database writes (a seed) is told to nobody, unless a plan decides itself.
  if (private.caller() is null and coalesce(current_setting('nosh.decides_itself', true), '') <> 'on')
    or not exists (select 1 from told as n where private.is_decision(n.kind::text)) then
    return null;
  end if;
  insert into private.mail_recipients (address)
    select distinct a.address from told as n
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.user_id in (n.user_id, n.actor_id)
    where private.is_decision(n.kind::text)
    on conflict do nothing;
  delete from private.outgoing_mail as m using told as n cross join lateral private.plan_mail_addresses(n.plan_id) as a
    where a.user_id in (n.user_id, n.actor_id) and m.address = a.address
      and m.plan_id = n.plan_id and private.is_decision(n.kind::text) and private.is_decision(m.kind::text)
      and m.sent_at is null and m.taken_at is null;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, not_before)
    -- The host who decided gets the calendar's entry too.
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id,
      case when a.user_id = n.actor_id then n.actor_id end, a.language, private.not_before(n.plan_id)
    from told as n
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.wanted and (a.user_id = n.user_id
      or a.user_id = n.actor_id and n.kind in ('plan_confirmed', 'plan_moved', 'plan_cancelled', 'plan_restored'))
    join private.mail_recipients as r on r.address = a.address and r.no_reminders_since is null
    where private.is_decision(n.kind::text);
  if found then
    perform private.deliver_mail();
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.not_before(plan uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT u.until FROM private.undos u WHERE ((u.plan_id = not_before.plan) AND (u.decided_at = now())));

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
  insert into private.outgoing_push (subscription_id, plan_id, user_id, kind, not_before)
    select s.id, n.plan_id, n.user_id, n.kind, private.not_before(n.plan_id)
    from told as n
    join public.push_subscriptions as s on s.user_id = n.user_id
    join public.plan_members as seat on seat.plan_id = n.plan_id and seat.user_id = n.user_id
    where (private.is_decision(n.kind::text)
        or private.is_addition(n.kind::text) or n.kind in ('vote_nudge', 'vote_reminder', 'plan_tomorrow', 'seat_freed',
          'standing_planned', 'everybody_answered'))
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

CREATE OR REPLACE FUNCTION private.seats_of(plan uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT jsonb_agg(jsonb_build_object('user_id', m.user_id, 'rsvp', m.rsvp, 'plus_ones', m.plus_ones, 'waitlisted_at', m.waitlisted_at, 'rsvp_at', m.rsvp_at)) AS jsonb_agg FROM public.plan_members m WHERE (m.plan_id = seats_of.plan));

CREATE OR REPLACE FUNCTION private.keep_after(plan uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 UPDATE private.undos u SET after = jsonb_build_object('status', p.status, 'time', p.chosen_time_id, 'place', p.chosen_place_id, 'people', private.seats_of(p.id))
    FROM public.plans p
   WHERE ((p.id = keep_after.plan) AND (u.plan_id = p.id));
END;

create or replace function private.keep_before(this public.plans) returns void
  language sql security definer set search_path = ''
  begin atomic
    delete from private.undos as u where u.until <= now() or u.plan_id = this.id;
    insert into private.undos (plan_id, until, before)
      select this.id, now() + make_interval(secs => private.limit_of('undo_seconds')), jsonb_build_object(
        'plan', to_jsonb(this), 'people', private.seats_of(this.id),
        'arrivals', (
          select coalesce(jsonb_agg(to_jsonb(a)), '[]') from public.arrivals as a where a.plan_id = this.id),
        'notices', (
          select coalesce(jsonb_agg(to_jsonb(n)), '[]') from public.notifications as n
          where n.plan_id = this.id and n.kind in ('plan_moved', 'plan_placed') and n.read_at is null),
        'mails', (
          select coalesce(jsonb_agg(to_jsonb(m)), '[]') from private.outgoing_mail as m
          where m.plan_id = this.id and m.sent_at is null and m.taken_at is null
            and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text))),
        'messages', (
          select coalesce(jsonb_agg(to_jsonb(m)), '[]') from private.outgoing_push as m
          where m.plan_id = this.id and m.taken_at is null
            and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text))));
  end;

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
  perform private.keep_before(this);
  update public.plans as p set chosen_time_id = time_option, chosen_place_id = place_option, revision = p.revision + 1,
      moved_from_time_id = case when is_move then this.chosen_time_id else p.moved_from_time_id end,
      moved_from_place_id = case when is_move then this.chosen_place_id else p.moved_from_place_id end
    where p.id = change_choice.plan;
  if is_move then
    update public.plan_members as m
      set rsvp = case m.user_id when caller then 'going' else 'pending' end::public.rsvp_status, waitlisted_at = null
      where m.plan_id = change_choice.plan and (m.rsvp <> 'declined' or m.user_id = caller);
    delete from public.arrivals as a where a.plan_id = change_choice.plan;
  end if;
  perform private.promote_waitlist(plan);
  -- Several changes are one line in the activity, until it was read.
  delete from public.notifications as n
    where n.plan_id = change_choice.plan and n.kind::text in (told, 'plan_placed') and n.read_at is null;
  perform private.notify_table(plan, told::public.notification_kind);
  perform private.keep_after(plan);
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
  perform private.keep_before(this);
  perform private.settle_plan(plan, time_option, place_option, confirm_plan.unsafe_for);
  perform private.keep_after(plan);
end $function$;

CREATE OR REPLACE FUNCTION public.delivery_due_in(what text)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (ceil((EXTRACT(epoch FROM (min(waits.until) - clock_timestamp())) * (1000)::numeric)))::integer AS ceil
    FROM ( SELECT m.not_before AS until
            FROM private.outgoing_mail m
           WHERE ((delivery_due_in.what = 'mail'::text) AND (m.sent_at IS NULL) AND (m.taken_at IS NULL))
         UNION ALL
          SELECT m.not_before
            FROM private.outgoing_push m
           WHERE ((delivery_due_in.what = 'push'::text) AND (m.taken_at IS NULL))) waits;
END;

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
  SELECT COALESCE(jsonb_agg(jsonb_build_object('id', m.id, 'address', m.address, 'kind', m.kind, 'language', m.language, 'secret', m.secret, 'unsubscribe', r.token, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline, 'veto_until', p.veto_until, 'veto_reason', p.veto_reason, 'vetoed_by', ( SELECT split_part(v.display_name, ' '::text, 1) AS split_part
            FROM public.profiles v
           WHERE (v.id = p.vetoed_by)), 'undecided', p.undecided, 'own', (private.is_decision((m.kind)::text) AND (m.sender_id IS NOT NULL)), 'starts_at', t.starts_at, 'place', k.name, 'address_of_place', k.address, 'was_starts_at', ( SELECT w.starts_at
            FROM public.time_options w
           WHERE (w.id = p.moved_from_time_id)), 'was_place', ( SELECT w.name
            FROM (public.place_options x
              JOIN public.places w ON ((w.id = x.place_id)))
           WHERE (x.id = p.moved_from_place_id)), 'host', split_part(h.display_name, ' '::text, 1), 'sender', split_part(s.display_name, ' '::text, 1), 'people', ( SELECT count(*) AS count
            FROM public.plan_members c
           WHERE (c.plan_id = p.id)), 'event',
         CASE
             WHEN ((m.kind <> 'plan_proposed'::public.mail_kind) AND (t.id IS NOT NULL)) THEN jsonb_build_object('plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision, 'status', private.plan_state(p.*), 'state', COALESCE(( SELECT who.state
                FROM (private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
                  JOIN private.plan_people(p.id) who(user_id, role, state, seats, since) ON ((who.user_id = a.user_id)))
               WHERE (a.address = m.address)
               ORDER BY who.since
              LIMIT 1), 'asked'::public.person_state), 'starts_at', t.starts_at, 'ends_at', t.ends_at, 'place', k.name, 'address', k.address, 'latitude', k.latitude, 'longitude', k.longitude, 'people', ( SELECT count(*) AS count
                FROM private.plan_people(p.id) who(user_id, role, state, seats, since)
               WHERE (who.seats > 0)), 'created_at', p.created_at, 'updated_at', p.updated_at)
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

CREATE OR REPLACE FUNCTION public.take_push(most integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
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
  SELECT COALESCE(jsonb_agg(jsonb_build_object('id', m.id, 'kind', m.kind, 'language', mine.language, 'endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline, 'starts_at', t.starts_at, 'place', k.name, 'veto_until', p.veto_until) ORDER BY m.created_at), '[]'::jsonb) AS "coalesce"
    FROM ((((((taken m
      JOIN public.push_subscriptions s ON ((s.id = m.subscription_id)))
      JOIN public.private_profiles mine ON ((mine.id = m.user_id)))
      JOIN public.plans p ON ((p.id = m.plan_id)))
      LEFT JOIN public.time_options t ON ((t.id = COALESCE(p.chosen_time_id, p.proposed_time_id))))
      LEFT JOIN public.place_options o ON ((o.id = COALESCE(p.chosen_place_id, p.proposed_place_id))))
      LEFT JOIN public.places k ON ((k.id = o.place_id)));
END;

CREATE OR REPLACE FUNCTION public.undo_decision(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  kept private.undos;
  was public.plans;
  changed uuid[];
begin
  select * into kept from private.undos as u where u.plan_id = this.id;
  if not found or kept.until <= clock_timestamp()
    or (this.status::text, this.chosen_time_id::text, this.chosen_place_id::text)
      is distinct from (kept.after ->> 'status', kept.after ->> 'time', kept.after ->> 'place') then
    perform private.refuse('too_late_to_undo');
  end if;
  was := jsonb_populate_record(null::public.plans, kept.before -> 'plan');
  update public.plans as p set status = was.status, chosen_time_id = was.chosen_time_id,
      chosen_place_id = was.chosen_place_id, moved_from_time_id = was.moved_from_time_id,
      moved_from_place_id = was.moved_from_place_id, revision = p.revision + 1
    where p.id = this.id;
  -- On their own: triggers have cleared them with the choice.
  update public.plans as p set ready_at = was.ready_at, ready_by = was.ready_by, undecided = was.undecided,
      vetoed_by = was.vetoed_by, vetoed_at = was.vetoed_at, veto_reason = was.veto_reason,
      proposed_time_id = was.proposed_time_id, proposed_place_id = was.proposed_place_id,
      proposed_at = was.proposed_at, veto_until = was.veto_until
    where p.id = this.id;

  with restored as (
    update public.plan_members as m set rsvp = b.rsvp, plus_ones = b.plus_ones, waitlisted_at = b.waitlisted_at
      from jsonb_populate_recordset(null::public.plan_members, kept.before -> 'people') as b,
        jsonb_populate_recordset(null::public.plan_members, kept.after -> 'people') as a
      where m.plan_id = this.id and m.user_id = b.user_id and m.user_id = a.user_id
        and (m.rsvp, m.plus_ones, m.waitlisted_at) is not distinct from (a.rsvp, a.plus_ones, a.waitlisted_at)
        and (a.rsvp, a.plus_ones, a.waitlisted_at) is distinct from (b.rsvp, b.plus_ones, b.waitlisted_at)
      returning m.user_id
  )
  select array_agg(r.user_id) into changed from restored as r;
  -- On its own: a trigger has written the present time where the answer changed.
  update public.plan_members as m set rsvp_at = b.rsvp_at
    from jsonb_populate_recordset(null::public.plan_members, kept.before -> 'people') as b
    where m.plan_id = this.id and m.user_id = b.user_id and m.user_id = any (changed);
  insert into public.arrivals
    select a.* from jsonb_populate_recordset(null::public.arrivals, kept.before -> 'arrivals') as a
    join public.plan_members as m on m.plan_id = a.plan_id and m.user_id = a.user_id
    on conflict do nothing;

  delete from public.notifications as n where n.plan_id = this.id and n.created_at = kept.decided_at
    and n.kind in ('plan_confirmed', 'plan_moved', 'plan_placed', 'seat_freed');
  delete from private.outgoing_mail as m where m.plan_id = this.id and m.not_before = kept.until;
  delete from private.outgoing_push as m where m.plan_id = this.id and m.not_before = kept.until;
  -- Notices that were there before are told to nobody again.
  perform set_config('nosh.undoes', 'on', true);
  insert into public.notifications
    select n.* from jsonb_populate_recordset(null::public.notifications, kept.before -> 'notices') as n
    join public.plan_members as m on m.plan_id = n.plan_id and m.user_id = n.user_id
    on conflict do nothing;
  perform set_config('nosh.undoes', '', true);
  insert into private.outgoing_mail
    select m.* from jsonb_populate_recordset(null::private.outgoing_mail, kept.before -> 'mails') as m
    join private.mail_recipients as r on r.address = m.address
    on conflict do nothing;
  insert into private.outgoing_push
    select m.* from jsonb_populate_recordset(null::private.outgoing_push, kept.before -> 'messages') as m
    join public.push_subscriptions as s on s.id = m.subscription_id
    join public.plan_members as seat on seat.plan_id = m.plan_id and seat.user_id = m.user_id
    on conflict do nothing;
  delete from private.undos as u where u.plan_id = this.id;
end $function$;

ALTER TABLE "private"."undos" ADD CONSTRAINT "undos_plan_id_fkey" FOREIGN KEY (plan_id) REFERENCES public.plans(id) ON DELETE CASCADE;

CREATE TRIGGER mail_changes AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS told FOR EACH STATEMENT WHEN ((COALESCE(current_setting('nosh.undoes'::text, true), ''::text) <> 'on'::text)) EXECUTE FUNCTION private.mail_changes();

CREATE TRIGGER mail_decisions AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS told FOR EACH STATEMENT WHEN ((COALESCE(current_setting('nosh.undoes'::text, true), ''::text) <> 'on'::text)) EXECUTE FUNCTION private.mail_decisions();

CREATE TRIGGER push_notifications AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS told FOR EACH STATEMENT WHEN ((COALESCE(current_setting('nosh.undoes'::text, true), ''::text) <> 'on'::text)) EXECUTE FUNCTION private.push_notifications();

REVOKE ALL ON FUNCTION "private"."keep_after"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_after"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_before"(public.plans) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_before"(public.plans) TO "postgres";

REVOKE ALL ON FUNCTION "private"."not_before"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."not_before"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."seats_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."seats_of"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."delivery_due_in"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."delivery_due_in"(text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."undo_decision"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."undo_decision"(uuid) TO "authenticated", "postgres", "service_role";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "private"."undos" TO "postgres";

insert into private.errors (code, status, message, hint) values
  ('too_late_to_undo', 409, 'This can not be undone any more.', 'Change the time or place, or reopen voting.');

insert into private.limits (name, value, reason) values
  ('undo_seconds', 10, 'How long a decision can be undone; its mails wait as long.');

-- Hosts add a time to a decided plan, as they add a place.
create function private.plan_for_option(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
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
end $$;

create or replace function public.propose_time(plan uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  perform private.plan_for_option(plan);
  return private.add_time(plan, propose_time.starts_at, propose_time.ends_at);
end $$;

create or replace function public.propose_place(plan uuid, place uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  perform private.plan_for_option(plan);
  return private.add_place(plan, place);
end $$;

create or replace function public.propose_named_place(plan uuid, name text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  perform private.plan_for_option(plan);
  return private.add_named_place(plan, propose_named_place.name);
end $$;

drop function private.plan_for_place(uuid);
