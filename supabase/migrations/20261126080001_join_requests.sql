-- The count of confirmations counts requests to join too. Its rows last a day, so it is renamed and keeps them.
-- lint: allow destruction: only the function that this migration replaces reads the table
alter table private.confirmations_asked rename to daily_uses;
alter index private.confirmations_asked_pkey rename to daily_uses_pkey;
set local check_function_bodies = off;

DROP FUNCTION "private"."count_confirmation"(text, integer);

CREATE TABLE "private"."join_requests" ("plan_id" uuid NOT NULL, "user_id" uuid NOT NULL, "asked_at" timestamp with time zone NOT NULL DEFAULT now(), "declined_at" timestamp with time zone, CONSTRAINT "join_requests_pkey" PRIMARY KEY (plan_id, user_id));

ALTER TABLE "public"."plans" ADD COLUMN "joins_by_link" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.count_daily_use(subject text, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  counted integer;
begin
  delete from private.daily_uses as u where u.since <= clock_timestamp() - interval '1 day';
  insert into private.daily_uses as u (subject) values (private.token_hash(count_daily_use.subject))
    on conflict on constraint daily_uses_pkey do update set uses = u.uses + 1
    returning u.uses into counted;
  return counted <= most;
end $function$;

CREATE OR REPLACE FUNCTION private.end_join_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.join_requests as r where r.plan_id = new.plan_id and r.user_id = new.user_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.habits_data(person uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT jsonb_build_object('usual_times', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('weekday', u.weekday, 'part', u.part, 'answer', u.answer) ORDER BY u.weekday, u.part), '[]'::jsonb) AS "coalesce"
            FROM public.usual_times u
           WHERE (u.user_id = habits_data.person)), 'objections', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('plan_id', p.id, 'reason', p.veto_reason, 'at', p.vetoed_at) ORDER BY p.vetoed_at), '[]'::jsonb) AS "coalesce"
            FROM public.plans p
           WHERE (p.vetoed_by = habits_data.person)), 'join_requests', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('plan_id', r.plan_id, 'asked_at', r.asked_at, 'declined_at', r.declined_at) ORDER BY r.asked_at), '[]'::jsonb) AS "coalesce"
            FROM private.join_requests r
           WHERE (r.user_id = habits_data.person))) AS jsonb_build_object;
END;

CREATE OR REPLACE FUNCTION private.pass_work(guest uuid, account uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update storage.objects as o set owner_id = account::text, owner = account
    where o.owner_id = guest::text and (
      o.bucket_id = 'plan-photos' and o.name in (select p.path from public.photos as p where p.author_id = guest)
      or o.bucket_id = 'avatars' and o.name ~>=~ (guest || '/') and o.name ~<~ (guest || '0'));
  update public.photos as p set author_id = account where p.author_id = guest;
  update public.time_options as o set proposed_by = account where o.proposed_by = guest;
  update public.place_options as o set proposed_by = account where o.proposed_by = guest;
  update public.invites as i set created_by = account where i.created_by = guest;
  update public.plans as p set ready_by = account where p.ready_by = guest;
  update public.plans as p set vetoed_by = account where p.vetoed_by = guest;
  update public.places as p set created_by = account where p.created_by = guest;
  update private.outgoing_mail as m set sender_id = account where m.sender_id = guest;
  update public.push_subscriptions as s set user_id = account where s.user_id = guest;

  -- One word for each person: the account's counts.
  delete from public.place_diet_claims as c where c.made_by = guest and exists (
    select 1 from public.place_diet_claims as own
    where own.place_id = c.place_id and own.diet = c.diet and own.made_by = account);
  update public.place_diet_claims as c set made_by = account where c.made_by = guest;
  insert into public.saved_places (user_id, place_id, saved_at)
    select account, s.place_id, s.saved_at from public.saved_places as s where s.user_id = guest
    on conflict (user_id, place_id) do nothing;
  insert into public.usual_times (user_id, weekday, part, answer)
    select account, u.weekday, u.part, u.answer from public.usual_times as u where u.user_id = guest
    on conflict (user_id, weekday, part) do nothing;
  update private.calendar_feeds as f set user_id = account
    where f.user_id = guest and not exists (select 1 from private.calendar_feeds as own where own.user_id = account);
  insert into private.reminders (plan_id, user_id, kind, due_for)
    select r.plan_id, account, r.kind, r.due_for from private.reminders as r where r.user_id = guest
    on conflict do nothing;
  update private.join_requests as r set user_id = account
    where r.user_id = guest
      and not exists (select 1 from public.plan_members as m where m.plan_id = r.plan_id and m.user_id = account)
      and not exists (select 1 from private.join_requests as own where own.plan_id = r.plan_id and own.user_id = account);

  -- Not what both were told at once, what one of them did, and what is on a plan that is closed to the account.
  delete from public.notifications as n
    where n.user_id = account and n.actor_id = guest
      or n.user_id = guest and (
        n.actor_id = account
        or exists (
          select 1 from public.notifications as own
          where own.user_id = account and own.plan_id = n.plan_id and own.kind = n.kind and own.created_at = n.created_at)
        or exists (select 1 from private.removals as r where r.user_id = account and r.plan_id = n.plan_id));
  update public.notifications as n set user_id = account where n.user_id = guest;
  update public.notifications as n set actor_id = account where n.actor_id = guest;

  update public.profiles as mine set
      diets = case when mine.diets_known then mine.diets else theirs.diets end,
      diets_known = mine.diets_known or theirs.diets_known,
      -- Two is what every profile begins with.
      budget = case when mine.budget = 2 then theirs.budget else mine.budget end
    from public.profiles as theirs
    where mine.id = account and theirs.id = guest;
  update public.private_profiles as mine
    set start_latitude = theirs.start_latitude, start_longitude = theirs.start_longitude
    from public.private_profiles as theirs
    where mine.id = account and theirs.id = guest and mine.start_latitude is null and theirs.start_latitude is not null;
end $function$;

CREATE OR REPLACE FUNCTION private.plan_of_address(plan uuid)
 RETURNS public.plans
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans;
begin
  select * into this from public.plans as p
    where p.id = plan_of_address.plan and not exists (select 1 from private.sample_plans as s where s.plan_id = p.id);
  if not found then
    perform private.refuse('plan_not_found');
  end if;
  return this;
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
  insert into private.outgoing_push (subscription_id, plan_id, user_id, kind, not_before)
    select s.id, n.plan_id, n.user_id, n.kind, private.not_before(n.plan_id)
    from told as n
    join public.push_subscriptions as s on s.user_id = n.user_id
    join public.plan_members as seat on seat.plan_id = n.plan_id and seat.user_id = n.user_id
    where (private.is_decision(n.kind::text)
        or private.is_addition(n.kind::text) or n.kind in ('vote_nudge', 'vote_reminder', 'plan_tomorrow', 'seat_freed',
          'standing_planned', 'everybody_answered', 'join_asked'))
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
  elsif private.plan_state(this) = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
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
  elsif private.plan_state(this) = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = caller) then
    perform private.refuse('removed_before');
  elsif this.joins_by_link then
    insert into public.plan_members (plan_id, user_id) values (this.id, caller);
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      select m.user_id, 'person_joined', this.id, caller from public.plan_members as m
      where m.plan_id = this.id and m.role = 'host';
    return 'joined';
  end if;
  select * into earlier from private.join_requests as r where r.plan_id = this.id and r.user_id = caller;
  if found then
    return case when earlier.declined_at is null then 'asked' else 'declined' end;
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
  insert into private.join_requests (plan_id, user_id) values (this.id, caller);
  perform private.notify_hosts(this.id, 'join_asked');
  return 'asked';
end $function$;

CREATE OR REPLACE FUNCTION public.join_requests(plan uuid)
 RETURNS TABLE(user_id uuid, display_name text, asked_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.is_plan_member(join_requests.plan) then
    perform private.require_caller();
    perform private.refuse('plan_not_found');
  elsif not private.is_plan_host(join_requests.plan) then
    perform private.refuse('not_host');
  end if;
  return query
    select r.user_id, p.display_name, r.asked_at
    from private.join_requests as r join public.profiles as p on p.id = r.user_id
    where r.plan_id = join_requests.plan and r.declined_at is null order by r.asked_at, r.user_id;
end $function$;

CREATE OR REPLACE FUNCTION public.leave_address(plan uuid, address text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  wanted text := lower(btrim(leave_address.address));
  recipient private.mail_recipients;
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
  known boolean;
begin
  if not private.is_plan_member(plan) then
    perform private.refuse('plan_not_found');
  elsif not private.is_guest() then
    perform private.refuse('not_a_guest');
  elsif not coalesce(private.is_mail_address(wanted), false) then
    perform private.refuse('mail_bad_address');
  end if;
  known := exists (
    select 1 from private.left_addresses as l
    where l.user_id = caller and l.address = wanted and l.confirmed_at is not null);
  if not known and not (
    private.count_daily_use('confirm person ' || caller, private.limit_of('confirmations_per_person'))
    and private.count_daily_use('confirm network ' || private.network_of_caller(), private.limit_of('confirmations_per_network'))
    and private.count_daily_use('confirm address ' || wanted, private.limit_of('confirmations_per_address'))
  ) then
    perform private.refuse('too_many_confirmations');
  end if;
  recipient := private.recipient(wanted);
  if recipient.no_reminders_since is not null or exists (
    select 1 from auth.users as u join public.private_profiles as p on p.id = u.id
    where lower(u.email) = wanted and not p.mail_reminders
  ) then
    return 'not_sent';
  end if;
  insert into private.left_addresses as l (plan_id, user_id, address, token_hash, confirmed_at)
    values (plan, caller, wanted, case when not known then private.token_hash(secret) end, case when known then now() end)
    on conflict on constraint left_addresses_pkey do update set
      address = excluded.address, token_hash = excluded.token_hash, asked_at = now(), confirmed_at = excluded.confirmed_at;
  if known then
    return 'confirmed';
  end if;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, secret)
    select wanted, 'confirm_address', plan, caller, p.language, secret
    from public.private_profiles as p where p.id = caller;
  perform private.deliver_mail();
  return 'asked';
end $function$;

CREATE OR REPLACE FUNCTION public.preview_plan(plan uuid)
 RETURNS TABLE(title text, host_name text, people integer, plan_state text, joined boolean, opens boolean, request text, language text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this public.plans := private.plan_of_address(preview_plan.plan);
begin
  return query
    select this.title, split_part(host.display_name, ' ', 1),
      (select count(*)::integer from public.plan_members as m where m.plan_id = this.id),
      private.plan_state(this), private.is_plan_member(this.id), this.joins_by_link,
      case
        when exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = (select private.caller()))
          then 'removed'
        else (select case when r.declined_at is null then 'asked' else 'declined' end from private.join_requests as r
          where r.plan_id = this.id and r.user_id = (select private.caller()))
      end,
      private_host.language
    from public.plans as p
    left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
    left join public.profiles as host on host.id = h.user_id
    left join public.private_profiles as private_host on private_host.id = h.user_id
    where p.id = this.id;
end $function$;

ALTER TABLE "private"."join_requests" ADD CONSTRAINT "join_requests_plan_id_fkey" FOREIGN KEY (plan_id) REFERENCES public.plans(id) ON DELETE CASCADE;

ALTER TABLE "private"."join_requests" ADD CONSTRAINT "join_requests_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

CREATE INDEX join_requests_user_idx ON private.join_requests USING btree (user_id);

CREATE TRIGGER end_join_request AFTER INSERT ON public.plan_members FOR EACH ROW EXECUTE FUNCTION private.end_join_request();

REVOKE ALL ON FUNCTION "private"."count_daily_use"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."count_daily_use"(text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_join_request"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_join_request"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_of_address"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_of_address"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."answer_join_request"(uuid, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."answer_join_request"(uuid, uuid, boolean) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."ask_to_join"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."ask_to_join"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."join_requests"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."join_requests"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."preview_plan"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."preview_plan"(uuid) TO "anon", "authenticated", "postgres", "service_role";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "private"."join_requests" TO "postgres";

REVOKE ALL ("joins_by_link") ON TABLE "public"."plans" FROM "authenticated";

GRANT UPDATE ("joins_by_link") ON TABLE "public"."plans" TO "authenticated";