set local check_function_bodies = off;

DROP FUNCTION "public"."join_requests"(uuid);

ALTER TABLE "private"."join_requests" ADD COLUMN "times_asked" smallint NOT NULL DEFAULT 1;

CREATE OR REPLACE FUNCTION private.mail_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from told as n
    where n.kind in ('vote_nudge', 'everybody_answered', 'join_asked')
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
    where n.kind in ('vote_nudge', 'everybody_answered', 'join_asked') or private.is_addition(n.kind::text)
    on conflict do nothing;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, not_before)
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id, n.actor_id, a.language,
      private.not_before(n.plan_id)
    from told as n
    -- The host who added the place gets it for the calendar too.
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.wanted and (a.user_id = n.user_id
      or a.user_id = n.actor_id and n.kind = 'plan_placed')
    join private.mail_recipients as r on r.address = a.address and r.no_reminders_since is null
    where n.kind in ('vote_nudge', 'everybody_answered', 'join_asked') or private.is_addition(n.kind::text) and not exists (
      select 1 from private.outgoing_mail as m
      where m.address = r.address and m.plan_id = n.plan_id and private.is_decision(m.kind::text)
        and m.sent_at is null and m.taken_at is null
    );
  if exists (select 1 from told as n where n.kind in ('vote_nudge', 'everybody_answered', 'join_asked')) then
    perform private.deliver_mail();
  end if;
  return null;
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

CREATE OR REPLACE FUNCTION public.join_requests(plan uuid)
 RETURNS TABLE(user_id uuid, display_name text, asked_at timestamp with time zone, declined_at timestamp with time zone)
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
    select r.user_id, p.display_name, r.asked_at, r.declined_at
    from private.join_requests as r join public.profiles as p on p.id = r.user_id
    where r.plan_id = join_requests.plan order by r.declined_at desc nulls first, r.asked_at, r.user_id;
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
        else (select case when r.declined_at is null then 'asked'
            when r.times_asked < private.limit_of('join_requests_per_plan') then 'declined' else 'refused' end
          from private.join_requests as r where r.plan_id = this.id and r.user_id = (select private.caller()))
      end,
      private_host.language
    from public.plans as p
    left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
    left join public.profiles as host on host.id = h.user_id
    left join public.private_profiles as private_host on private_host.id = h.user_id
    where p.id = this.id;
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
           WHERE (c.plan_id = p.id)), 'event',
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

REVOKE ALL ON FUNCTION "public"."join_requests"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."join_requests"(uuid) TO "authenticated", "postgres", "service_role";
