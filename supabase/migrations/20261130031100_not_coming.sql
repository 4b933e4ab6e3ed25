-- Hosts of a decided plan are told who says that they aren't coming, until that person comes after all.

SET check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.is_still_so(kind text, this public.plans, readers uuid[], actor uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN CASE WHEN (kind = ANY (ARRAY['plan_confirmed'::text, 'plan_moved'::text, 'plan_changed'::text])) THEN (private.plan_state(this) = 'confirmed'::text) WHEN (kind = 'plan_placed'::text) THEN ((private.plan_state(this) = 'confirmed'::text) AND ((this).chosen_place_id IS NOT NULL)) WHEN (kind = 'plan_tomorrow'::text) THEN (((this).status = 'confirmed'::public.plan_status) AND (EXISTS (SELECT 1 FROM public.time_options t WHERE ((t.id = (is_still_so.this).chosen_time_id) AND (t.starts_at > now()))))) WHEN (kind = 'seat_freed'::text) THEN ((private.plan_state(this) = 'confirmed'::text) AND (EXISTS (SELECT 1 FROM private.plan_people((is_still_so.this).id) who(user_id, role, state, seats, since) WHERE ((who.user_id = ANY (is_still_so.readers)) AND (who.seats > 0))))) WHEN (kind = 'not_coming'::text) THEN ((private.plan_state(this) = 'confirmed'::text) AND (EXISTS (SELECT 1 FROM public.notifications n WHERE ((n.plan_id = (is_still_so.this).id) AND (n.user_id = ANY (is_still_so.readers)) AND ((n.kind)::text = is_still_so.kind))))) WHEN (kind = 'rate_reminder'::text) THEN (private.plan_state(this) = 'done'::text) WHEN (kind = 'plan_cancelled'::text) THEN ((this).status = 'cancelled'::public.plan_status) WHEN (kind = 'plan_restored'::text) THEN ((this).status <> 'cancelled'::public.plan_status) WHEN (kind = 'plan_proposed'::text) THEN (((this).status = 'polling'::public.plan_status) AND ((this).veto_until > now()) AND ((this).vetoed_by IS NULL)) WHEN (kind = 'plan_vetoed'::text) THEN (((this).status = 'polling'::public.plan_status) AND ((this).vetoed_by IS NOT NULL)) WHEN (kind = 'plan_undecided'::text) THEN (((this).status = 'polling'::public.plan_status) AND ((this).undecided IS NOT NULL)) WHEN (kind = ANY (ARRAY['plan_reopened'::text, 'standing_planned'::text])) THEN ((this).status = 'polling'::public.plan_status) WHEN ((kind = 'vote_nudge'::text) OR ((kind = 'vote_reminder'::text) AND ((this).vote_deadline IS NOT NULL))) THEN (EXISTS (SELECT 1 FROM private.plan_next((is_still_so.this).id) n(user_id, step) WHERE ((n.user_id = ANY (is_still_so.readers)) AND (n.step = ANY (ARRAY['times'::text, 'places'::text]))))) WHEN (kind = 'everybody_answered'::text) THEN (((this).status = 'polling'::public.plan_status) AND (NOT (EXISTS (SELECT 1 FROM public.plan_members m WHERE ((m.plan_id = (is_still_so.this).id) AND (private.open_question(m.*) IS NOT NULL)))))) WHEN (kind = 'join_asked'::text) THEN (((this).status <> 'cancelled'::public.plan_status) AND (EXISTS (SELECT 1 FROM private.join_requests r WHERE ((r.plan_id = (is_still_so.this).id) AND (r.declined_at IS NULL) AND ((is_still_so.actor IS NULL) OR (r.user_id = is_still_so.actor)))))) ELSE (kind = ANY (ARRAY['invite'::text, 'confirm_address'::text])) END;

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
          'standing_planned', 'everybody_answered', 'join_asked', 'not_coming'))
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

CREATE OR REPLACE FUNCTION private.take_back_not_coming()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.notifications as n
    where n.plan_id = new.plan_id and n.kind = 'not_coming' and n.actor_id = new.user_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.remove_member(plan uuid, person uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, person is distinct from caller);
  mine public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = caller);
  theirs public.plan_role := (
    select m.role from public.plan_members as m where m.plan_id = this.id and m.user_id = person);
  answer public.rsvp_status;
begin
  if theirs is null then
    perform private.refuse('person_not_found');
  elsif theirs = 'host' then
    perform private.refuse('host_cannot_leave');
  elsif theirs = 'cohost' and person <> caller and mine <> 'host' then
    perform private.refuse('not_main_host');
  end if;
  delete from public.plan_members as m where m.plan_id = plan and m.user_id = person returning m.rsvp into answer;
  if person <> caller then
    insert into private.removals (plan_id, user_id) values (plan, person)
      on conflict (plan_id, user_id) do update set removed_at = clock_timestamp();
  elsif private.plan_state(this) = 'confirmed' and answer not in ('declined', 'waitlisted') then
    perform private.notify_hosts(plan, 'not_coming');
  end if;
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
  perform private.require_open(this);
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
  if this.status = 'confirmed' and result = 'declined' and before.rsvp not in ('declined', 'waitlisted') then
    perform private.notify_hosts(plan, 'not_coming');
  end if;
  perform private.promote_waitlist(plan);
  return (select m.rsvp from public.plan_members as m where m.plan_id = plan and m.user_id = caller);
end $function$;

CREATE TRIGGER take_back_not_coming AFTER INSERT OR UPDATE OF rsvp ON public.plan_members FOR EACH ROW WHEN ((new.rsvp <> 'declined'::public.rsvp_status)) EXECUTE FUNCTION private.take_back_not_coming();

REVOKE ALL ON FUNCTION "private"."take_back_not_coming"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_back_not_coming"() TO "postgres";

RESET check_function_bodies;
