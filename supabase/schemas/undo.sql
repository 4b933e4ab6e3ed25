-- Undoing a decision, for some seconds after a host made it. Until then its mails and messages wait, so that whoever
-- undoes it has told nobody.

-- What the last decision of a plan changed: the rows before it, and the choice and the people after it.
create table private.undos (
  plan_id uuid primary key references public.plans (id) on delete cascade,
  decided_at timestamptz not null default now(),
  until timestamptz not null,
  before jsonb not null,
  after jsonb
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.seats_of(plan uuid) returns jsonb
  language sql stable security definer set search_path = ''
  return (
    select jsonb_agg(jsonb_build_object('user_id', m.user_id, 'rsvp', m.rsvp, 'plus_ones', m.plus_ones,
      'waitlisted_at', m.waitlisted_at, 'rsvp_at', m.rsvp_at))
    from public.plan_members as m where m.plan_id = plan
  );

-- Keeps what a decision is about to change of a plan, which the caller has locked.
create function private.keep_before(this public.plans) returns void
  language sql security definer set search_path = ''
  begin atomic
    delete from private.undos as u where u.until <= now() or u.plan_id = this.id;
    insert into private.undos (plan_id, until, before)
      select this.id, now() + make_interval(secs => private.limit_of('undo_seconds')), jsonb_build_object(
        'plan', to_jsonb(this), 'people', private.seats_of(this.id),
        'arrivals', (
          select coalesce(jsonb_agg(to_jsonb(a)), '[]') from public.arrivals as a where a.plan_id = this.id),
        'notices', (
          select coalesce(jsonb_agg(to_jsonb(n)), '[]') from public.notifications as n
          where n.plan_id = this.id and n.kind in ('plan_moved', 'plan_placed') and n.read_at is null),
        'mails', (
          select coalesce(jsonb_agg(to_jsonb(m)), '[]') from private.outgoing_mail as m
          where m.plan_id = this.id and m.sent_at is null and m.taken_at is null
            and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text))),
        'messages', (
          select coalesce(jsonb_agg(to_jsonb(m)), '[]') from private.outgoing_push as m
          where m.plan_id = this.id and m.taken_at is null
            and (private.is_decision(m.kind::text) or private.is_addition(m.kind::text))));
  end;

create function private.keep_after(plan uuid) returns void
  language sql security definer set search_path = ''
  begin atomic
    update private.undos as u set after = jsonb_build_object(
        'status', p.status, 'time', p.chosen_time_id, 'place', p.chosen_place_id, 'people', private.seats_of(p.id))
      from public.plans as p where p.id = keep_after.plan and u.plan_id = p.id;
  end;

-- When mails and messages about a change of this transaction may go out: null for at once.
create function private.not_before(plan uuid) returns timestamptz
  language sql stable security definer set search_path = ''
  return (select u.until from private.undos as u where u.plan_id = not_before.plan and u.decided_at = now());

-- Takes the last decision back: the choice, and what it changed of seats, arrivals, notices and waiting mails. What
-- others did since stays. Sends nothing.
create function public.undo_decision(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
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
  update public.plans as p set ready_at = was.ready_at, ready_by = was.ready_by,
      booked_seats = was.booked_seats, booked_name = was.booked_name, undecided = was.undecided,
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
end $$;

-- Milliseconds until the next mail or message that waits for its time; null where none does. For the functions that
-- deliver: they wait for it, so that it goes out whatever becomes of the page that decided.
create function public.delivery_due_in(what text) returns integer
  language sql volatile security definer set search_path = ''
  begin atomic
    select ceil(extract(epoch from min(waits.until) - clock_timestamp()) * 1000)::integer from (
      select m.not_before as until from private.outgoing_mail as m
        where delivery_due_in.what = 'mail' and m.sent_at is null and m.taken_at is null
      union all
      select m.not_before from private.outgoing_push as m where delivery_due_in.what = 'push' and m.taken_at is null
    ) as waits;
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function public.undo_decision(uuid) to authenticated;
grant execute on function public.delivery_due_in(text) to service_role;
