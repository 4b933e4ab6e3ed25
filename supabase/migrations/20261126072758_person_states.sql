set local check_function_bodies = off;

DROP TRIGGER "promote_on_leave" ON "public"."plan_members";

DROP VIEW "public"."plan_cards";

ALTER TABLE "public"."plans" ADD COLUMN "moved_from_time_id" uuid;

ALTER TABLE "public"."plans" ADD COLUMN "moved_from_place_id" uuid;

ALTER TABLE "public"."time_votes" ADD COLUMN "yes_at" timestamp with time zone;

CREATE TYPE "public"."person_state" AS ENUM ('asked', 'voted', 'expected', 'maybe', 'waitlisted', 'not_coming', 'on_the_way', 'here', 'was_there');

CREATE OR REPLACE FUNCTION private.answer_of_votes(moved boolean, role public.plan_role, time_vote public.vote_answer, place_vote public.vote_answer)
 RETURNS public.rsvp_status
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN (CASE WHEN moved THEN 'pending'::text WHEN (time_vote = 'no'::public.vote_answer) THEN 'declined'::text WHEN (place_vote = 'no'::public.vote_answer) THEN 'pending'::text WHEN (time_vote = 'if_need_be'::public.vote_answer) THEN 'maybe'::text WHEN ((time_vote = 'yes'::public.vote_answer) OR (role = 'host'::public.plan_role)) THEN 'going'::text ELSE 'pending'::text END)::public.rsvp_status;

CREATE OR REPLACE FUNCTION private.hand_over()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  hosted record;
  owned record;
  successor uuid;
begin
  for hosted in
    select p.id, private.plan_state(p) as state from public.plans as p
    join public.plan_members as m on m.plan_id = p.id and m.user_id = old.id and m.role = 'host'
  loop
    select m.user_id into successor from public.plan_members as m
      join public.profiles as who on who.id = m.user_id and not who.is_guest
      where m.plan_id = hosted.id and m.user_id <> old.id
      order by m.role = 'cohost' desc, exists (
        select 1 from private.plan_people(hosted.id) as person where person.user_id = m.user_id and person.seats > 0
      ) desc, m.joined_at limit 1;
    update public.plan_members as m set role = 'guest' where m.plan_id = hosted.id and m.user_id = old.id;
    if successor is not null then
      update public.plan_members as m set role = 'host' where m.plan_id = hosted.id and m.user_id = successor;
    elsif not exists (select from public.plan_members as m where m.plan_id = hosted.id and m.user_id <> old.id) then
      delete from public.plans where id = hosted.id;
    elsif hosted.state in ('polling', 'confirmed') then
      -- Only guests are left, and nobody who could confirm or change anything.
      update public.plans set status = 'cancelled', revision = revision + 1 where id = hosted.id;
    end if;
  end loop;
  for owned in
    select m.circle_id from public.circle_members as m where m.user_id = old.id and m.role = 'owner'
  loop
    select m.user_id into successor from public.circle_members as m
      where m.circle_id = owned.circle_id and m.user_id <> old.id
      order by m.role = 'admin' desc, m.joined_at limit 1;
    if successor is null then
      delete from public.circles where id = owned.circle_id;
    else
      update public.circle_members as m set role = 'member'
        where m.circle_id = owned.circle_id and m.user_id = old.id;
      update public.circle_members as m set role = 'owner'
        where m.circle_id = owned.circle_id and m.user_id = successor;
    end if;
  end loop;
  return old;
end $function$;

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

CREATE OR REPLACE FUNCTION private.note_answered()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  voter record := coalesce(new, old);
  answered boolean := exists (
    select 1 from public.time_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id
  ) or exists (
    select 1 from public.place_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id
  );
begin
  update public.plan_members as m set answered_at = case when answered then now() end
    where m.plan_id = voter.plan_id and m.user_id = voter.user_id and (m.answered_at is not null) <> answered;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.person_state(plan text, moved boolean, role public.plan_role, said public.rsvp_status, voted boolean, time_vote public.vote_answer, place_vote public.vote_answer, arrival public.arrival_status)
 RETURNS public.person_state
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (
         CASE
             WHEN (person_state.plan = 'cancelled'::text) THEN 'not_coming'::text
             WHEN (person_state.plan = 'polling'::text) THEN
             CASE
                 WHEN (person_state.said = 'declined'::public.rsvp_status) THEN 'not_coming'::text
                 WHEN (person_state.voted OR (person_state.said <> 'pending'::public.rsvp_status)) THEN 'voted'::text
                 ELSE 'asked'::text
             END
             WHEN (person_state.plan = 'done'::text) THEN
             CASE
                 WHEN ((person_state.arrival = ANY (ARRAY['arrived'::public.arrival_status, 'on_the_way'::public.arrival_status])) OR (given.answer = 'going'::public.rsvp_status)) THEN 'was_there'::text
                 WHEN (given.answer = 'maybe'::public.rsvp_status) THEN 'maybe'::text
                 ELSE 'not_coming'::text
             END
             WHEN (person_state.arrival = 'arrived'::public.arrival_status) THEN 'here'::text
             WHEN (person_state.arrival = 'on_the_way'::public.arrival_status) THEN 'on_the_way'::text
             ELSE
             CASE given.answer
                 WHEN 'pending'::public.rsvp_status THEN 'asked'::text
                 WHEN 'going'::public.rsvp_status THEN 'expected'::text
                 WHEN 'declined'::public.rsvp_status THEN 'not_coming'::text
                 ELSE (given.answer)::text
             END
         END)::public.person_state AS answer
    FROM ( SELECT
                 CASE person_state.said
                     WHEN 'pending'::public.rsvp_status THEN private.answer_of_votes(person_state.moved, person_state.role, person_state.time_vote, person_state.place_vote)
                     ELSE person_state.said
                 END AS answer) given;
END;

CREATE OR REPLACE FUNCTION private.plan_people(plan uuid)
 RETURNS TABLE(user_id uuid, role public.plan_role, state public.person_state, seats integer, since timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT one.user_id,
     one.role,
     one.state,
         CASE
             WHEN (one.state = ANY (ARRAY['expected'::public.person_state, 'on_the_way'::public.person_state, 'here'::public.person_state, 'was_there'::public.person_state])) THEN (1 + one.plus_ones)
             ELSE 0
         END AS "case",
     one.since
    FROM ( SELECT m.user_id,
             m.role,
             m.plus_ones,
             private.person_state(private.plan_state(p.*), (p.moved_from_time_id IS NOT NULL), m.role, m.rsvp, (m.answered_at IS NOT NULL), t.answer, k.answer, a.status) AS state,
             COALESCE(LEAST(
                 CASE m.rsvp
                     WHEN 'going'::public.rsvp_status THEN m.rsvp_at
                     ELSE NULL::timestamp with time zone
                 END,
                 CASE t.answer
                     WHEN 'yes'::public.vote_answer THEN COALESCE(t.yes_at, t.voted_at)
                     ELSE NULL::timestamp with time zone
                 END), m.joined_at) AS since
            FROM ((((public.plans p
              JOIN public.plan_members m ON ((m.plan_id = p.id)))
              LEFT JOIN public.time_votes t ON (((t.option_id = p.chosen_time_id) AND (t.user_id = m.user_id))))
              LEFT JOIN public.place_votes k ON (((k.option_id = p.chosen_place_id) AND (k.user_id = m.user_id))))
              LEFT JOIN public.arrivals a ON (((a.plan_id = p.id) AND (a.user_id = m.user_id))))
           WHERE (p.id = plan_people.plan)) one;
END;

CREATE OR REPLACE FUNCTION private.calendar_events(person uuid, plan uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(events.event ORDER BY (events.event ->> 'starts_at'::text)), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT jsonb_build_object('plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision, 'status', private.plan_state(p.*), 'state', table_of.state, 'starts_at', t.starts_at, 'ends_at', t.ends_at, 'time_zone', p.time_zone, 'place', k.name, 'address', k.address, 'latitude', k.latitude, 'longitude', k.longitude, 'people', table_of.people, 'created_at', p.created_at, 'updated_at', p.updated_at) AS event
            FROM (((((public.plan_members m
              JOIN public.plans p ON ((p.id = m.plan_id)))
              JOIN public.time_options t ON ((t.id = p.chosen_time_id)))
              LEFT JOIN public.place_options o ON ((o.id = p.chosen_place_id)))
              LEFT JOIN public.places k ON ((k.id = o.place_id)))
              CROSS JOIN LATERAL ( SELECT count(*) FILTER (WHERE (who.seats > 0)) AS people,
                     min(who.state) FILTER (WHERE (who.user_id = m.user_id)) AS state
                    FROM private.plan_people(p.id) who(user_id, role, state, seats, since)) table_of)
           WHERE ((m.user_id = calendar_events.person) AND ((calendar_events.plan IS NULL) OR (p.id = calendar_events.plan)) AND (t.ends_at > (now() - '90 days'::interval)))
           ORDER BY t.starts_at DESC
          LIMIT 500) events;
END;

create or replace function private.due_reminders()
  returns table (plan_id uuid, user_id uuid, kind public.mail_kind, due_for timestamptz)
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id, m.user_id, 'vote_reminder'::public.mail_kind, p.vote_deadline
    from public.plans as p cross join lateral private.plan_people(p.id) as m
    where p.status = 'polling' and m.state = 'asked'
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

CREATE OR REPLACE FUNCTION private.fill_table(plan uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH parties AS (
          SELECT who.user_id,
             who.role,
             who.since,
             sum(who.seats) OVER (ORDER BY (who.role = 'host'::public.plan_role) DESC, who.since, who.user_id) AS seats
            FROM private.plan_people(fill_table.plan) who(user_id, role, state, seats, since)
           WHERE (who.seats > 0)
         )
  UPDATE public.plan_members m SET rsvp = 'waitlisted'::public.rsvp_status, waitlisted_at = parties.since
    FROM parties,
     public.plans p
   WHERE ((m.plan_id = fill_table.plan) AND (m.user_id = parties.user_id) AND (p.id = fill_table.plan) AND (parties.seats > p.capacity) AND (parties.role <> 'host'::public.plan_role));
 SELECT private.promote_waitlist(plan) AS promote_waitlist;
END;

CREATE OR REPLACE FUNCTION private.promote_waitlist(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans;
  next public.plan_members;
begin
  select * into this from public.plans as p where p.id = plan;
  if not found or private.plan_state(this) <> 'confirmed' then
    return;
  end if;
  loop
    select * into next from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' order by m.waitlisted_at, m.user_id limit 1;
    exit when not found
      or private.seats_taken(plan) + 1 + next.plus_ones > coalesce(this.capacity, 32767);
    update public.plan_members as m set rsvp = 'going', waitlisted_at = null
      where m.plan_id = plan and m.user_id = next.user_id;
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      values (next.user_id, 'seat_freed', plan, (select private.caller()));
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.seats_taken(plan uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (SELECT (COALESCE(sum(who.seats), (0)::bigint))::integer AS "coalesce" FROM private.plan_people(seats_taken.plan) who(user_id, role, state, seats, since));

CREATE OR REPLACE FUNCTION private.settle_plan(plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_choice(plan, time_option, place_option, settle_plan.unsafe_for);
  update public.plans as p set status = 'confirmed', chosen_time_id = time_option, chosen_place_id = place_option,
    revision = p.revision + 1 where p.id = plan;
  perform private.fill_table(plan);
  perform private.notify_table(plan, 'plan_confirmed');
end $function$;

CREATE OR REPLACE FUNCTION public.cast_votes(plan uuid, times jsonb DEFAULT '{}'::jsonb, places jsonb DEFAULT '{}'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  perform private.require_polling(this);
  if this.vote_deadline <= now() then
    perform private.refuse('voting_closed');
  end if;
  if exists (
    select 1 from jsonb_object_keys(times) as key
    where not exists (select 1 from public.time_options as o where o.plan_id = plan and o.id::text = key)
  ) or exists (
    select 1 from jsonb_object_keys(places) as key
    where not exists (select 1 from public.place_options as o where o.plan_id = plan and o.id::text = key)
  ) then
    perform private.refuse('option_not_found');
  end if;

  delete from public.time_votes as v using jsonb_each_text(times) as given
    where v.user_id = caller and v.option_id = given.key::uuid and given.value is null;
  -- Not now(), which is when the transaction began: seats are filled in the order in which the plan was locked.
  insert into public.time_votes as v (option_id, plan_id, user_id, answer, yes_at)
    select given.key::uuid, plan, caller, given.value::public.vote_answer,
      case given.value when 'yes' then clock_timestamp() end
    from jsonb_each_text(times) as given where given.value is not null
    on conflict (option_id, user_id) do update
      set answer = excluded.answer, voted_at = now(), yes_at = coalesce(v.yes_at, excluded.yes_at)
    where v.answer is distinct from excluded.answer;

  delete from public.place_votes as v using jsonb_each_text(places) as given
    where v.user_id = caller and v.option_id = given.key::uuid and given.value is null;
  insert into public.place_votes as v (option_id, plan_id, user_id, answer)
    select given.key::uuid, plan, caller, given.value::public.vote_answer
    from jsonb_each_text(places) as given where given.value is not null
    on conflict (option_id, user_id) do update set answer = excluded.answer, voted_at = now()
    where v.answer is distinct from excluded.answer;
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
end $function$;

CREATE OR REPLACE FUNCTION public.mark_arrival(plan uuid, status public.arrival_status, eta_minutes integer DEFAULT NULL::integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
  before public.arrival_status;
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (select t.starts_at from public.time_options as t where t.id = this.chosen_time_id)
    > now() + make_interval(hours => private.limit_of('arrival_opens_hours')) then
    perform private.refuse('not_the_day');
  end if;
  select a.status into before from public.arrivals as a where a.plan_id = plan and a.user_id = caller;
  -- An arrival can be taken back; a message that was late cannot make someone leave the table again.
  if before = 'arrived' and mark_arrival.status = 'on_the_way' then
    perform private.refuse('arrival_backwards');
  end if;
  insert into public.arrivals as a (plan_id, user_id, status, eta)
    values (plan, caller, mark_arrival.status,
      case when mark_arrival.status = 'on_the_way'
        then now() + make_interval(mins => least(greatest(eta_minutes, 0), 720)) end)
    on conflict on constraint arrivals_pkey do update set status = excluded.status, eta = excluded.eta;
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
    select who.user_id, 'vote_nudge', this.id, caller from private.plan_people(this.id) as who
    where who.user_id <> caller and who.state = 'asked'
      and exists (select 1 from public.time_options as t where t.plan_id = this.id and t.starts_at > now());
  get diagnostics nudged = row_count;
  if nudged = 0 then
    perform private.refuse('nobody_to_nudge');
  end if;
  update public.plans as p set nudged_at = now() where p.id = this.id;
  return nudged;
end $function$;

CREATE OR REPLACE FUNCTION public.reopen_plan(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  end if;
  update public.plans set status = 'polling', chosen_time_id = null, chosen_place_id = null,
    moved_from_time_id = null, moved_from_place_id = null, vote_deadline = null, revision = revision + 1 where id = plan;
  update public.plan_members set rsvp = 'pending', waitlisted_at = null
    where plan_id = plan and rsvp <> 'declined';
  delete from public.arrivals where plan_id = plan;
  perform private.notify_table(plan, 'plan_reopened');
end $function$;

CREATE OR REPLACE FUNCTION public.set_rsvp(plan uuid, answer public.rsvp_status, plus_ones integer DEFAULT 0)
 RETURNS public.rsvp_status
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
  before public.plan_members;
  result public.rsvp_status := case when answer = 'waitlisted' then 'going' else answer end;
  party integer := case when answer in ('going', 'waitlisted') then set_rsvp.plus_ones else 0 end;
  own_seats integer := (select who.seats from private.plan_people(plan) as who where who.user_id = caller);
  taken_by_others integer;
  others_wait boolean;
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
  select * into before from public.plan_members as m where m.plan_id = plan and m.user_id = caller;
  -- Seats are given when the plan is decided.
  if result = 'going' and this.status = 'confirmed' and this.capacity is not null then
    taken_by_others := private.seats_taken(plan) - own_seats;
    others_wait := exists (
      select 1 from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' and m.user_id <> caller
        and (before.waitlisted_at is null or m.waitlisted_at < before.waitlisted_at)
    );
    if own_seats > 0 then
      -- Who sits keeps the seat: a party that is too large is refused as a whole.
      if party > before.plus_ones and (taken_by_others + 1 + party > this.capacity or others_wait) then
        perform private.refuse('no_seat_free');
      end if;
    elsif taken_by_others + 1 + party > this.capacity or others_wait then
      result := 'waitlisted';
    end if;
  end if;
  update public.plan_members as m
    set rsvp = result, plus_ones = party,
      -- Not now(), which is when the transaction began: the line is in the order in which the plan was locked.
      waitlisted_at = case when result = 'waitlisted' then coalesce(before.waitlisted_at, clock_timestamp()) end
    where m.plan_id = plan and m.user_id = caller;
  -- Who does not come is not on the way either.
  delete from public.arrivals as a where result = 'declined' and a.plan_id = set_rsvp.plan and a.user_id = caller;
  perform private.promote_waitlist(plan);
  return (select m.rsvp from public.plan_members as m where m.plan_id = plan and m.user_id = caller);
end $function$;

create or replace function public.take_mail(most integer default 20) returns jsonb
  language sql volatile security definer set search_path = ''
  begin atomic
    with taken as (
      update private.outgoing_mail as m set taken_at = now(), attempts = m.attempts + 1
      where m.id in (
        select w.id from private.outgoing_mail as w
        where w.sent_at is null and w.attempts < 5
          and (w.taken_at is null or w.taken_at < now() - interval '10 minutes')
        order by w.created_at limit least(most, 100) for update skip locked
      )
      returning m.*
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'address', m.address, 'kind', m.kind, 'language', m.language, 'secret', m.secret,
      'unsubscribe', r.token, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone,
      'vote_deadline', p.vote_deadline, 'veto_until', p.veto_until, 'veto_reason', p.veto_reason,
      'vetoed_by', (select split_part(v.display_name, ' ', 1) from public.profiles as v where v.id = p.vetoed_by),
      'undecided', p.undecided, 'own', private.is_decision(m.kind::text) and m.sender_id is not null,
      'starts_at', t.starts_at, 'place', k.name, 'address_of_place', k.address,
      -- What hosts have changed it from.
      'was_starts_at', (select w.starts_at from public.time_options as w where w.id = p.moved_from_time_id),
      'was_place', (
        select w.name from public.place_options as x join public.places as w on w.id = x.place_id
        where x.id = p.moved_from_place_id),
      'host', split_part(h.display_name, ' ', 1), 'sender', split_part(s.display_name, ' ', 1),
      'people', (select count(*) from public.plan_members as c where c.plan_id = p.id),
      'event', case when m.kind <> 'plan_proposed' and t.id is not null then jsonb_build_object(
        'plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision,
        'status', private.plan_state(p),
        'state', coalesce((
          select who.state from private.plan_mail_addresses(p.id) as a
          join private.plan_people(p.id) as who on who.user_id = a.user_id
          where a.address = m.address order by who.since limit 1), 'asked'),
        'starts_at', t.starts_at, 'ends_at', t.ends_at,
        'place', k.name, 'address', k.address, 'latitude', k.latitude, 'longitude', k.longitude,
        'people', (select count(*) from private.plan_people(p.id) as who where who.seats > 0),
        'created_at', p.created_at, 'updated_at', p.updated_at) end
    ) order by m.created_at), '[]')
    from taken as m
    join private.mail_recipients as r on r.address = m.address
    join public.plans as p on p.id = m.plan_id
    left join public.time_options as t
      on t.id = case m.kind when 'plan_proposed' then p.proposed_time_id else p.chosen_time_id end
    left join public.place_options as o
      on o.id = case m.kind when 'plan_proposed' then p.proposed_place_id else p.chosen_place_id end
    left join public.places as k on k.id = o.place_id
    left join public.plan_members as hm on hm.plan_id = p.id and hm.role = 'host'
    left join public.profiles as h on h.id = hm.user_id
    left join public.profiles as s on s.id = m.sender_id;
  end;

-- lint: allow lock: the column is new and null in every row
ALTER TABLE "public"."plans" ADD CONSTRAINT "plans_moved_from_place_fkey" FOREIGN KEY (moved_from_place_id, id) REFERENCES public.place_options(id, plan_id);

-- lint: allow lock: the column is new and null in every row
ALTER TABLE "public"."plans" ADD CONSTRAINT "plans_moved_from_time_fkey" FOREIGN KEY (moved_from_time_id, id) REFERENCES public.time_options(id, plan_id);

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
    ( SELECT max(o.starts_at) AS max
           FROM public.time_options o
          WHERE ((o.plan_id = p.id) AND (NOT (EXISTS ( SELECT 1
                   FROM public.time_votes v
                  WHERE ((v.option_id = o.id) AND (v.plan_id = p.id) AND (v.user_id = ( SELECT private.caller() AS caller)))))))) AS unanswered_until,
    ( SELECT count(*)::integer FROM public.time_votes v
          WHERE ((v.plan_id = p.id) AND (v.user_id = ( SELECT private.caller() AS caller)))) AS voted,
    (EXISTS ( SELECT 1
           FROM public.ratings r
          WHERE ((r.plan_id = p.id) AND (r.user_id = ( SELECT private.caller() AS caller))))) AS rated,
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

-- lint: allow lock: the column is new and null in every row
CREATE INDEX plans_moved_from_place_idx ON public.plans USING btree (moved_from_place_id, id);

-- lint: allow lock: the column is new and null in every row
CREATE INDEX plans_moved_from_time_idx ON public.plans USING btree (moved_from_time_id, id);

CREATE TRIGGER note_answered AFTER INSERT OR DELETE ON public.place_votes FOR EACH ROW EXECUTE FUNCTION private.note_answered();

CREATE TRIGGER promote_on_leave AFTER DELETE ON public.plan_members FOR EACH ROW WHEN ((old.rsvp <> 'declined'::public.rsvp_status)) EXECUTE FUNCTION private.promote_after_change();

REVOKE ALL ON FUNCTION "private"."answer_of_votes"(boolean, public.plan_role, public.vote_answer, public.vote_answer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."answer_of_votes"(boolean, public.plan_role, public.vote_answer, public.vote_answer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."person_state"(text, boolean, public.plan_role, public.rsvp_status, boolean, public.vote_answer, public.vote_answer, public.arrival_status) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."person_state"(text, boolean, public.plan_role, public.rsvp_status, boolean, public.vote_answer, public.vote_answer, public.arrival_status) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_people"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_people"(uuid) TO "postgres";

GRANT USAGE ON TYPE "public"."person_state" TO "postgres";

GRANT SELECT ON TABLE "public"."plan_cards" TO "authenticated";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."plan_cards" TO "postgres", "service_role";

-- The time of a yes that was given before this column was there is the time of the answer.
update public.time_votes set yes_at = voted_at where answer = 'yes';

-- An answer to a place alone counts as an answer.
update public.plan_members as m set answered_at = first_answer.at
  from (select v.plan_id, v.user_id, min(v.voted_at) as at from public.place_votes as v group by v.plan_id, v.user_id) as first_answer
  where m.plan_id = first_answer.plan_id and m.user_id = first_answer.user_id and m.answered_at is null;
