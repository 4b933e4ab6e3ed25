set local check_function_bodies = off;

DROP TRIGGER "limit_circle_places" ON "public"."circle_places";

DROP TRIGGER "tell_everybody_answered" ON "public"."plan_members";

DROP INDEX "public"."places_name_trgm_idx";

DROP FUNCTION "private"."limit_circle_places"();

DROP FUNCTION "private"."trip_minutes"(double precision, double precision, double precision, double precision);

CREATE OR REPLACE FUNCTION private.call_function(name text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT net.http_post(url => ((address.decrypted_secret || '/functions/v1/'::text) || call_function.name), body => '{}'::jsonb, headers => jsonb_build_object('Content-Type', 'application/json', 'x-reminders-secret', secret.decrypted_secret)) AS http_post
    FROM (vault.decrypted_secrets address
      JOIN vault.decrypted_secrets secret ON ((secret.name = 'reminders_secret'::text)))
   WHERE (address.name = 'project_url'::text);
END;

CREATE OR REPLACE FUNCTION private.decide_plans()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.confirm_proposals();
  if exists (select 1 from public.plans as p where private.is_to_decide(p)) then
    perform private.call_function('decide-plans');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.deliver_mail()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select 1 from private.outgoing_mail as m where m.sent_at is null and m.attempts < 5) then
    perform private.call_function('plan-reminders');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.deliver_push()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if current_setting('nosh.push_called_in', true) = pg_current_xact_id()::text
    or not exists (select 1 from private.outgoing_push as m where m.attempts < 5) then
    return;
  end if;
  perform set_config('nosh.push_called_in', pg_current_xact_id()::text, true);
  perform private.call_function('web-push');
end $function$;

CREATE OR REPLACE FUNCTION private.is_hint(kind text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO ''
RETURN (kind = ANY (ARRAY['vote_nudge'::text, 'everybody_answered'::text, 'join_asked'::text]));

CREATE OR REPLACE FUNCTION private.mail_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from told as n
    where private.is_hint(n.kind::text)
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
    where private.is_hint(n.kind::text) or private.is_addition(n.kind::text)
    on conflict do nothing;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, not_before)
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id, n.actor_id, a.language,
      private.not_before(n.plan_id)
    from told as n
    -- The host who added the place gets it for the calendar too.
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.wanted and (a.user_id = n.user_id
      or a.user_id = n.actor_id and n.kind = 'plan_placed')
    join private.mail_recipients as r on r.address = a.address and r.no_reminders_since is null
    where private.is_hint(n.kind::text) or private.is_addition(n.kind::text) and not exists (
      select 1 from private.outgoing_mail as m
      where m.address = r.address and m.plan_id = n.plan_id and private.is_decision(m.kind::text)
        and m.sent_at is null and m.taken_at is null
    );
  if exists (select 1 from told as n where private.is_hint(n.kind::text)) then
    perform private.deliver_mail();
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.notify_table(plan uuid, kind public.notification_kind)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO public.notifications (user_id, kind, plan_id, actor_id)  SELECT m.user_id,
             notify_table.kind AS kind,
             notify_table.plan AS plan,
             ( SELECT private.caller() AS caller) AS caller
            FROM public.plan_members m
           WHERE ((m.plan_id = notify_table.plan) AND (m.user_id IS DISTINCT FROM ( SELECT private.caller() AS caller)) AND (m.rsvp <> 'declined'::public.rsvp_status));
END;

CREATE OR REPLACE FUNCTION private.places_alike(words text, query tsquery)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET "pg_trgm.word_similarity_threshold" TO '0.45'
BEGIN ATOMIC
 SELECT p.id
    FROM public.places p
   WHERE (to_tsvector('simple'::regconfig, p.search_text) @@ places_alike.query)
 UNION
  SELECT p.id
    FROM public.places p
   WHERE ((places_alike.words <> ''::text) AND (places_alike.words OPERATOR(extensions.<%) p.search_text));
END;

CREATE OR REPLACE FUNCTION private.require_open(this public.plans)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_polling(this public.plans)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_open(this);
  if this.status <> 'polling' then
    perform private.refuse('plan_not_polling');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_the_day(this public.plans)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (select t.starts_at from public.time_options as t where t.id = this.chosen_time_id)
    > now() + make_interval(hours => private.limit_of('arrival_opens_hours')) then
    perform private.refuse('not_the_day');
  end if;
end $function$;

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
  if private.caller() is null or not exists (
    select 1 from public.plans as p where p.id = plan and p.status = 'polling'
  ) or exists (
    select 1 from public.plan_members as m
    where m.plan_id = plan and m.answered_at is null and m.rsvp <> 'declined'
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

CREATE OR REPLACE FUNCTION public.accept_invite(token text)
 RETURNS TABLE(kind text, target uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  invite public.invites := private.usable_invite(accept_invite.token);
  this public.plans;
  host uuid;
  inside boolean := coalesce(
    private.is_plan_member(invite.plan_id) or invite.circle_id in (select private.my_circle_ids()), false);
begin
  if not inside then
    if invite.uses >= invite.max_uses then
      perform private.refuse('invite_used_up');
    end if;
    if invite.plan_id is not null then
      select * into this from public.plans as p where p.id = invite.plan_id;
      perform private.require_open(this);
      insert into public.plan_members (plan_id, user_id) values (invite.plan_id, caller);
      if private.is_guest() and invite.mailed_to is not null then
        perform private.recipient(invite.mailed_to);
        insert into private.left_addresses (plan_id, user_id, address, confirmed_at)
          values (invite.plan_id, caller, invite.mailed_to, now());
      end if;
      select m.user_id into host from public.plan_members as m
        where m.plan_id = invite.plan_id and m.role = 'host';
      insert into public.notifications (user_id, kind, plan_id, actor_id)
        select host, 'person_joined', invite.plan_id, caller where host is not null;
    else
      if private.is_guest() then
        perform private.refuse('needs_account');
      end if;
      insert into public.circle_members (circle_id, user_id) values (invite.circle_id, caller);
    end if;
    update public.invites as i set uses = i.uses + 1 where i.id = invite.id;
  end if;
  return query select
    case when invite.plan_id is null then 'circle' else 'plan' end,
    coalesce(invite.plan_id, invite.circle_id);
end $function$;

CREATE OR REPLACE FUNCTION public.answer_join_request(plan uuid, person uuid, welcome boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform 1 from private.join_requests as r where r.plan_id = this.id and r.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
  elsif not welcome then
    update private.join_requests as r set declined_at = coalesce(r.declined_at, now())
      where r.plan_id = this.id and r.user_id = person;
    return;
  end if;
  perform private.require_open(this);
  -- The person has asked, so they take part in the plan from now on.
  insert into public.plan_members (plan_id, user_id, accepted_at) values (this.id, person, now());
  insert into public.notifications (user_id, kind, plan_id, actor_id) values (person, 'plan_invited', this.id, caller);
end $function$;

CREATE OR REPLACE FUNCTION public.ask_to_join(plan uuid)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_address(ask_to_join.plan);
  earlier private.join_requests;
begin
  -- Requests to one plan are counted one after the other.
  select * into this from public.plans as p where p.id = this.id for no key update;
  if private.is_plan_member(this.id) then
    return 'joined';
  end if;
  perform private.require_open(this);
  if exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = caller) then
    perform private.refuse('removed_before');
  elsif this.joins_by_link then
    insert into public.plan_members (plan_id, user_id) values (this.id, caller);
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      select m.user_id, 'person_joined', this.id, caller from public.plan_members as m
      where m.plan_id = this.id and m.role = 'host';
    return 'joined';
  end if;
  select * into earlier from private.join_requests as r where r.plan_id = this.id and r.user_id = caller;
  if found and earlier.declined_at is null then
    return 'asked';
  elsif earlier.times_asked >= private.limit_of('join_requests_per_plan') then
    return 'refused';
  elsif (select count(*) from public.plan_members as m where m.plan_id = this.id) >= private.limit_of('plan_people') then
    perform private.refuse('plan_full');
  elsif not (
    private.count_daily_use('join person ' || caller, private.limit_of('join_requests_per_person'))
    and private.count_daily_use('join network ' || private.network_of_caller(), private.limit_of('join_requests_per_network'))
  ) then
    perform private.refuse('too_many_join_requests');
  elsif (
    select count(*) from private.join_requests as r where r.plan_id = this.id and r.declined_at is null
  ) >= private.limit_of('open_join_requests') then
    perform private.refuse('join_requests_full');
  end if;
  insert into private.join_requests as r (plan_id, user_id) values (this.id, caller)
    on conflict on constraint join_requests_pkey
      do update set asked_at = now(), declined_at = null, times_asked = r.times_asked + 1;
  perform private.notify_hosts(this.id, 'join_asked');
  return 'asked';
end $function$;

CREATE OR REPLACE FUNCTION public.call_to_table(plan uuid, said text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_the_day(this);
  if this.ready_at is not null then
    return;
  end if;
  insert into public.messages (plan_id, author_id, client_id, body)
    values (plan, caller, gen_random_uuid(), said);
  update public.plans as p set ready_at = now(), ready_by = caller where p.id = plan;
end $function$;

CREATE OR REPLACE FUNCTION public.cancel_plan(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_open(this);
  update public.plans set status = 'cancelled', revision = revision + 1 where id = plan;
  perform private.notify_table(plan, 'plan_cancelled');
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
  perform private.require_open(this);
  if this.status <> 'confirmed' then
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
  this public.plans := private.plan_of_caller(plan, true);
begin
  perform private.require_polling(this);
  perform private.keep_before(this);
  perform private.settle_plan(plan, time_option, place_option, confirm_plan.unsafe_for);
  perform private.keep_after(plan);
end $function$;

CREATE OR REPLACE FUNCTION public.create_invite(plan uuid, days integer DEFAULT 14, uses integer DEFAULT 20)
 RETURNS TABLE(id uuid, token text, expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  end if;
  return query select * from private.new_invite(plan, null, create_invite.days, create_invite.uses);
end $function$;

CREATE OR REPLACE FUNCTION public.invite_by_mail(plan uuid, addresses text[])
 RETURNS TABLE(address text, outcome text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  given text;
  wanted text[];
  recipient private.mail_recipients;
  mine text;
  invite uuid;
  secret text;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  perform private.require_open(this);
  select array_agg(distinct lower(btrim(a))) into wanted from unnest(addresses) as a where btrim(a) <> '';
  if coalesce(cardinality(wanted), 0) = 0
    or exists (select 1 from unnest(wanted) as a where not private.is_mail_address(a)) then
    perform private.refuse('mail_bad_address');
  end if;
  -- Two calls at once are counted one after the other.
  perform 1 from public.profiles as p where p.id = caller for update;
  if cardinality(wanted) > private.limit_of('mails_per_call') or cardinality(wanted) + (
    select count(*) from private.outgoing_mail as m
    where m.sender_id = caller and m.kind = 'invite' and m.created_at > now() - interval '1 day'
  ) > private.limit_of('mails_per_day') then
    perform private.refuse('too_many_mails');
  end if;
  select p.language into mine from public.private_profiles as p where p.id = caller;
  foreach given in array wanted loop
    recipient := private.recipient(given);
    if recipient.no_invites_since is not null or exists (
      select 1 from auth.users as u join public.private_profiles as p on p.id = u.id
      where lower(u.email) = recipient.address and not p.mail_invites
    ) then
      outcome := 'not_sent';
    else
      select i.id, i.token into invite, secret
        from private.new_invite(plan, null, private.limit_of('invite_days'), 1) as i;
      update public.invites as i set mailed_to = recipient.address where i.id = invite;
      insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, secret)
        values (recipient.address, 'invite', plan, caller,
          coalesce((select p.language from auth.users as u join public.private_profiles as p on p.id = u.id
            where lower(u.email) = recipient.address), mine, 'en'),
          secret);
      outcome := 'queued';
    end if;
    address := recipient.address;
    return next;
  end loop;
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
  perform private.require_the_day(this);
  select a.status into before from public.arrivals as a where a.plan_id = plan and a.user_id = caller;
  -- An arrival can be taken back; a message that was late cannot make someone leave the table again.
  if before = 'arrived' and mark_arrival.status = 'on_the_way' then
    perform private.refuse('arrival_backwards');
  end if;
  insert into public.arrivals as a (plan_id, user_id, status, eta)
    values (plan, caller, mark_arrival.status,
      case when mark_arrival.status = 'on_the_way' and eta_minutes is not null
        then now() + make_interval(mins => least(greatest(eta_minutes, 0), 720)) end)
    on conflict on constraint arrivals_pkey do update set status = excluded.status, eta = excluded.eta;
end $function$;

CREATE OR REPLACE FUNCTION public.propose_named_place(plan uuid, name text, details jsonb DEFAULT '{}'::jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.plan_for_option(plan);
  return private.add_named_place(plan, propose_named_place.name, propose_named_place.details);
end $function$;

CREATE OR REPLACE FUNCTION public.propose_place(plan uuid, place uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.plan_for_option(plan);
  return private.add_place(plan, place);
end $function$;

CREATE OR REPLACE FUNCTION public.propose_time(plan uuid, starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.plan_for_option(plan);
  return private.add_time(plan, propose_time.starts_at, propose_time.ends_at);
end $function$;

CREATE OR REPLACE FUNCTION public.reopen_plan(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
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

CREATE OR REPLACE FUNCTION public.restore_plan(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status <> 'cancelled' then
    perform private.refuse('plan_not_cancelled');
  end if;
  if exists (
    select 1 from public.time_options as t
    where t.id = this.chosen_time_id
      and (now() at time zone this.time_zone)::date > (t.ends_at at time zone this.time_zone)::date
  ) then
    perform private.refuse('plan_over');
  end if;
  update public.plans set revision = revision + 1,
    status = case when chosen_time_id is null then 'polling' else 'confirmed' end::public.plan_status
    where id = plan;
  perform private.notify_table(plan, 'plan_restored');
end $function$;

CREATE OR REPLACE FUNCTION public.save_standing_dinner(circle uuid, title text, rhythm public.dinner_rhythm, rotation public.host_rotation, first_on date, starts_at time without time zone, minutes integer, time_zone text, dinner uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.standing_dinners;
  saved uuid;
begin
  if dinner is null then
    perform private.require_circle_admin(circle);
  else
    this := private.standing_of_admin(dinner);
  end if;
  if private.is_time_zone(time_zone) and (first_on + save_standing_dinner.starts_at) at time zone time_zone <= now() then
    perform private.refuse('time_in_past');
  elsif first_on > current_date + private.limit_of('time_option_days') then
    perform private.refuse('time_too_far');
  end if;
  if dinner is null then
    if (select count(*) from public.standing_dinners as s where s.circle_id = circle)
      >= private.limit_of('standing_dinners') then
      perform private.refuse('too_many_standing');
    end if;
    insert into public.standing_dinners
        (circle_id, title, rhythm, rotation, first_on, starts_at, minutes, time_zone, next_on)
      values (circle, private.trimmed(save_standing_dinner.title), save_standing_dinner.rhythm,
        save_standing_dinner.rotation, save_standing_dinner.first_on, save_standing_dinner.starts_at,
        save_standing_dinner.minutes, save_standing_dinner.time_zone, save_standing_dinner.first_on)
      returning id into saved;
  else
    update public.standing_dinners as s set title = private.trimmed(save_standing_dinner.title),
        rhythm = save_standing_dinner.rhythm, rotation = save_standing_dinner.rotation,
        first_on = save_standing_dinner.first_on, starts_at = save_standing_dinner.starts_at,
        minutes = save_standing_dinner.minutes, time_zone = save_standing_dinner.time_zone,
        next_on = save_standing_dinner.first_on
      where s.id = dinner returning s.id into saved;
  end if;
  return saved;
end $function$;

CREATE OR REPLACE FUNCTION public.set_member_required(plan uuid, person uuid, required boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  update public.plan_members as m set required = set_member_required.required
    where m.plan_id = this.id and m.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
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
  perform private.promote_waitlist(plan);
  return (select m.rsvp from public.plan_members as m where m.plan_id = plan and m.user_id = caller);
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
           WHERE (v.plan_id = p.id)), 'place', k.name, 'address_of_place', COALESCE(at_home.address, k.address), 'was_starts_at', ( SELECT w.starts_at
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

CREATE OR REPLACE FUNCTION public.undo_decision(plan uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
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

CREATE TRIGGER limit_circle_places BEFORE INSERT ON public.circle_places FOR EACH ROW EXECUTE FUNCTION private.enforce_limit('circles', 'circle_id', 'circle_places', 'too_many_circle_places');

CREATE TRIGGER tell_everybody_answered AFTER UPDATE OF answered_at, rsvp ON public.plan_members FOR EACH ROW WHEN (((old.answered_at IS NULL) AND ((new.answered_at IS NOT NULL) OR (new.rsvp = 'declined'::public.rsvp_status)))) EXECUTE FUNCTION private.tell_everybody_answered();

CREATE TRIGGER tell_everybody_left AFTER DELETE ON public.plan_members FOR EACH ROW WHEN (((old.answered_at IS NULL) AND (old.rsvp <> 'declined'::public.rsvp_status))) EXECUTE FUNCTION private.tell_everybody_answered();

REVOKE ALL ON FUNCTION "private"."call_function"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."call_function"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_hint"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_hint"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."places_alike"(text, tsquery) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."places_alike"(text, tsquery) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "private"."require_open"(public.plans) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_open"(public.plans) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_the_day"(public.plans) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_the_day"(public.plans) TO "postgres";

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
     p.everybody,
     p.home
    FROM (wanted
      CROSS JOIN LATERAL ( SELECT places.id,
             places.name,
             places.about,
             places.cuisines,
             places.address,
             places.latitude,
             places.longitude,
             places.price,
             places.safe_diets,
             places.time_zone,
             places.source,
             places.created_by,
             places.created_at,
             places.updated_at,
             places.external_id,
             places.search_text,
             places.everybody,
             places.home
            FROM public.places
           WHERE (wanted.text = ''::text)
         UNION ALL
          SELECT k.id,
             k.name,
             k.about,
             k.cuisines,
             k.address,
             k.latitude,
             k.longitude,
             k.price,
             k.safe_diets,
             k.time_zone,
             k.source,
             k.created_by,
             k.created_at,
             k.updated_at,
             k.external_id,
             k.search_text,
             k.everybody,
             k.home
            FROM (private.places_alike(wanted.text, wanted.query) id(id)
              JOIN public.places k USING (id))) p)
   WHERE ((NOT (EXISTS ( SELECT 1
            FROM unnest(search_places.diets) wanted_diet(wanted_diet)
           WHERE ((wanted_diet.wanted_diet <> ALL (p.safe_diets)) AND (NOT ((wanted_diet.wanted_diet = ANY (ARRAY['vegetarian'::public.diet, 'pescatarian'::public.diet, 'lactose_free'::public.diet])) AND ('vegan'::public.diet = ANY (p.safe_diets)))) AND (NOT ((wanted_diet.wanted_diet = 'pescatarian'::public.diet) AND ('vegetarian'::public.diet = ANY (p.safe_diets)))))))) AND ((NOT p.home) OR (p.created_by = ( SELECT private.caller() AS caller))) AND COALESCE((p.price <= search_places.max_price), true) AND ((search_places.open_at IS NULL) OR COALESCE(private.place_open_during(p.id, search_places.open_at, (search_places.open_at + make_interval(mins => search_places.open_minutes))), true)))
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
