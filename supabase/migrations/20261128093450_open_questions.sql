SET check_function_bodies = off;

DROP TRIGGER "tell_everybody_answered" ON "public"."plan_members";

DROP TRIGGER "tell_everybody_left" ON "public"."plan_members";

DROP VIEW "public"."plan_cards";

ALTER TABLE "public"."plan_members" ADD COLUMN "times_answered" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."plan_members" ADD COLUMN "places_answered" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.merge_seats(plan uuid, guest uuid, account uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  mine public.plan_members;
  theirs public.plan_members;
  takes_answer boolean;
begin
  select * into mine from public.plan_members as m where m.plan_id = plan and m.user_id = account;
  select * into theirs from public.plan_members as m where m.plan_id = plan and m.user_id = guest;
  -- Who sits keeps the seat, whichever of the two sat, by a vote too.
  if mine.rsvp = 'waitlisted' and exists (
    select 1 from private.plan_people(plan) as who where who.user_id = guest and who.seats > 0
  ) then
    theirs.rsvp := 'going';
    theirs.rsvp_at := coalesce(theirs.rsvp_at, mine.rsvp_at);
  end if;
  takes_answer := mine.rsvp = 'pending' or mine.rsvp = 'waitlisted' and theirs.rsvp = 'going';
  -- Never two hosts at once.
  update public.plan_members as m set role = 'guest' where m.plan_id = plan and m.user_id = guest;
  update public.plan_members as m set
      role = least(mine.role, theirs.role), -- host, cohost, guest
      rsvp = case when takes_answer then theirs.rsvp else mine.rsvp end,
      plus_ones = case when takes_answer then theirs.plus_ones else mine.plus_ones end,
      waitlisted_at = case
        when takes_answer then theirs.waitlisted_at
        when mine.rsvp = 'waitlisted' then least(mine.waitlisted_at, theirs.waitlisted_at)
      end,
      required = mine.required or theirs.required,
      joined_at = least(mine.joined_at, theirs.joined_at),
      answered_at = least(mine.answered_at, theirs.answered_at),
      times_answered = mine.times_answered or theirs.times_answered,
      places_answered = mine.places_answered or theirs.places_answered,
      accepted_at = least(mine.accepted_at, theirs.accepted_at)
    where m.plan_id = plan and m.user_id = account;
  -- On its own: a trigger has written the present time where the answer changed.
  update public.plan_members as m set rsvp_at = case when takes_answer then theirs.rsvp_at else mine.rsvp_at end
    where m.plan_id = plan and m.user_id = account;

  update public.time_votes as v set user_id = account
    where v.plan_id = plan and v.user_id = guest and not exists (
      select 1 from public.time_votes as own where own.option_id = v.option_id and own.user_id = account);
  update public.place_votes as v set user_id = account
    where v.plan_id = plan and v.user_id = guest and not exists (
      select 1 from public.place_votes as own where own.option_id = v.option_id and own.user_id = account);
  update public.reactions as r set user_id = account
    where r.plan_id = plan and r.user_id = guest and not exists (
      select 1 from public.reactions as own
      where own.message_id = r.message_id and own.emoji = r.emoji and own.user_id = account);
  insert into public.message_reads as r (plan_id, user_id, read_at)
    select plan, account, g.read_at from public.message_reads as g where g.plan_id = plan and g.user_id = guest
    on conflict (plan_id, user_id) do update set read_at = greatest(r.read_at, excluded.read_at);
  update public.ratings as r set user_id = account
    where r.plan_id = plan and r.user_id = guest and not exists (
      select 1 from public.ratings as own where own.plan_id = plan and own.user_id = account);
  update public.arrivals as a set user_id = account
    where a.plan_id = plan and a.user_id = guest and not exists (
      select 1 from public.arrivals as own where own.plan_id = plan and own.user_id = account);
  update private.outgoing_push as m set user_id = account where m.plan_id = plan and m.user_id = guest;
  -- Last: the guest's seats are free only now, so that nobody gets those that the account has taken.
  delete from public.plan_members as m where m.plan_id = plan and m.user_id = guest;
end $function$;

CREATE OR REPLACE FUNCTION private.next_step(plan text, state public.person_state, question text, hosts boolean, alone boolean, accepts boolean, decides boolean, placed boolean, today boolean, rates boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN CASE plan WHEN 'polling'::text THEN CASE WHEN (hosts AND alone) THEN 'invite'::text WHEN (accepts AND (question IS NOT NULL)) THEN question WHEN (hosts AND decides) THEN 'decide'::text ELSE NULL::text END WHEN 'confirmed'::text THEN CASE WHEN (state = 'asked'::public.person_state) THEN 'rsvp'::text WHEN (hosts AND (NOT placed)) THEN 'place'::text WHEN (today AND (state = 'expected'::public.person_state)) THEN 'set_out'::text ELSE NULL::text END WHEN 'done'::text THEN CASE WHEN ((state = 'was_there'::public.person_state) AND rates) THEN 'rate'::text ELSE NULL::text END ELSE NULL::text END;

CREATE OR REPLACE FUNCTION private.note_answered()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  voter record := coalesce(new, old);
  times boolean := exists (
    select 1 from public.time_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id);
  places boolean := exists (
    select 1 from public.place_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id);
begin
  update public.plan_members as m set times_answered = times, places_answered = places,
      answered_at = case when times or places then coalesce(m.answered_at, now()) end
    where m.plan_id = voter.plan_id and m.user_id = voter.user_id
      and (m.times_answered, m.places_answered) is distinct from (times, places);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.open_question(said public.rsvp_status, times_answered boolean, places_answered boolean, places integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN CASE WHEN (said = 'declined'::public.rsvp_status) THEN NULL::text WHEN (NOT times_answered) THEN 'times'::text WHEN ((places > 0) AND (NOT places_answered)) THEN 'places'::text ELSE NULL::text END;

CREATE OR REPLACE FUNCTION private.open_question(seat public.plan_members)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN private.open_question((seat).rsvp, (seat).times_answered, (seat).places_answered, (SELECT (count(*))::integer AS count FROM public.place_options o WHERE (o.plan_id = (open_question.seat).plan_id)));

CREATE OR REPLACE FUNCTION private.plan_next(plan uuid)
 RETURNS TABLE(user_id uuid, step text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT who.user_id,
     private.next_step(private.plan_state(p.*), who.state, private.open_question(m.*), (m.role = ANY (ARRAY['host'::public.plan_role, 'cohost'::public.plan_role])), seats.alone, (options.upcoming AND COALESCE((p.vote_deadline > now()), true)), (options.upcoming AND (NOT p.decides_itself) AND (p.proposed_time_id IS NULL) AND ((p.vote_deadline <= now()) OR (NOT seats.asked))), (p.chosen_place_id IS NOT NULL), ((meal.starts_at - make_interval(hours => private.limit_of('arrival_opens_hours'::text))) <= now()), ((meal.ends_at > (now() - '14 days'::interval)) AND (NOT (EXISTS ( SELECT 1
            FROM public.ratings r
           WHERE ((r.plan_id = p.id) AND (r.user_id = m.user_id))))))) AS next_step
    FROM (((((public.plans p
      LEFT JOIN public.time_options meal ON ((meal.id = p.chosen_time_id)))
      CROSS JOIN LATERAL ( SELECT (count(*) = 1) AS alone,
             bool_or((private.open_question(s.*) IS NOT NULL)) AS asked
            FROM public.plan_members s
           WHERE (s.plan_id = p.id)) seats)
      CROSS JOIN LATERAL ( SELECT (EXISTS ( SELECT 1
                    FROM public.time_options o
                   WHERE ((o.plan_id = p.id) AND (o.starts_at > now())))) AS upcoming) options)
      CROSS JOIN LATERAL private.plan_people(p.id) who(user_id, role, state, seats, since))
      JOIN public.plan_members m ON (((m.plan_id = p.id) AND (m.user_id = who.user_id))))
   WHERE (p.id = plan_next.plan);
END;

create or replace function private.due_reminders()
  returns table (plan_id uuid, user_id uuid, kind public.mail_kind, due_for timestamptz)
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id, m.user_id, 'vote_reminder'::public.mail_kind, p.vote_deadline
    from public.plans as p cross join lateral private.plan_next(p.id) as m
    where p.status = 'polling' and m.step in ('times', 'places')
      and p.vote_deadline > now()
      and p.vote_deadline <= now() + make_interval(hours => private.limit_of('vote_reminder_hours'))
    union all
    select p.id, m.user_id, 'plan_tomorrow', t.starts_at
    from public.plans as p
    join public.time_options as t on t.id = p.chosen_time_id
    cross join lateral private.plan_people(p.id) as m
    where p.status = 'confirmed' and m.state in ('expected', 'maybe', 'asked')
      and t.starts_at > now()
      and t.starts_at <= now() + make_interval(hours => private.limit_of('plan_reminder_hours'))
    union all
    select p.id, m.user_id, 'rate_reminder', t.ends_at
    from public.plans as p
    join public.time_options as t on t.id = p.chosen_time_id
    cross join lateral private.plan_people(p.id) as m
    where p.status = 'confirmed' and m.state = 'was_there'
      and t.ends_at + make_interval(hours => private.limit_of('done_after_hours')) <= now()
      and t.ends_at > now() - interval '3 days'
      and not exists (select 1 from public.ratings as r where r.plan_id = p.id and r.user_id = m.user_id);
  end;

CREATE OR REPLACE FUNCTION private.my_next_step(plan uuid)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT n.step FROM private.plan_next(my_next_step.plan) n(user_id, step) WHERE (n.user_id = (SELECT private.caller() AS caller)));

CREATE OR REPLACE FUNCTION private.reach(plan uuid, person uuid)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN CASE WHEN (EXISTS (SELECT 1 FROM (private.plan_mail_addresses(reach.plan) a(user_id, address, language, wanted) LEFT JOIN private.mail_recipients r ON ((r.address = a.address))) WHERE ((a.user_id = reach.person) AND a.wanted AND (r.no_reminders_since IS NULL)))) THEN 'mail'::text WHEN (EXISTS (SELECT 1 FROM public.push_subscriptions s WHERE (s.user_id = reach.person))) THEN 'push'::text ELSE NULL::text END;

CREATE OR REPLACE FUNCTION private.tell_everybody_answered()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  plan uuid := coalesce(new.plan_id, old.plan_id);
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is null or private.open_question(old) is null or not exists (
    select 1 from public.plans as p where p.id = plan and p.status = 'polling'
  ) or exists (
    select 1 from public.plan_members as m where m.plan_id = plan and private.open_question(m) is not null
  ) then
    return null;
  end if;
  with hosts as (
    insert into private.reminders (plan_id, user_id, kind, due_for)
      select m.plan_id, m.user_id, 'everybody_answered', p.created_at
      from public.plan_members as m join public.plans as p on p.id = m.plan_id
      where m.plan_id = plan and m.role in ('host', 'cohost') and m.user_id <> private.caller()
        and exists (
          select 1 from public.plan_members as other
          where other.plan_id = plan and other.user_id <> m.user_id and other.answered_at is not null
            and other.rsvp <> 'declined')
      on conflict do nothing returning user_id
  )
  insert into public.notifications (user_id, kind, plan_id)
    select h.user_id, 'everybody_answered', plan from hosts as h;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.nudge_voters(plan uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  nudged integer;
begin
  perform private.require_polling(this);
  if this.vote_deadline <= now() then
    perform private.refuse('voting_closed');
  elsif this.nudged_at > now() - make_interval(hours => private.limit_of('nudge_hours')) then
    perform private.refuse('nudged_today');
  end if;
  insert into public.notifications (user_id, kind, plan_id, actor_id)
    select who.user_id, 'vote_nudge', this.id, caller from private.plan_next(this.id) as who
    where who.user_id <> caller and who.step in ('times', 'places');
  get diagnostics nudged = row_count;
  if nudged = 0 then
    perform private.refuse('nobody_to_nudge');
  end if;
  update public.plans as p set nudged_at = now() where p.id = this.id;
  return nudged;
end $function$;

CREATE OR REPLACE FUNCTION public.plan_reach(plan uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  end if;
  return private.reach(plan, caller);
end $function$;

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
  return query
    select m.user_id from public.plan_members as m
    where m.plan_id = plan_unreachable.plan and m.user_id <> caller and m.rsvp <> 'declined'
      -- The made-up people of a sample table.
      and m.user_id::text not like '00000000-0000-4000-8000-5a3b1e%'
      and private.reach(m.plan_id, m.user_id) is null;
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
           WHERE (v.id = p.vetoed_by)), 'undecided', p.undecided, 'own', (private.is_decision((m.kind)::text) AND (m.sender_id IS NOT NULL)), 'starts_at', t.starts_at, 'first_starts_at', ( SELECT min(v.starts_at) AS min
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
           WHERE (x.id = p.moved_from_place_id)), 'host', split_part(h.display_name, ' '::text, 1), 'sender', split_part(s.display_name, ' '::text, 1), 'people', ( SELECT count(*) AS count
            FROM public.plan_members c
           WHERE ((c.plan_id = p.id) AND (c.rsvp <> 'declined'::public.rsvp_status))), 'event',
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
    FROM (((((((((taken m
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
      LEFT JOIN public.time_options t ON ((t.id = COALESCE(p.chosen_time_id, p.proposed_time_id))))
      LEFT JOIN public.place_options o ON ((o.id = COALESCE(p.chosen_place_id, p.proposed_place_id))))
      LEFT JOIN public.places k ON ((k.id = o.place_id)));
END;

CREATE VIEW "public"."plan_cards" WITH (security_invoker=true) AS  SELECT p.id,
    p.circle_id,
    p.title,
    p.status,
    p.time_zone,
    p.vote_deadline,
    p.created_at,
    meal.starts_at,
    meal.ends_at,
    ( SELECT kitchen.name
           FROM (public.place_options o
             JOIN public.places kitchen ON ((kitchen.id = o.place_id)))
          WHERE ((o.id = p.chosen_place_id) AND (o.plan_id = p.id))) AS place_name,
        CASE
            WHEN (p.status = 'polling'::public.plan_status) THEN 1
            WHEN ((p.status = 'confirmed'::public.plan_status) AND ((meal.ends_at + make_interval(hours => ( SELECT private.limit_of('done_after_hours'::text) AS limit_of))) > now())) THEN 0
            ELSE 2
        END AS section,
    ((EXTRACT(epoch FROM
        CASE
            WHEN (p.status = 'polling'::public.plan_status) THEN p.created_at
            ELSE COALESCE(meal.starts_at, p.created_at)
        END) * (
        CASE
            WHEN ((p.status = 'confirmed'::public.plan_status) AND ((meal.ends_at + make_interval(hours => ( SELECT private.limit_of('done_after_hours'::text) AS limit_of))) > now())) THEN 1000000
            ELSE '-1000000'::integer
        END)::numeric))::bigint AS "position",
    ( SELECT (count(*))::integer AS count
           FROM public.time_options o
          WHERE (o.plan_id = p.id)) AS times,
    ( SELECT (count(*))::integer AS count
           FROM public.place_options o
          WHERE (o.plan_id = p.id)) AS places,
    private.my_next_step(p.id) AS next,
    ( SELECT (count(*))::integer AS count
           FROM public.time_votes v
          WHERE ((v.plan_id = p.id) AND (v.user_id = ( SELECT private.caller() AS caller)))) AS voted,
    ( SELECT jsonb_agg(jsonb_build_object('user_id', m.user_id, 'display_name', who.display_name, 'avatar_path', who.avatar_path, 'role', m.role, 'rsvp', m.rsvp, 'plus_ones', m.plus_ones, 'answered', (m.answered_at IS NOT NULL), 'arrival', a.status, 'answer', said.best, 'yes', COALESCE(said.yes, 0), 'place_answer', kitchen.answer) ORDER BY m.role, m.joined_at, m.user_id) AS jsonb_agg
           FROM ((((public.plan_members m
             LEFT JOIN public.profiles who ON ((who.id = m.user_id)))
             LEFT JOIN public.arrivals a ON (((a.plan_id = m.plan_id) AND (a.user_id = m.user_id))))
             LEFT JOIN LATERAL ( SELECT min(v.answer) AS best,
                    (count(*) FILTER (WHERE (v.answer = 'yes'::public.vote_answer)))::integer AS yes
                   FROM public.time_votes v
                  WHERE ((v.plan_id = m.plan_id) AND (v.user_id = m.user_id) AND ((p.status = 'polling'::public.plan_status) OR (v.option_id = p.chosen_time_id)))) said ON (true))
             LEFT JOIN public.place_votes kitchen ON (((kitchen.option_id = p.chosen_place_id) AND (kitchen.user_id = m.user_id))))
          WHERE (m.plan_id = p.id)) AS people,
    (p.moved_from_time_id IS NOT NULL) AS moved
   FROM (public.plans p
     LEFT JOIN public.time_options meal ON (((meal.id = p.chosen_time_id) AND (meal.plan_id = p.id))));

CREATE TRIGGER tell_everybody_answered AFTER DELETE OR UPDATE OF times_answered, places_answered, rsvp ON public.plan_members FOR EACH ROW EXECUTE FUNCTION private.tell_everybody_answered();

REVOKE ALL ON FUNCTION "private"."my_next_step"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_next_step"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."next_step"(text, public.person_state, text, boolean, boolean, boolean, boolean, boolean, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_step"(text, public.person_state, text, boolean, boolean, boolean, boolean, boolean, boolean, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."open_question"(public.plan_members) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_question"(public.plan_members) TO "postgres";

REVOKE ALL ON FUNCTION "private"."open_question"(public.rsvp_status, boolean, boolean, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_question"(public.rsvp_status, boolean, boolean, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_next"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_next"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reach"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reach"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."plan_reach"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."plan_reach"(uuid) TO "authenticated", "postgres", "service_role";

GRANT SELECT ON TABLE "public"."plan_cards" TO "authenticated";

GRANT ALL ON TABLE "public"."plan_cards" TO "postgres", "service_role";

RESET check_function_bodies;

UPDATE "public"."plan_members" AS m SET
  "times_answered" = EXISTS (SELECT 1 FROM "public"."time_votes" AS v WHERE v.plan_id = m.plan_id AND v.user_id = m.user_id),
  "places_answered" = EXISTS (SELECT 1 FROM "public"."place_votes" AS v WHERE v.plan_id = m.plan_id AND v.user_id = m.user_id);
