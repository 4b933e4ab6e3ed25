-- Suggestions come from the plan's own clock, an invitation to a decided meal names its place, and messages about a vote
-- name the times to come. Nobody is invited to a plan that is over or cancelled.

create or replace function private.is_still_so(kind text, this public.plans, readers uuid[], actor uuid) returns boolean
  language sql stable security definer set search_path = ''
  return case
    when kind in ('plan_confirmed', 'plan_moved', 'plan_changed') then private.plan_state(this) = 'confirmed'
    when kind = 'plan_placed' then private.plan_state(this) = 'confirmed' and this.chosen_place_id is not null
    when kind = 'plan_tomorrow' then this.status = 'confirmed' and exists (
      select 1 from public.time_options as t where t.id = this.chosen_time_id and t.starts_at > now())
    when kind = 'seat_freed' then private.plan_state(this) = 'confirmed' and exists (
      select 1 from private.plan_people(this.id) as who where who.user_id = any (readers) and who.seats > 0)
    when kind = 'not_coming' then private.plan_state(this) = 'confirmed' and exists (
      select 1 from public.notifications as n
      where n.plan_id = this.id and n.user_id = any (readers) and n.kind::text = is_still_so.kind)
    when kind = 'rate_reminder' then private.plan_state(this) = 'done'
    when kind = 'plan_cancelled' then this.status = 'cancelled'
    when kind = 'plan_restored' then this.status <> 'cancelled'
    when kind = 'plan_proposed' then this.status = 'polling' and this.veto_until > now() and this.vetoed_by is null
    when kind = 'plan_vetoed' then this.status = 'polling' and this.vetoed_by is not null
    when kind = 'plan_undecided' then this.status = 'polling' and this.undecided is not null
    when kind in ('plan_reopened', 'standing_planned') then this.status = 'polling'
    when kind = 'vote_nudge' or kind = 'vote_reminder' and this.vote_deadline is not null then exists (
      select 1 from private.plan_next(this.id) as n where n.user_id = any (readers) and n.step in ('times', 'places'))
    when kind = 'everybody_answered' then this.status = 'polling' and not exists (
      select 1 from public.plan_members as m where m.plan_id = this.id and private.open_question(m) is not null)
    when kind = 'join_asked' then this.status <> 'cancelled' and exists (
      select 1 from private.join_requests as r
      where r.plan_id = this.id and r.declined_at is null and (actor is null or r.user_id = actor))
    when kind = 'invite' then private.plan_state(this) in ('polling', 'confirmed')
    else kind = 'confirm_address'
  end;

create or replace function public.preview_invite(token text)
  returns table (kind text, title text, host_name text, people integer, plan_state text, joined boolean, target uuid,
    starts_at timestamptz, time_zone text, language text, times timestamptz[], places text[])
  language plpgsql security definer set search_path = '' as $$
declare
  invite public.invites := private.usable_invite(preview_invite.token);
  inside boolean;
begin
  inside := coalesce(
    private.is_plan_member(invite.plan_id) or invite.circle_id in (select private.my_circle_ids()), false);
  if invite.uses >= invite.max_uses and not inside then
    perform private.refuse('invite_used_up');
  end if;
  if invite.plan_id is not null then
    return query
      select 'plan', p.title, split_part(host.display_name, ' ', 1),
        (select count(*)::integer from public.plan_members as m
          where m.plan_id = p.id and m.accepted_at is not null and m.rsvp <> 'declined'),
        private.plan_state(p), inside, case when inside then p.id end, t.starts_at, p.time_zone, private_host.language,
        array(
          select o.starts_at from public.time_options as o
          where o.plan_id = p.id and p.status = 'polling' and o.starts_at > now() order by o.starts_at),
        array(
          select case when not k.home then k.name end
          from public.place_options as o join public.places as k on k.id = o.place_id
          where o.plan_id = p.id and (p.status = 'polling' or o.id = p.chosen_place_id) and not p.results_hidden
          order by k.name)
      from public.plans as p
      left join public.time_options as t on t.id = p.chosen_time_id
      left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
      left join public.profiles as host on host.id = h.user_id
      left join public.private_profiles as private_host on private_host.id = h.user_id
      where p.id = invite.plan_id;
  else
    return query
      select 'circle', c.name, split_part(owner.display_name, ' ', 1),
        (select count(*)::integer from public.circle_members as m where m.circle_id = c.id),
        null::text, inside, case when inside then c.id end, null::timestamptz, null::text, private_owner.language,
        '{}'::timestamptz[], '{}'::text[]
      from public.circles as c
      left join public.circle_members as o on o.circle_id = c.id and o.role = 'owner'
      left join public.profiles as owner on owner.id = o.user_id
      left join public.private_profiles as private_owner on private_owner.id = o.user_id
      where c.id = invite.circle_id;
  end if;
end $$;

create or replace function public.take_mail(most integer default 20) returns jsonb
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.outgoing_mail as m using public.plans as p
      where p.id = m.plan_id and m.sent_at is null and m.attempts < 5
        and (m.taken_at is null or m.taken_at < now() - interval '10 minutes')
        and private.is_still_so(m.kind::text, p, array(
          select a.user_id from private.plan_mail_addresses(p.id) as a where a.address = m.address), m.sender_id) is not true;
    with taken as (
      update private.outgoing_mail as m set taken_at = now(), attempts = m.attempts + 1
      where m.id in (
        select w.id from private.outgoing_mail as w
        where w.sent_at is null and w.attempts < 5 and (w.not_before is null or w.not_before <= now())
          and (w.taken_at is null or w.taken_at < now() - interval '10 minutes')
        order by w.created_at limit least(most, 100) for update skip locked
      )
      returning m.*
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'address', m.address, 'kind', m.kind, 'language', m.language, 'secret', m.secret,
      'unsubscribe', r.token, 'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone,
      'vote_deadline', p.vote_deadline, 'veto_until', p.veto_until, 'veto_reason', p.veto_reason,
      'vetoed_by', private.name_at(p.id, p.vetoed_by),
      'undecided', p.undecided, 'own', private.is_decision(m.kind::text) and m.sender_id is not null,
      'starts_at', t.starts_at,
      -- The days that are voted on: of the times to come.
      'first_starts_at', (
        select min(v.starts_at) from public.time_options as v where v.plan_id = p.id and v.starts_at > now()),
      'last_starts_at', (
        select max(v.starts_at) from public.time_options as v where v.plan_id = p.id and v.starts_at > now()),
      'place', k.name, 'address_of_place', coalesce(at_home.address, k.address),
      -- The reader's open question.
      'question', case when m.kind in ('vote_nudge', 'vote_reminder') then (
        select n.step from private.plan_mail_addresses(p.id) as a
        join private.plan_next(p.id) as n on n.user_id = a.user_id
        where a.address = m.address and n.step in ('times', 'places') limit 1) end,
      -- The pair before the hosts' last change.
      'was_starts_at', (select w.starts_at from public.time_options as w where w.id = p.moved_from_time_id),
      'was_place', (
        select w.name from public.place_options as x join public.places as w on w.id = x.place_id
        where x.id = p.moved_from_place_id),
      'host', private.name_at(p.id, hm.user_id),
      -- Of a decision by another host, the person whom the activity names. An invitation goes to a stranger.
      'sender', private.name_at(case when m.kind <> 'invite' then p.id end, coalesce(m.sender_id, (
        select n.actor_id from private.plan_mail_addresses(p.id) as a
        join public.notifications as n
          on n.user_id = a.user_id and n.plan_id = p.id and n.kind::text = m.kind::text
        where a.address = m.address order by n.created_at desc limit 1))),
      'hosts', exists (
        select 1 from private.plan_mail_addresses(p.id) as a
        join public.plan_members as c on c.plan_id = p.id and c.user_id = a.user_id
        where a.address = m.address and c.role in ('host', 'cohost')),
      'people', (
        select count(*) from public.plan_members as c where c.plan_id = p.id and c.rsvp <> 'declined'),
      'joined', (
        select count(*) from public.plan_members as c
        where c.plan_id = p.id and c.rsvp <> 'declined' and c.accepted_at is not null),
      'event', case when m.kind <> 'plan_proposed' and t.id is not null then jsonb_build_object(
        'plan_id', p.id, 'title', p.title, 'note', p.note, 'revision', p.revision,
        'status', private.plan_state(p),
        'state', coalesce((
          select who.state from private.plan_mail_addresses(p.id) as a
          join private.plan_people(p.id) as who on who.user_id = a.user_id
          where a.address = m.address order by who.since limit 1), 'asked'),
        'starts_at', t.starts_at, 'ends_at', t.ends_at,
        'place', k.name, 'address', coalesce(at_home.address, k.address),
        'latitude', coalesce(at_home.latitude, k.latitude), 'longitude', coalesce(at_home.longitude, k.longitude),
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
    left join lateral (
      select home.* from private.plan_mail_addresses(p.id) as a
      cross join lateral private.home_for(k.id, p.id, a.user_id) as home
      where k.home and a.address = m.address and home.place_id is not null limit 1
    ) as at_home on true
    left join public.plan_members as hm on hm.plan_id = p.id and hm.role = 'host';
  end;

create or replace function public.plan_candidates(plan uuid, most integer default 60)
  returns table (place_id uuid, trips jsonb)
  language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  middle point;
  diets public.diet[];
  -- What the time is now in the zones of the plan and of its places.
  clocks timestamp[];
begin
  if not private.is_plan_member(plan) then
    return;
  end if;
  select point(avg(at.longitude), avg(at.latitude)) into middle from (
    select s.start_longitude as longitude, s.start_latitude as latitude
    from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
    where m.plan_id = plan and m.rsvp <> 'declined' and s.start_latitude is not null
  ) as at having count(*) > 0;
  if middle is null then
    select point(avg(p.longitude), avg(p.latitude)) into middle
      from public.place_options as o join public.places as p on p.id = o.place_id
      where o.plan_id = plan having count(*) > 0;
  end if;
  if middle is null then
    return;
  end if;
  select coalesce(array_agg(distinct diet), '{}') into diets
    from public.plan_members as m join public.profiles as who on who.id = m.user_id
    cross join unnest(who.diets) as diet
    where m.plan_id = plan and m.rsvp <> 'declined';
  clocks := array(
    select timezone(p.time_zone, now()) from public.plans as p where p.id = plan
    union
    select timezone(p.time_zone, now())
      from public.place_options as o join public.places as p on p.id = o.place_id where o.plan_id = plan);
  return query
    with near as materialized (
      select p.id, p.latitude, p.longitude,
        point(p.longitude, p.latitude) operator(pg_catalog.<->) middle as distance
      from public.places as p
      where p.id <> all (array(
          select o.place_id from public.place_options as o where o.plan_id = plan_candidates.plan
        ))
        and (p.everybody or p.created_by = (select private.caller())
          or p.id = any (array(select private.my_place_ids())))
        and p.latitude is not null
        -- Within reach, which is about 60 km, and on the clock of the plan or of its own places, as those with a start
        -- may all be far from the meal; or not everybody's but the table's own.
        and (not p.everybody or abs(p.latitude - middle[1]) < 0.54
          and abs(p.longitude - middle[0]) * cos(radians(middle[1])) < 0.54
          and timezone(p.time_zone, now()) = any (clocks))
        and private.diets_that_hold(p.safe_diets) operator(pg_catalog.@>) diets
      order by point(p.longitude, p.latitude) operator(pg_catalog.<->) middle
      limit least(greatest(most, 1), 200)
    ), starts as materialized (
      select m.user_id, private.grid_latitude(s.start_latitude) as latitude,
        private.grid_longitude(s.start_latitude, s.start_longitude) as longitude
      from public.plan_members as m join public.private_profiles as s on s.id = m.user_id
      where m.plan_id = plan_candidates.plan and s.start_latitude is not null
    ), ends as materialized (
      select near.id, near.distance, private.grid_latitude(near.latitude) as latitude,
        private.grid_longitude(near.latitude, near.longitude) as longitude
      from near
    )
    select ends.id, coalesce((
      select jsonb_object_agg(starts.user_id,
        private.grid_minutes(starts.latitude, starts.longitude, ends.latitude, ends.longitude))
      from starts
    ), '{}')
    from ends order by ends.distance, ends.id;
end $$;
