-- Export and deletion of everything that belongs to a person, with their mail, reads and places.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A person's mail, reads, own places and words about diets, for the export.
create function private.further_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'message_reads', (
        select coalesce(jsonb_agg(to_jsonb(r)), '[]') from public.message_reads as r where r.user_id = person),
      'places', (
        select coalesce(jsonb_agg(to_jsonb(p) - 'search_text' || jsonb_build_object('hours', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'weekday', h.weekday, 'opens', h.opens, 'closes', h.closes)), '[]')
          from public.place_hours as h where h.place_id = p.id))), '[]')
        from public.places as p where p.created_by = person),
      'place_homes', (
        select coalesce(jsonb_agg(to_jsonb(h)), '[]') from public.place_homes as h where h.user_id = person),
      'diet_claims', (
        select coalesce(jsonb_agg(to_jsonb(c)), '[]') from public.place_diet_claims as c where c.made_by = person),
      'calendar_feed', (
        select jsonb_build_object('created_at', f.created_at)
        from private.calendar_feeds as f where f.user_id = person),
      'mail', (
        select jsonb_build_object(
          'choices', (
            select coalesce(jsonb_agg(jsonb_build_object('address', r.address,
              'no_invites_since', r.no_invites_since, 'no_reminders_since', r.no_reminders_since)), '[]')
            from private.mail_recipients as r where r.address = mine.address),
          'received', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id,
              'created_at', m.created_at, 'sent_at', m.sent_at) order by m.created_at), '[]')
            from private.outgoing_mail as m where m.address = mine.address),
          'left', (
            select coalesce(jsonb_agg(jsonb_build_object('plan_id', l.plan_id, 'address', l.address,
              'asked_at', l.asked_at, 'confirmed_at', l.confirmed_at) order by l.asked_at), '[]')
            from private.left_addresses as l where l.user_id = person),
          'sent', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', m.kind, 'plan_id', m.plan_id,
              'address', m.address, 'created_at', m.created_at, 'sent_at', m.sent_at) order by m.created_at), '[]')
            from private.outgoing_mail as m where m.sender_id = person))
        from (select lower(u.email) as address from auth.users as u where u.id = person) as mine)
    );
  end;

-- A person's usual times, objections to plans that decide themselves, and requests to join, for the export.
create function private.habits_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'usual_times', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'weekday', u.weekday, 'part', u.part, 'answer', u.answer) order by u.weekday, u.part), '[]')
        from public.usual_times as u where u.user_id = person),
      'objections', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', p.id, 'reason', p.veto_reason, 'at', p.vetoed_at) order by p.vetoed_at), '[]')
        from public.plans as p where p.vetoed_by = person),
      'join_requests', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'plan_id', r.plan_id, 'asked_at', r.asked_at, 'declined_at', r.declined_at) order by r.asked_at), '[]')
        from private.join_requests as r where r.user_id = person));
  end;

-- The places that a person put on the lists of their circles, for the export.
create function private.circle_places_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select jsonb_build_object(
      'circle_places', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'circle_id', c.circle_id, 'place_id', c.place_id, 'put_at', c.put_at) order by c.put_at, c.place_id), '[]')
        from public.circle_places as c where c.put_by = person));
  end;

-- Devices are in the export of a person's data. Their keys are not: they open no account, but let others write there.
create function private.push_data(person uuid) returns jsonb
  language sql stable security definer set search_path = ''
  return jsonb_build_object('push_subscriptions', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.id, 'service', substring(s.endpoint from '^https://[^/]+'), 'created_at', s.created_at)
      order by s.created_at), '[]')
    from public.push_subscriptions as s where s.user_id = person));

-- Everything that is kept about the caller, as one JSON object.
create function public.export_my_data() returns jsonb
  language sql stable security definer set search_path = ''
  begin atomic
    select
      private.push_data((select private.require_caller()))
      || private.habits_data((select private.require_caller()))
      || private.circle_places_data((select private.require_caller()))
      || private.further_data((select private.require_caller()))
      || jsonb_build_object(
        'exported_at', now(),
        'account', (
          select jsonb_build_object(
            'id', u.id, 'email', u.email, 'created_at', u.created_at, 'last_sign_in_at', u.last_sign_in_at)
          from auth.users as u where u.id = (select private.require_caller())),
        'profile', (
          select to_jsonb(p) from public.profiles as p where p.id = (select private.require_caller())),
        'private_profile', (
          select to_jsonb(p) from public.private_profiles as p where p.id = (select private.require_caller())),
        'circles', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'name', c.name, 'role', m.role, 'joined_at', m.joined_at) order by m.joined_at), '[]')
          from public.circle_members as m join public.circles as c on c.id = m.circle_id
          where m.user_id = (select private.require_caller())),
        'plans', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'id', p.id, 'title', p.title, 'status', private.plan_state(p), 'role', m.role, 'rsvp', m.rsvp,
            'plus_ones', m.plus_ones, 'joined_at', m.joined_at) order by m.joined_at), '[]')
          from public.plan_members as m join public.plans as p on p.id = m.plan_id
          where m.user_id = (select private.require_caller())),
        'time_votes', (
          select coalesce(jsonb_agg(to_jsonb(v)), '[]')
          from public.time_votes as v where v.user_id = (select private.require_caller())),
        'place_votes', (
          select coalesce(jsonb_agg(to_jsonb(v)), '[]')
          from public.place_votes as v where v.user_id = (select private.require_caller())),
        'messages', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'plan_id', m.plan_id, 'body', m.body, 'created_at', m.created_at) order by m.created_at), '[]')
          from public.messages as m where m.author_id = (select private.require_caller())),
        'reactions', (
          select coalesce(jsonb_agg(to_jsonb(r)), '[]')
          from public.reactions as r where r.user_id = (select private.require_caller())),
        'photos', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'plan_id', p.plan_id, 'path', p.path, 'caption', p.caption, 'created_at', p.created_at)
            order by p.created_at), '[]')
          from public.photos as p where p.author_id = (select private.require_caller())),
        'ratings', (
          select coalesce(jsonb_agg(to_jsonb(r)), '[]')
          from public.ratings as r where r.user_id = (select private.require_caller())),
        'arrivals', (
          select coalesce(jsonb_agg(to_jsonb(a)), '[]')
          from public.arrivals as a where a.user_id = (select private.require_caller())),
        'saved_places', (
          select coalesce(jsonb_agg(jsonb_build_object('place', p.name, 'saved_at', s.saved_at)), '[]')
          from public.saved_places as s join public.places as p on p.id = s.place_id
          where s.user_id = (select private.require_caller())),
        'notifications', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'kind', n.kind, 'plan_id', n.plan_id, 'created_at', n.created_at, 'read_at', n.read_at)
            order by n.created_at), '[]')
          from public.notifications as n where n.user_id = (select private.require_caller()))
      ) as jsonb_build_object;
  end;

-- Deletes the caller with sessions, votes, seats and saved places. Their messages and photos stay at the table
-- without a name; clients remove the caller's files before.
create function public.delete_my_account() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from auth.users where id = (select private.require_caller());
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.export_my_data(), public.delete_my_account() to authenticated;
