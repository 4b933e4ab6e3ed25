-- A guest on a second device, by a personal link: there is no address to sign in with. One link at a time, for a
-- week and one device, and only while they are a guest. And the account that takes over what a guest has done.

create table private.personal_links (
  user_id uuid primary key references auth.users (id) on delete cascade,
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  -- The session that the link opened, and those of the guest's links before it: revoking ends all of them.
  session_id uuid,
  earlier_session_ids uuid[] not null default '{}'
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- A refresh token in the form of the auth service's own: twelve letters and digits. It looks up only tokens of this
-- length in its table, and reads longer ones as signed tokens of another kind.
create function private.new_refresh_token() returns text
  language sql volatile set search_path = ''
  begin atomic
    select string_agg(
      substr('abcdefghijklmnopqrstuvwxyz234567', (get_byte(random.bytes, place) & 31) + 1, 1), '' order by place)
    from (select extensions.gen_random_bytes(12) as bytes) as random, generate_series(0, 11) as place;
  end;

-- The token is in the answer and nowhere else. A new link ends the one before; the session which that one opened stays.
create function public.create_personal_link() returns table (token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  secret text := translate(encode(extensions.gen_random_bytes(24), 'base64'), '+/', '-_');
begin
  if not private.is_guest() then
    perform private.refuse('not_a_guest');
  end if;
  return query
    insert into private.personal_links as l (user_id, token_hash, expires_at)
    values (caller, private.token_hash(secret), now() + make_interval(days => private.limit_of('personal_link_days')))
    on conflict (user_id) do update
      set token_hash = excluded.token_hash, expires_at = excluded.expires_at, session_id = null,
        earlier_session_ids = array(
          select s.id from auth.sessions as s where s.id = any (l.earlier_session_ids || l.session_id))
    returning secret, l.expires_at;
end $$;

-- Opens a session for the guest whose link it is, and answers with its first refresh token: the client
-- exchanges it like any other, and the link is used up then: if the answer is lost, the link works again, and the session
-- that nobody got is gone. The auth service has no call for this (an anonymous user has no address and no
-- password), so the rows are those that its own anonymous sign-in writes.
create function public.open_personal_link(token text) returns table (refresh_token text, display_name text)
  language plpgsql security definer set search_path = '' as $$
declare
  link private.personal_links;
  session uuid := gen_random_uuid();
  secret text := private.new_refresh_token();
begin
  select * into link from private.personal_links as l
    where l.token_hash = private.token_hash(open_personal_link.token) for update;
  if not found or link.expires_at <= now()
    or link.session_id is not null and not exists (
      select 1 from auth.sessions as s where s.id = link.session_id and s.refreshed_at is null)
    or not exists (select 1 from public.profiles as p where p.id = link.user_id and p.is_guest) then
    perform private.refuse('personal_link_gone');
  end if;
  delete from auth.sessions as s where s.id = link.session_id;
  update private.personal_links as l set session_id = session where l.user_id = link.user_id;
  insert into auth.sessions (id, user_id, created_at, updated_at, aal)
    values (session, link.user_id, now(), now(), 'aal1');
  insert into auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
    values (gen_random_uuid(), session, 'anonymous', now(), now());
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
    values ('00000000-0000-0000-0000-000000000000', secret, link.user_id::text, false, now(), now(), session);
  return query select secret, p.display_name from public.profiles as p where p.id = link.user_id;
end $$;

-- Whether the caller has something to revoke: a link that can be opened, or another device that one has opened.
create function public.has_personal_link() returns boolean
  language sql stable security definer set search_path = ''
  begin atomic
    select exists (
      select 1 from private.personal_links as l
      where l.user_id = (select private.require_caller()) and (l.session_id is null and l.expires_at > now() or exists (
        select 1 from auth.sessions as s
        where s.user_id = l.user_id and s.id = any (l.earlier_session_ids || l.session_id)
          and s.id::text is distinct from (select auth.jwt() ->> 'session_id'))));
  end;

-- Ends the link, and the sessions that the guest's links opened. Not the caller's own: the guest may have no other.
create function public.revoke_personal_link() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    update private.personal_links set expires_at = now() where user_id = (select private.require_caller());
    delete from auth.sessions as s using private.personal_links as l
      where l.user_id = (select private.require_caller()) and s.user_id = l.user_id
        and s.id = any (l.earlier_session_ids || l.session_id)
        and s.id::text is distinct from (select auth.jwt() ->> 'session_id');
  end;

-- Waits for everything that the guest is just doing, and makes what comes later wait: it then finds no seat and is
-- refused. The order is that of other functions: invites, plans by id, profiles, seats, messages.
create function private.lock_guest(guest uuid, account uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from public.invites as i where i.created_by = guest order by i.id for no key update;
  perform 1 from public.plans as p
    where p.id in (select m.plan_id from public.plan_members as m where m.user_id = guest) or guest in (p.ready_by, p.vetoed_by)
    order by p.id for no key update;
  perform 1 from private.usage as u where u.user_id = guest order by u.what for update;
  perform 1 from auth.users as u where u.id = guest for update;
  perform 1 from public.profiles as p where p.id = account for no key update;
  perform 1 from public.profiles as p where p.id = guest for update;
  -- Those that the guest joined while this waited. No further one can follow: a seat needs the profile.
  perform 1 from public.plans as p
    where p.id in (select m.plan_id from public.plan_members as m where m.user_id = guest)
    order by p.id for no key update;
  perform 1 from public.plan_members as m where m.user_id in (guest, account) order by m.plan_id, m.user_id for update;
  perform 1 from public.messages as m
    where m.author_id = guest or m.id in (select r.message_id from public.reactions as r where r.user_id = guest)
    order by m.id for update;
end $$;

-- Both sit at the plan: the account's seat stays. Its answers win, missing ones are the guest's.
create function private.merge_seats(plan uuid, guest uuid, account uuid) returns void
  language plpgsql security definer set search_path = '' as $$
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
end $$;

-- What the guest wrote and chose, besides the seats.
create function private.pass_work(guest uuid, account uuid) returns void
  language plpgsql security definer set search_path = '' as $$
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
    set start_latitude = theirs.start_latitude, start_longitude = theirs.start_longitude, start_city = theirs.start_city
    from public.private_profiles as theirs
    where mine.id = account and theirs.id = guest and mine.start_latitude is null
      and (theirs.start_latitude is not null or mine.start_city is null and theirs.start_city is not null);
end $$;

-- Makes everything of the guest whose personal link it is the caller's. Returns the number of plans that the caller now
-- sits at as that guest did. Limits do not refuse: nothing is new.
create function public.take_over_guest(token text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  link private.personal_links;
  guest uuid;
  seat record;
  touched uuid[];
  moved integer := 0;
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  end if;
  select * into link from private.personal_links as l
    where l.token_hash = private.token_hash(take_over_guest.token) for update;
  if not found or link.expires_at <= now() or link.session_id is not null then
    perform private.refuse('personal_link_gone');
  end if;
  guest := link.user_id;
  perform private.lock_guest(guest, caller);
  if not exists (select 1 from public.profiles as p where p.id = guest and p.is_guest) then
    perform private.refuse('no_longer_guest');
  end if;
  touched := array(
    select m.id from public.messages as m where m.author_id = guest
    union
    select r.message_id from public.reactions as r where r.user_id = guest);

  -- One table to try for each person. The guest's goes if nobody else sits there.
  if exists (select 1 from private.sample_plans as s where s.person = caller) then
    delete from private.sample_plans as s where s.person = guest;
  else
    update private.sample_plans as s set person = caller where s.person = guest;
  end if;

  for seat in
    select m.plan_id, m.role,
      exists (select 1 from public.plan_members as own where own.plan_id = m.plan_id and own.user_id = caller) as shared,
      exists (select 1 from private.removals as r where r.plan_id = m.plan_id and r.user_id = caller) as removed
    from public.plan_members as m where m.user_id = guest order by m.plan_id
  loop
    -- Who was removed comes back by a new invite only. A host could write that invite, and no plan is without a host.
    if seat.removed and not seat.shared and seat.role <> 'host' then
      delete from public.plan_members as m where m.plan_id = seat.plan_id and m.user_id = guest;
      continue;
    elsif seat.shared then
      perform private.merge_seats(seat.plan_id, guest, caller);
    else
      update public.plan_members as m set user_id = caller where m.plan_id = seat.plan_id and m.user_id = guest;
    end if;
    delete from private.removals as r where r.plan_id = seat.plan_id and r.user_id = caller;
    moved := moved + 1;
  end loop;

  -- A guest who was removed does not come back by another name.
  update private.removals as r set removed_at = greatest(r.removed_at, g.removed_at)
    from private.removals as g
    where r.user_id = caller and g.user_id = guest and (r.plan_id = g.plan_id or r.circle_id = g.circle_id);
  update private.removals as r set user_id = caller
    where r.user_id = guest
      and not exists (
        select 1 from private.removals as own
        where own.user_id = caller and (own.plan_id = r.plan_id or own.circle_id = r.circle_id))
      and not exists (
        select 1 from public.plan_members as m where m.plan_id = r.plan_id and m.user_id = caller);

  -- Those that the guest only reacted to get a new revision too: devices catch up by it.
  update public.messages as m set author_id = case when m.author_id = guest then caller else m.author_id end
    where m.id = any (touched);
  perform private.pass_work(guest, caller);
  delete from auth.users as u where u.id = guest;
  return moved;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.create_personal_link(), public.has_personal_link(), public.revoke_personal_link(),
  public.take_over_guest(text) to authenticated;
grant execute on function public.open_personal_link(text) to anon, authenticated;
