-- A host changes the time or place of a decided plan in one step, without reopening the vote.

insert into private.errors (code, status, message, hint) values
  ('choice_changed', 409, 'The time or place was just changed by another host.', 'Look at what is chosen now, then decide.');

-- Refuses a pair that cannot be chosen for a plan, which the caller has locked. See confirm_plan.
create function private.check_choice(plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[]) returns void
  language plpgsql stable security definer set search_path = '' as $$
declare
  meal public.time_options;
  place uuid;
begin
  select * into meal from public.time_options as o where o.id = time_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  select o.place_id into place from public.place_options as o where o.id = place_option and o.plan_id = plan;
  if not found then
    perform private.refuse('option_not_found');
  end if;
  if meal.starts_at <= now() then
    perform private.refuse('time_in_past');
  end if;
  if not coalesce(private.place_open_during(place, meal.starts_at, meal.ends_at), true) then
    perform private.refuse('place_closed');
  end if;
  if exists (
    select 1 from private.unsafe_for(plan, time_option, place) as person
    where person <> all (coalesce(check_choice.unsafe_for, '{}'))
  ) then
    perform private.refuse('unsafe_for_some');
  end if;
end $$;
revoke execute on function private.check_choice(uuid, uuid, uuid, uuid[]) from public, anon, authenticated;

create or replace function private.settle_plan(
  plan uuid, time_option uuid, place_option uuid, unsafe_for uuid[]
) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.check_choice(plan, time_option, place_option, settle_plan.unsafe_for);
  -- Seated before the plan is confirmed: nobody who has to wait is promoted meanwhile.
  update public.plan_members as m set rsvp = 'going', waitlisted_at = null
    where m.plan_id = settle_plan.plan and m.role = 'host';
  perform private.fill_table(plan);
  update public.plans as p set status = 'confirmed', chosen_time_id = time_option, chosen_place_id = place_option,
    revision = p.revision + 1 where p.id = plan;
  perform private.notify_table(plan, 'plan_confirmed');
end $$;

-- Gives a confirmed plan another pair. Answers are asked again as by reopen_plan: every one but a no. `was_time` and
-- `was_place` are the pair that the caller saw: of two hosts at once, the second is refused. The pair that is chosen
-- already changes nothing, so that a call whose response was lost can be repeated.
create function public.change_choice(
  plan uuid, was_time uuid, was_place uuid, time_option uuid, place_option uuid, unsafe_for uuid[] default '{}'
) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif this.chosen_time_id = time_option and this.chosen_place_id = place_option then
    return;
  elsif (this.chosen_time_id, this.chosen_place_id) is distinct from (was_time, was_place) then
    perform private.refuse('choice_changed');
  end if;
  perform private.check_choice(plan, time_option, place_option, change_choice.unsafe_for);
  update public.plans as p set chosen_time_id = time_option, chosen_place_id = place_option, revision = p.revision + 1
    where p.id = change_choice.plan;
  update public.plan_members as m
    set rsvp = case m.role when 'host' then 'going' else 'pending' end::public.rsvp_status, waitlisted_at = null
    where m.plan_id = change_choice.plan and (m.rsvp <> 'declined' or m.role = 'host');
  delete from public.arrivals as a where a.plan_id = change_choice.plan;
  -- Several changes are one line in the activity, until it was read.
  delete from public.notifications as n
    where n.plan_id = change_choice.plan and n.kind = 'plan_moved' and n.read_at is null;
  perform private.notify_table(plan, 'plan_moved');
end $$;
revoke execute on function public.change_choice(uuid, uuid, uuid, uuid, uuid, uuid[]) from public, anon;
grant execute on function public.change_choice(uuid, uuid, uuid, uuid, uuid, uuid[]) to authenticated;

-- ---------------------------------------------------------------------------------------------------------
-- Told by mail and push at once, as the other decisions

create or replace function private.is_decision(kind text) returns boolean
  language sql immutable parallel safe set search_path = ''
  return kind in ('plan_confirmed', 'plan_moved', 'plan_reopened', 'plan_cancelled', 'plan_restored',
    'plan_proposed', 'plan_vetoed', 'plan_undecided');

create or replace function private.mail_changes() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select 1 from told as n
    where n.kind in ('plan_changed', 'vote_nudge') or private.is_decision(n.kind::text)) then
    return null;
  end if;
  delete from private.outgoing_mail as m using told as n, auth.users as u
    where u.id = n.user_id and m.address = lower(u.email) and m.plan_id = n.plan_id and m.kind = 'plan_changed'
      and (n.kind = 'plan_changed' or private.is_decision(n.kind::text))
      and m.sent_at is null and m.taken_at is null;
  insert into private.mail_recipients (address)
    select distinct lower(u.email) from told as n
    join auth.users as u on u.id = n.user_id
    where n.kind in ('plan_changed', 'vote_nudge') and u.email is not null and u.email_confirmed_at is not null
    on conflict do nothing;
  insert into private.outgoing_mail (address, kind, plan_id, sender_id, language)
    select r.address, n.kind::text::public.mail_kind, n.plan_id, n.actor_id, p.language
    from told as n
    join auth.users as u on u.id = n.user_id and u.email_confirmed_at is not null
    join public.private_profiles as p on p.id = u.id and p.mail_reminders
    join private.mail_recipients as r on r.address = lower(u.email) and r.no_reminders_since is null
    where n.kind in ('plan_changed', 'vote_nudge') and not (n.kind = 'plan_changed' and exists (
      select 1 from private.outgoing_mail as m
      where m.address = r.address and m.plan_id = n.plan_id and private.is_decision(m.kind::text)
        and m.sent_at is null and m.taken_at is null
    ));
  if exists (select 1 from told as n where n.kind = 'vote_nudge') then
    perform private.deliver_mail();
  end if;
  return null;
end $$;

create or replace function private.push_notifications() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Of several decisions that wait for a device only the newest is sent. A change of words adds nothing to one that
  -- waits: what is sent is read from the plan at that moment.
  delete from private.outgoing_push as m using told as n
    where m.plan_id = n.plan_id and m.user_id = n.user_id and m.taken_at is null
      and (private.is_decision(m.kind::text) or m.kind = 'plan_changed') and private.is_decision(n.kind::text);
  insert into private.outgoing_push (subscription_id, plan_id, user_id, kind)
    select s.id, n.plan_id, n.user_id, n.kind
    from told as n
    join public.push_subscriptions as s on s.user_id = n.user_id
    join public.plan_members as seat on seat.plan_id = n.plan_id and seat.user_id = n.user_id
    where (private.is_decision(n.kind::text)
        or n.kind in ('plan_changed', 'vote_nudge', 'vote_reminder', 'plan_tomorrow', 'seat_freed', 'standing_planned'))
      and not (n.kind = 'plan_changed' and exists (
        select 1 from private.outgoing_push as m
        where m.subscription_id = s.id and m.plan_id = n.plan_id and m.taken_at is null
          and (private.is_decision(m.kind::text) or m.kind = 'plan_changed')
      ));
  if found then
    perform private.deliver_push();
  end if;
  return null;
end $$;
