-- Mail that Nosh sends: invitations, reminders, decisions. A mail is a row, written in the transaction of the
-- change that it reports; a function delivers it afterwards and may be called any number of times.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- Where each person at a plan gets mail about it: the address of their account, or the one that a guest has left there.
create function private.plan_mail_addresses(plan uuid)
  returns table (user_id uuid, address text, language text, wanted boolean)
  language sql stable security definer rows 20 set search_path = ''
  begin atomic
    select m.user_id, coalesce(lower(u.email), l.address), p.language, p.mail_reminders
    from public.plan_members as m
    join auth.users as u on u.id = m.user_id
    join public.private_profiles as p on p.id = m.user_id
    left join private.left_addresses as l on l.plan_id = m.plan_id and l.user_id = m.user_id and u.email is null
    where m.plan_id = plan_mail_addresses.plan
      and (u.email is not null and u.email_confirmed_at is not null or l.confirmed_at is not null);
  end;

create function private.is_mail_address(value text) returns boolean
  language sql immutable set search_path = ''
  return char_length(value) <= 254 and value ~ '^[^\s@"<>,;]+@[^\s@"<>,;.]+(\.[^\s@"<>,;.]+)+$';

create function private.recipient(address text) returns private.mail_recipients
  language plpgsql security definer set search_path = '' as $$
declare
  this private.mail_recipients;
begin
  insert into private.mail_recipients as r (address) values (lower(btrim(recipient.address)))
    on conflict on constraint mail_recipients_pkey do update set address = excluded.address returning * into this;
  return this;
end $$;

-- Invites people by mail, each with a link of their own that works once. Answers for each address `queued` or
-- `not_sent` (that address wants no invitations). Sending is done by the function `send-invites`.
create function public.invite_by_mail(plan uuid, addresses text[])
  returns table (address text, outcome text)
  language plpgsql security definer set search_path = '' as $$
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
end $$;

-- What a mail's last line leads to: which mails the address gets now. For whoever has the token.
create function public.mail_choice(token uuid) returns table (address text, invites boolean, reminders boolean)
  language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    select regexp_replace(r.address, '^(.)[^@]*', '\1…'), r.no_invites_since is null, r.no_reminders_since is null
    from private.mail_recipients as r where r.token = mail_choice.token;
  if not found then
    perform private.refuse('mail_link_gone');
  end if;
end $$;

-- Sets which mails the address wants. People with an account have the same choice in their settings.
create function public.choose_mail(token uuid, invites boolean, reminders boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  chosen text;
begin
  update private.mail_recipients as r set
    no_invites_since = case when invites then null else coalesce(r.no_invites_since, now()) end,
    no_reminders_since = case when reminders then null else coalesce(r.no_reminders_since, now()) end
    where r.token = choose_mail.token returning r.address into chosen;
  if not found then
    perform private.refuse('mail_link_gone');
  end if;
  update public.private_profiles as p set mail_invites = invites, mail_reminders = reminders
    from auth.users as u where u.id = p.id and lower(u.email) = chosen;
end $$;

-- The other way round: a change in one's own settings holds for the address too.
create function private.follow_mail_settings() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update private.mail_recipients as r set
    no_invites_since = case when new.mail_invites then null else coalesce(r.no_invites_since, now()) end,
    no_reminders_since = case when new.mail_reminders then null else coalesce(r.no_reminders_since, now()) end
    from auth.users as u where u.id = new.id and r.address = lower(u.email)
      and (r.no_invites_since is null, r.no_reminders_since is null)
        is distinct from (new.mail_invites, new.mail_reminders);
  return null;
end $$;

-- Mail to the address of an account that goes, and mail of its person that was not sent yet, go too. Runs however the
-- person goes, an administrator's deletion included.
create function private.forget_mail() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- With what was sent to them. A left address may also be that of an account, which keeps it.
  delete from private.mail_recipients as r
    where r.address = lower(old.email) or r.address in (
      select l.address from private.left_addresses as l where l.user_id = old.id and l.confirmed_at is not null
    ) and not exists (select 1 from auth.users as u where lower(u.email) = r.address and u.id <> old.id)
      and not exists (select 1 from private.left_addresses as l where l.address = r.address and l.user_id <> old.id);
  delete from private.outgoing_mail as m where m.sender_id = old.id and m.sent_at is null;
  return old;
end $$;

create function private.mail_changes() returns trigger
  language plpgsql security definer set search_path = '' as $$
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
end $$;

create function private.mail_decisions() returns trigger
  language plpgsql security definer set search_path = '' as $$
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
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language, not_before)
    -- The host who decided gets the calendar's entry too.
    select distinct r.address, n.kind::text::public.mail_kind, n.plan_id,
      case when a.user_id = n.actor_id then n.actor_id end, a.language, private.not_before(n.plan_id)
    from told as n
    join lateral private.plan_mail_addresses(n.plan_id) as a on a.wanted and (a.user_id = n.user_id
      or a.user_id = n.actor_id and n.kind in ('plan_confirmed', 'plan_moved', 'plan_cancelled', 'plan_restored'))
    join private.mail_recipients as r on r.address = a.address and r.no_reminders_since is null
    where private.is_decision(n.kind::text);
  if found then
    perform private.deliver_mail();
  end if;
  return null;
end $$;

-- The people to remind now: to vote before the deadline, of a meal the day before, to rate it afterwards.
create function private.due_reminders()
  returns table (plan_id uuid, user_id uuid, kind public.mail_kind, due_for timestamptz)
  language sql stable security definer set search_path = ''
  begin atomic
    select p.id, m.user_id, 'vote_reminder'::public.mail_kind, p.vote_deadline
    from public.plans as p cross join lateral private.plan_next(p.id) as m
    where p.status = 'polling' and m.step in ('times', 'places')
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

-- Writes what is due: a notification for each person, and a mail for who has an address and wants one.
-- Returns how many people were reminded. Running twice at once reminds once: the key of `reminders` decides.
create function private.remind() returns integer
  language plpgsql security definer set search_path = '' as $$
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
end $$;

-- Only the schedule delivers mail: the function plan-reminders asks for a secret that is in the vault (rows/vault.sql).
create function public.is_reminders_secret(given text) returns boolean
  language sql stable security definer set search_path = ''
  return exists (
    select 1 from vault.decrypted_secrets as s
    where s.name = 'reminders_secret'
      and extensions.digest(s.decrypted_secret, 'sha256') = extensions.digest(given, 'sha256')
  );

create function private.deliver_mail() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if exists (select 1 from private.outgoing_mail as m where m.sent_at is null and m.attempts < 5) then
    perform private.call_function('plan-reminders');
  end if;
end $$;

-- Whether what a message says of a plan to its readers (several, if they share an address) is still so. A message that
-- waits, until a decision can no longer be undone or for a provider, is not sent when the plan has changed meanwhile.
create function private.is_still_so(kind text, this public.plans, readers uuid[], actor uuid) returns boolean
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

-- What a message calls a person at a plan: the first name, and the whole one if somebody there shares the first.
create function private.name_at(plan uuid, person uuid) returns text
  language sql stable security definer set search_path = ''
  return (
    select case when exists (
      select 1 from public.plan_members as m join public.profiles as other on other.id = m.user_id
      where m.plan_id = name_at.plan and other.id <> mine.id
        and split_part(other.display_name, ' ', 1) = split_part(mine.display_name, ' ', 1)
    ) then mine.display_name else split_part(mine.display_name, ' ', 1) end
    from public.profiles as mine where mine.id = person
  );

-- Takes up to `most` mails that wait, with all that their words need; those that are no longer so go. A mail that was taken and not settled within ten
-- minutes is taken again, five times at most. Besides what the words need, the calendar's entry of a plan that has a
-- time. A proposal's mail has the proposed pair and until when one may object.
create function public.take_mail(most integer default 20) returns jsonb
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

-- Says what became of a mail that was taken: sent, or why not (it is tried again later, five times at most). The
-- token goes with the last attempt.
create function public.settle_mail(mail uuid, failure text default null) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    update private.outgoing_mail as m set
      sent_at = case when settle_mail.failure is null then now() end,
      secret = case when settle_mail.failure is not null and m.attempts < 5 then m.secret end,
      failure = left(settle_mail.failure, 500)
    where m.id = settle_mail.mail and m.sent_at is null;
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Triggers

create trigger follow_mail_settings after update of mail_invites, mail_reminders on public.private_profiles
  for each row execute function private.follow_mail_settings();
create trigger forget_mail before delete on auth.users
  for each row execute function private.forget_mail();
create trigger mail_decisions after insert on public.notifications
  referencing new table as told for each statement when (coalesce(current_setting('nosh.undoes', true), '') <> 'on')
  execute function private.mail_decisions();
create trigger mail_changes after insert on public.notifications
  referencing new table as told for each statement when (coalesce(current_setting('nosh.undoes', true), '') <> 'on')
  execute function private.mail_changes();

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.invite_by_mail(uuid, text[]) to authenticated;
grant execute on function public.mail_choice(uuid), public.choose_mail(uuid, boolean, boolean) to anon, authenticated;
grant execute on function public.is_reminders_secret(text), public.take_mail(integer), public.settle_mail(uuid, text)
  to service_role;
