set local check_function_bodies = off;

DROP POLICY "places of a circle are added by its members" ON "public"."circle_places";

DROP POLICY "saved places are added by their person" ON "public"."saved_places";

CREATE TABLE "public"."place_homes" ("place_id" uuid NOT NULL, "user_id" uuid NOT NULL, "address" text NOT NULL, "latitude" double precision, "longitude" double precision, CONSTRAINT "home_position_is_whole" CHECK (((latitude IS NULL) = (longitude IS NULL))), CONSTRAINT "place_homes_latitude_check" CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))), CONSTRAINT "place_homes_longitude_check" CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision))), CONSTRAINT "place_homes_pkey" PRIMARY KEY (place_id), CONSTRAINT "place_homes_address_check" CHECK (private.is_text(address, 1, 160)));

ALTER TABLE "public"."place_homes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."places" ADD COLUMN "home" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.add_place(plan uuid, place uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  option uuid;
begin
  -- Whose table it is offered at reads it: an id alone must not open it. A home is proposed by who added it.
  if not private.reads_place(place) or exists (
    select 1 from public.places as p
    where p.id = add_place.place and p.home and p.created_by is distinct from (select private.caller())
  ) then
    perform private.refuse('place_not_found');
  end if;
  insert into public.place_options (plan_id, place_id, proposed_by)
    values (plan, place, (select private.caller())) returning id into option;
  return option;
exception
  when unique_violation then perform private.refuse('place_duplicate');
  when foreign_key_violation then perform private.refuse('place_not_found');
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
           WHERE (p.created_by = further_data.person)), 'place_homes', ( SELECT COALESCE(jsonb_agg(to_jsonb(h.*)), '[]'::jsonb) AS "coalesce"
            FROM public.place_homes h
           WHERE (h.user_id = further_data.person)), 'diet_claims', ( SELECT COALESCE(jsonb_agg(to_jsonb(c.*)), '[]'::jsonb) AS "coalesce"
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

CREATE OR REPLACE FUNCTION private.home_for(place uuid, plan uuid, person uuid)
 RETURNS public.place_homes
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT h.*::public.place_homes AS h
    FROM public.place_homes h
   WHERE ((h.place_id = home_for.place) AND ((h.user_id = home_for.person) OR (EXISTS ( SELECT 1
            FROM private.plan_people(home_for.plan) who(user_id, role, state, seats, since)
           WHERE ((who.user_id = home_for.person) AND (who.state = ANY (ARRAY['expected'::public.person_state, 'on_the_way'::public.person_state, 'here'::public.person_state])))))));
END;

CREATE OR REPLACE FUNCTION private.calendar_events(person uuid, plan uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(events.event ORDER BY (events.event ->> 'starts_at'::text)), '[]'::jsonb) AS "coalesce"
    FROM ( SELECT jsonb_build_object('plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision, 'status', private.plan_state(p.*), 'state', table_of.state, 'starts_at', t.starts_at, 'ends_at', t.ends_at, 'time_zone', p.time_zone, 'place', k.name, 'address', COALESCE(at_home.address, k.address), 'latitude', COALESCE(at_home.latitude, k.latitude), 'longitude', COALESCE(at_home.longitude, k.longitude), 'people', table_of.people, 'created_at', p.created_at, 'updated_at', p.updated_at) AS event
            FROM ((((((public.plan_members m
              JOIN public.plans p ON ((p.id = m.plan_id)))
              JOIN public.time_options t ON ((t.id = p.chosen_time_id)))
              LEFT JOIN public.place_options o ON ((o.id = p.chosen_place_id)))
              LEFT JOIN public.places k ON ((k.id = o.place_id)))
              LEFT JOIN LATERAL private.home_for(k.id, p.id, m.user_id) at_home(place_id, user_id, address, latitude, longitude) ON (k.home))
              CROSS JOIN LATERAL ( SELECT count(*) FILTER (WHERE (who.seats > 0)) AS people,
                     min(who.state) FILTER (WHERE (who.user_id = m.user_id)) AS state
                    FROM private.plan_people(p.id) who(user_id, role, state, seats, since)) table_of)
           WHERE ((m.user_id = calendar_events.person) AND ((calendar_events.plan IS NULL) OR (p.id = calendar_events.plan)) AND (t.ends_at > (now() - '90 days'::interval)))
           ORDER BY t.starts_at DESC
          LIMIT 500) events;
END;

CREATE OR REPLACE FUNCTION private.my_home_ids()
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 10
 SET search_path TO ''
BEGIN ATOMIC
 SELECT o.place_id
    FROM (((public.plan_members m
      JOIN public.plans p ON (((p.id = m.plan_id) AND (p.status = 'confirmed'::public.plan_status))))
      JOIN public.place_options o ON ((o.id = p.chosen_place_id)))
      JOIN public.place_homes h ON ((h.place_id = o.place_id)))
   WHERE ((m.user_id = ( SELECT private.caller() AS caller)) AND (private.plan_state(p.*) = 'confirmed'::text) AND (EXISTS ( SELECT 1
            FROM private.plan_people(p.id) who(user_id, role, state, seats, since)
           WHERE ((who.user_id = m.user_id) AND (who.seats > 0)))));
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
  update public.place_homes as h set user_id = account where h.user_id = guest;
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

CREATE OR REPLACE FUNCTION private.standing_places(dinner public.standing_dinners)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 WITH known AS (
          SELECT o.place_id,
             max(t.starts_at) AS eaten_at
            FROM ((public.plans p
              JOIN public.place_options o ON ((o.plan_id = p.id)))
              LEFT JOIN public.time_options t ON (((t.id = p.chosen_time_id) AND (p.chosen_place_id = o.id) AND (p.status = 'confirmed'::public.plan_status))))
           WHERE (p.circle_id = (standing_places.dinner).circle_id)
           GROUP BY o.place_id
         ), rated AS (
          SELECT r.place_id,
             avg(r.stars) AS stars
            FROM ((public.ratings r
              JOIN public.plans p ON (((p.id = r.plan_id) AND (p.circle_id = (standing_places.dinner).circle_id))))
              JOIN public.circle_members c ON (((c.circle_id = (standing_places.dinner).circle_id) AND (c.user_id = r.user_id))))
           GROUP BY r.place_id
         )
  SELECT known.place_id
    FROM ((known
      JOIN public.places k ON ((k.id = known.place_id)))
      LEFT JOIN rated ON ((rated.place_id = known.place_id)))
   WHERE ((NOT k.home) AND (k.everybody OR (EXISTS ( SELECT 1
            FROM public.circle_places c
           WHERE ((c.circle_id = (standing_places.dinner).circle_id) AND (c.place_id = known.place_id)))) OR (NOT (EXISTS ( SELECT 1
            FROM public.circle_members c
           WHERE ((c.circle_id = (standing_places.dinner).circle_id) AND (c.user_id IS DISTINCT FROM k.created_by) AND (NOT (EXISTS ( SELECT 1
                    FROM (public.place_options o
                      JOIN public.plan_members m ON (((m.plan_id = o.plan_id) AND (m.user_id = c.user_id))))
                   WHERE (o.place_id = known.place_id))))))))))
   ORDER BY ((known.eaten_at IS NOT NULL) AND (known.eaten_at = ( SELECT max(k_1.eaten_at) AS max
            FROM known k_1))), (round(COALESCE(rated.stars, (3)::numeric))) DESC, known.eaten_at NULLS FIRST, known.place_id
  LIMIT ( SELECT private.limit_of('standing_places'::text) AS limit_of);
END;

CREATE OR REPLACE FUNCTION public.save_home(place uuid, address text, latitude double precision DEFAULT NULL::double precision, longitude double precision DEFAULT NULL::double precision)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  this public.places;
begin
  select * into this from public.places as p where p.id = save_home.place and p.created_by = caller for no key update;
  if not found then
    perform private.refuse('place_not_found');
  elsif this.everybody or exists (select 1 from public.circle_places as c where c.place_id = this.id)
    or exists (select 1 from public.saved_places as s where s.place_id = this.id and s.user_id <> caller) then
    perform private.refuse('place_is_shared');
  end if;
  update public.places as p set home = true, address = '', latitude = null, longitude = null where p.id = this.id;
  insert into public.place_homes as h (place_id, user_id, address, latitude, longitude)
    values (this.id, caller, private.trimmed(save_home.address), save_home.latitude, save_home.longitude)
    on conflict (place_id) do update
      set address = excluded.address, latitude = excluded.latitude, longitude = excluded.longitude;
end $function$;

CREATE OR REPLACE FUNCTION public.save_place(fields jsonb, hours jsonb DEFAULT '[]'::jsonb, place uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  caller uuid := private.require_caller();
  kept uuid := place;
  given record;
begin
  select * into given from jsonb_to_record(fields) as f (
    name text, about text, cuisines text[], address text, latitude double precision, longitude double precision,
    price smallint, safe_diets public.diet[], time_zone text, source public.place_source, external_id text,
    everybody boolean);
  if kept is null then
    insert into public.places as p
      (name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by, source,
        external_id, everybody)
    values (
      given.name, coalesce(given.about, ''), coalesce(given.cuisines, '{}'), coalesce(given.address, ''),
      given.latitude, given.longitude, given.price, coalesce(given.safe_diets, '{}'), given.time_zone,
      caller, coalesce(given.source, 'member'), given.external_id,
      coalesce(given.everybody, false) or coalesce(given.source, 'member') <> 'member')
    returning p.id into kept;
  else
    update public.places as p set
      name = given.name, about = coalesce(given.about, ''), cuisines = coalesce(given.cuisines, '{}'),
      -- The address of a home is saved by save_home.
      address = case when p.home then '' else coalesce(given.address, '') end,
      latitude = case when not p.home then given.latitude end, longitude = case when not p.home then given.longitude end,
      price = given.price, safe_diets = coalesce(given.safe_diets, '{}'), time_zone = given.time_zone,
      -- What others read already is not taken from them.
      everybody = p.everybody or not p.home and coalesce(given.everybody, false)
    where p.id = kept;
    if not found then
      raise exception using errcode = '42501', message = 'Only who added a place can change it.';
    end if;
  end if;
  delete from public.place_hours as h where h.place_id = kept;
  insert into public.place_hours (place_id, weekday, opens, closes)
    select kept, h.weekday, h.opens, h.closes
    from jsonb_to_recordset(hours) as h (weekday smallint, opens time, closes time);
  return kept;
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
           WHERE (v.id = p.vetoed_by)), 'undecided', p.undecided, 'own', (private.is_decision((m.kind)::text) AND (m.sender_id IS NOT NULL)), 'starts_at', t.starts_at, 'place', k.name, 'address_of_place', COALESCE(at_home.address, k.address), 'was_starts_at', ( SELECT w.starts_at
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

ALTER TABLE "public"."place_homes" ADD CONSTRAINT "place_homes_place_id_fkey" FOREIGN KEY (place_id) REFERENCES public.places(id) ON DELETE CASCADE;

ALTER TABLE "public"."place_homes" ADD CONSTRAINT "place_homes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

-- lint: allow lock: the column is new and false in every row
ALTER TABLE "public"."places" ADD CONSTRAINT "homes_are_private" CHECK (((NOT home) OR ((NOT everybody) AND (address = ''::text) AND (latitude IS NULL))));

CREATE INDEX place_homes_user_idx ON public.place_homes USING btree (user_id);

CREATE POLICY "places of a circle are added by its members" ON "public"."circle_places" FOR INSERT TO "authenticated" WITH CHECK (((circle_id = ANY (ARRAY( SELECT private.my_circle_ids() AS my_circle_ids))) AND (put_by = ( SELECT private.caller() AS caller)) AND (EXISTS ( SELECT 1
   FROM public.places p
  WHERE ((p.id = circle_places.place_id) AND (NOT p.home))))));

CREATE POLICY "homes are read by their person and by who is expected there" ON "public"."place_homes" FOR SELECT TO "authenticated" USING (((user_id = ( SELECT private.caller() AS caller)) OR (place_id = ANY (ARRAY( SELECT private.my_home_ids() AS my_home_ids)))));

CREATE POLICY "saved places are added by their person" ON "public"."saved_places" FOR INSERT TO "authenticated" WITH CHECK (((user_id = ( SELECT private.caller() AS caller)) AND (EXISTS ( SELECT 1
   FROM public.places p
  WHERE ((p.id = saved_places.place_id) AND ((NOT p.home) OR (p.created_by = ( SELECT private.caller() AS caller))))))));

REVOKE ALL ON FUNCTION "private"."home_for"(uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."home_for"(uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."my_home_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_home_ids"() TO "authenticated", "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."save_home"(uuid, text, double precision, double precision) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."save_home"(uuid, text, double precision, double precision) TO "authenticated", "postgres", "service_role";

GRANT SELECT ON TABLE "public"."place_homes" TO "authenticated";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."place_homes" TO "postgres", "service_role";

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
    FROM (public.places p
      CROSS JOIN wanted)
   WHERE (((wanted.text = ''::text) OR (to_tsvector('simple'::regconfig, p.search_text) @@ wanted.query) OR (extensions.word_similarity(wanted.text, p.search_text) > (0.45)::double precision)) AND (NOT (EXISTS ( SELECT 1
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

insert into private.errors (code, status, message, hint) values
  ('place_is_shared', 409, 'Others can find this place already.', 'Add the home as a place of its own.');
