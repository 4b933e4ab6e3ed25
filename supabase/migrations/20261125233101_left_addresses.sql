set local check_function_bodies = off;

CREATE TABLE "private"."confirmations_asked" ("subject" bytea NOT NULL, "since" timestamp with time zone NOT NULL DEFAULT now(), "uses" integer NOT NULL DEFAULT 1, CONSTRAINT "confirmations_asked_pkey" PRIMARY KEY (subject));

CREATE TABLE "private"."left_addresses" ("plan_id" uuid NOT NULL, "user_id" uuid NOT NULL, "address" text NOT NULL, "token_hash" bytea, "asked_at" timestamp with time zone NOT NULL DEFAULT now(), "confirmed_at" timestamp with time zone, CONSTRAINT "left_addresses_pkey" PRIMARY KEY (plan_id, user_id), CONSTRAINT "left_addresses_token_hash_key" UNIQUE (token_hash));

ALTER TABLE "public"."invites" ADD COLUMN "mailed_to" text;

CREATE OR REPLACE FUNCTION private.count_confirmation(subject text, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  counted integer;
begin
  delete from private.confirmations_asked as c where c.since <= clock_timestamp() - interval '1 day';
  insert into private.confirmations_asked as c (subject) values (private.token_hash(count_confirmation.subject))
    on conflict on constraint confirmations_asked_pkey do update set uses = c.uses + 1
    returning c.uses into counted;
  return counted <= most;
end $function$;

CREATE OR REPLACE FUNCTION private.forget_mail()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- With what was sent to them. A left address may also be that of an account, which keeps it.
  delete from private.mail_recipients as r
    where r.address = lower(old.email) or r.address in (
      select l.address from private.left_addresses as l where l.user_id = old.id and l.confirmed_at is not null
    ) and not exists (select 1 from auth.users as u where lower(u.email) = r.address and u.id <> old.id)
      and not exists (select 1 from private.left_addresses as l where l.address = r.address and l.user_id <> old.id);
  delete from private.outgoing_mail as m where m.sender_id = old.id and m.sent_at is null;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION private.further_data(person uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT jsonb_build_object('message_reads', ( SELECT COALESCE(jsonb_agg(to_jsonb(r.*)), '[]'::jsonb) AS "coalesce"
            FROM public.message_reads r
           WHERE (r.user_id = further_data.person)), 'places', ( SELECT COALESCE(jsonb_agg(((to_jsonb(p.*) - 'search_text'::text) || jsonb_build_object('hours', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('weekday', h.weekday, 'opens', h.opens, 'closes', h.closes)), '[]'::jsonb) AS "coalesce"
                    FROM public.place_hours h
                   WHERE (h.place_id = p.id))))), '[]'::jsonb) AS "coalesce"
            FROM public.places p
           WHERE (p.created_by = further_data.person)), 'diet_claims', ( SELECT COALESCE(jsonb_agg(to_jsonb(c.*)), '[]'::jsonb) AS "coalesce"
            FROM public.place_diet_claims c
           WHERE (c.made_by = further_data.person)), 'calendar_feed', ( SELECT jsonb_build_object('created_at', f.created_at) AS jsonb_build_object
            FROM private.calendar_feeds f
           WHERE (f.user_id = further_data.person)), 'mail', ( SELECT jsonb_build_object('choices', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('address', r.address, 'no_invites_since', r.no_invites_since, 'no_reminders_since', r.no_reminders_since)), '[]'::jsonb) AS "coalesce"
                    FROM private.mail_recipients r
                   WHERE (r.address = mine.address)), 'received', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id, 'created_at', m.created_at, 'sent_at', m.sent_at) ORDER BY m.created_at), '[]'::jsonb) AS "coalesce"
                    FROM private.outgoing_mail m
                   WHERE (m.address = mine.address)), 'left', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('plan_id', l.plan_id, 'address', l.address, 'asked_at', l.asked_at, 'confirmed_at', l.confirmed_at) ORDER BY l.asked_at), '[]'::jsonb) AS "coalesce"
                    FROM private.left_addresses l
                   WHERE (l.user_id = further_data.person)), 'sent', ( SELECT COALESCE(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id, 'address', m.address, 'created_at', m.created_at, 'sent_at', m.sent_at) ORDER BY m.created_at), '[]'::jsonb) AS "coalesce"
                    FROM private.outgoing_mail m
                   WHERE (m.sender_id = further_data.person))) AS jsonb_build_object
            FROM ( SELECT lower((u.email)::text) AS address
                    FROM auth.users u
                   WHERE (u.id = further_data.person)) mine)) AS jsonb_build_object;
END;

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
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language)
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id, n.actor_id, a.language
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
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language)
    -- The host who decided gets the calendar's entry too.
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id,
      case when a.user_id = n.actor_id then n.actor_id end, a.language
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

CREATE OR REPLACE FUNCTION private.network_of_caller()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  headers jsonb := nullif(current_setting('request.headers', true), '')::jsonb;
  given text := coalesce(
    headers ->> 'cf-connecting-ip', btrim(split_part(headers ->> 'x-forwarded-for', ',', 1)), 'unknown');
  address inet;
begin
  address := given::inet;
  return host(network(set_masklen(address, case family(address) when 6 then 64 else 32 end)));
exception when invalid_text_representation then
  return 'unknown';
end $function$;

CREATE OR REPLACE FUNCTION private.plan_mail_addresses(plan uuid)
 RETURNS TABLE(user_id uuid, address text, language text, wanted boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 20
 SET search_path TO ''
BEGIN ATOMIC
 SELECT m.user_id,
     COALESCE(lower((u.email)::text), l.address) AS "coalesce",
     p.language,
     p.mail_reminders
    FROM (((public.plan_members m
      JOIN auth.users u ON ((u.id = m.user_id)))
      JOIN public.private_profiles p ON ((p.id = m.user_id)))
      LEFT JOIN private.left_addresses l ON (((l.plan_id = m.plan_id) AND (l.user_id = m.user_id) AND (u.email IS NULL))))
   WHERE ((m.plan_id = plan_mail_addresses.plan) AND (((u.email IS NOT NULL) AND (u.email_confirmed_at IS NOT NULL)) OR (l.confirmed_at IS NOT NULL)));
END;

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

CREATE OR REPLACE FUNCTION private.remind()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due record;
  person record;
  recipient private.mail_recipients;
  reminded integer := 0;
begin
  for due in select * from private.due_reminders() loop
    insert into private.reminders as r (plan_id, user_id, kind, due_for)
      values (due.plan_id, due.user_id, due.kind, due.due_for) on conflict do nothing;
    continue when not found;
    reminded := reminded + 1;
    insert into public.notifications (user_id, kind, plan_id)
      values (due.user_id, due.kind::text::public.notification_kind, due.plan_id);
    select a.address, a.language into person from private.plan_mail_addresses(due.plan_id) as a
      where a.user_id = due.user_id and a.wanted;
    continue when not found;
    recipient := private.recipient(person.address);
    continue when recipient.no_reminders_since is not null;
    insert into private.outgoing_mail (address, kind, plan_id, language)
      values (recipient.address, due.kind, due.plan_id, person.language);
  end loop;
  return reminded;
end $function$;

CREATE OR REPLACE FUNCTION private.tell_everybody_answered()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is null or not exists (
    select 1 from public.plans as p where p.id = new.plan_id and p.status = 'polling'
  ) or exists (
    select 1 from public.plan_members as m
    where m.plan_id = new.plan_id and m.answered_at is null and m.rsvp <> 'declined'
  ) then
    return null;
  end if;
  with hosts as (
    insert into private.reminders (plan_id, user_id, kind, due_for)
      select m.plan_id, m.user_id, 'everybody_answered', p.created_at
      from public.plan_members as m join public.plans as p on p.id = m.plan_id
      where m.plan_id = new.plan_id and m.role in ('host', 'cohost') and m.user_id <> private.caller()
      on conflict do nothing returning user_id
  )
  insert into public.notifications (user_id, kind, plan_id)
    select h.user_id, 'everybody_answered', new.plan_id from hosts as h;
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
      if this.status = 'cancelled' then
        perform private.refuse('plan_cancelled');
      elsif private.plan_state(this) = 'done' then
        perform private.refuse('plan_over');
      end if;
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

CREATE OR REPLACE FUNCTION public.confirm_address(token text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  confirmed uuid;
begin
  update private.left_addresses as l set confirmed_at = coalesce(l.confirmed_at, now())
    where l.token_hash = private.token_hash(confirm_address.token)
      and l.asked_at > now() - make_interval(days => private.limit_of('confirmation_days'))
    returning l.plan_id into confirmed;
  if not found then
    perform private.refuse('confirmation_gone');
  end if;
  return confirmed;
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
  elsif this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
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
    private.count_confirmation('person ' || caller, private.limit_of('confirmations_per_person'))
    and private.count_confirmation('network ' || private.network_of_caller(), private.limit_of('confirmations_per_network'))
    and private.count_confirmation('address ' || wanted, private.limit_of('confirmations_per_address'))
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

CREATE OR REPLACE FUNCTION public.my_left_address(plan uuid)
 RETURNS TABLE(address text, confirmed boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT regexp_replace(l.address, '^(.)[^@]*'::text, '\1…'::text) AS regexp_replace,
     (l.confirmed_at IS NOT NULL)
    FROM private.left_addresses l
   WHERE ((l.plan_id = my_left_address.plan) AND (l.user_id = ( SELECT private.require_caller() AS require_caller)));
END;

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
      and not exists (select 1 from public.push_subscriptions as s where s.user_id = m.user_id)
      and not exists (
        select 1 from private.plan_mail_addresses(m.plan_id) as a
        left join private.mail_recipients as r on r.address = a.address
        where a.user_id = m.user_id and a.wanted and r.no_reminders_since is null
      );
end $function$;

CREATE OR REPLACE FUNCTION public.remove_left_address(plan uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 DELETE FROM private.left_addresses l
   WHERE ((l.plan_id = remove_left_address.plan) AND (l.user_id = ( SELECT private.require_caller() AS require_caller)));
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
           WHERE (v.id = p.vetoed_by)), 'undecided', p.undecided, 'own', (private.is_decision((m.kind)::text) AND (m.sender_id IS NOT NULL)), 'starts_at', t.starts_at, 'place', k.name, 'address_of_place', k.address, 'host', split_part(h.display_name, ' '::text, 1), 'sender', split_part(s.display_name, ' '::text, 1), 'people', ( SELECT count(*) AS count
            FROM public.plan_members c
           WHERE (c.plan_id = p.id)), 'event',
         CASE
             WHEN ((m.kind <> 'plan_proposed'::public.mail_kind) AND (t.id IS NOT NULL)) THEN jsonb_build_object('plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision, 'status', private.plan_state(p.*), 'rsvp', COALESCE(( SELECT (m2.rsvp)::text AS rsvp
                FROM (private.plan_mail_addresses(p.id) a(user_id, address, language, wanted)
                  JOIN public.plan_members m2 ON (((m2.plan_id = p.id) AND (m2.user_id = a.user_id))))
               WHERE (a.address = m.address)
               ORDER BY m2.joined_at
              LIMIT 1), 'pending'::text), 'starts_at', t.starts_at, 'ends_at', t.ends_at, 'place', k.name, 'address', k.address, 'latitude', k.latitude, 'longitude', k.longitude, 'people', ( SELECT count(*) AS count
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

ALTER TABLE "private"."left_addresses" ADD CONSTRAINT "left_addresses_address_fkey" FOREIGN KEY (address) REFERENCES private.mail_recipients(address) ON DELETE CASCADE;

ALTER TABLE "private"."left_addresses" ADD CONSTRAINT "left_addresses_plan_id_user_id_fkey" FOREIGN KEY (plan_id, user_id) REFERENCES public.plan_members(plan_id, user_id) ON UPDATE CASCADE ON DELETE CASCADE;

CREATE INDEX left_addresses_address_idx ON private.left_addresses USING btree (address);

CREATE TRIGGER tell_everybody_answered AFTER UPDATE OF answered_at ON public.plan_members FOR EACH ROW WHEN (((old.answered_at IS NULL) AND (new.answered_at IS NOT NULL))) EXECUTE FUNCTION private.tell_everybody_answered();

REVOKE ALL ON FUNCTION "private"."count_confirmation"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."count_confirmation"(text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."network_of_caller"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."network_of_caller"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."plan_mail_addresses"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_mail_addresses"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tell_everybody_answered"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tell_everybody_answered"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."confirm_address"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."confirm_address"(text) TO "anon", "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."leave_address"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."leave_address"(uuid, text) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."my_left_address"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."my_left_address"(uuid) TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."remove_left_address"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."remove_left_address"(uuid) TO "authenticated", "postgres", "service_role";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "private"."confirmations_asked" TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "private"."left_addresses" TO "postgres";
