-- A decided plan whose name or note changes is told to everybody; hosts nudge people who have not voted, and see who
-- gets no message at all.

insert into private.limits (name, value, reason) values
  ('nudge_hours', 24, 'A plan nudges once a day: a second time is nagging.');

insert into private.errors (code, status, message, hint) values
  ('nudged_today', 429, 'Everyone who has not voted was nudged today.', 'Nudge again tomorrow, or write in the chat.'),
  ('nobody_to_nudge', 409, 'Everyone has voted.', 'Nothing to do.');

-- ---------------------------------------------------------------------------------------------------------
-- Changed words of a decided plan

create function private.tell_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- What the owner of the database writes (a seed) is told to nobody.
  if private.caller() is not null and private.plan_state(new) = 'confirmed' then
    -- Several corrections are one line in the activity, until it was read.
    delete from public.notifications as n
      where n.plan_id = new.id and n.kind = 'plan_changed' and n.read_at is null;
    perform private.notify_table(new.id, 'plan_changed');
  end if;
  return null;
end $$;
revoke execute on function private.tell_change() from public, anon, authenticated;
create trigger tell_change after update of title, note on public.plans
  for each row when ((new.title, new.note) is distinct from (old.title, old.note)
    and new.status = 'confirmed' and old.status = 'confirmed')
  execute function private.tell_change();

-- ---------------------------------------------------------------------------------------------------------
-- Nudges

alter table public.plans add column nudged_at timestamptz;

-- Asks everybody with an open answer to vote, and returns how many they are.
create function public.nudge_voters(plan uuid) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, true);
  nudged integer;
begin
  perform private.require_polling(this);
  if this.vote_deadline <= now() then
    perform private.refuse('voting_closed');
  elsif this.nudged_at > now() - make_interval(hours => private.limit_of('nudge_hours')) then
    perform private.refuse('nudged_today');
  end if;
  insert into public.notifications (user_id, kind, plan_id, actor_id)
    select m.user_id, 'vote_nudge', this.id, caller from public.plan_members as m
    where m.plan_id = this.id and m.user_id <> caller and m.rsvp <> 'declined' and exists (
      select 1 from public.time_options as t
      where t.plan_id = this.id and t.starts_at > now() and not exists (
        select 1 from public.time_votes as v where v.option_id = t.id and v.user_id = m.user_id
      )
    );
  get diagnostics nudged = row_count;
  if nudged = 0 then
    perform private.refuse('nobody_to_nudge');
  end if;
  update public.plans as p set nudged_at = now() where p.id = this.id;
  return nudged;
end $$;
revoke execute on function public.nudge_voters(uuid) from public, anon;
grant execute on function public.nudge_voters(uuid) to authenticated;

-- ---------------------------------------------------------------------------------------------------------
-- Mails of both. A nudge goes out at once; changed words wait for the schedule, so that several corrections are one
-- mail, and add nothing to a decision that waits: its mail is written from the plan at the moment of sending.

create function private.mail_changes() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  decisions constant public.mail_kind[] := '{plan_confirmed,plan_reopened,plan_cancelled,plan_restored}';
begin
  if not exists (select 1 from told as n
    where n.kind in ('plan_changed', 'vote_nudge') or n.kind::text = any (decisions::text[])) then
    return null;
  end if;
  delete from private.outgoing_mail as m using told as n, auth.users as u
    where u.id = n.user_id and m.address = lower(u.email) and m.plan_id = n.plan_id and m.kind = 'plan_changed'
      and (n.kind = 'plan_changed' or n.kind::text = any (decisions::text[]))
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
      where m.address = r.address and m.plan_id = n.plan_id and m.kind = any (decisions)
        and m.sent_at is null and m.taken_at is null
    ));
  if exists (select 1 from told as n where n.kind = 'vote_nudge') then
    perform private.deliver_mail();
  end if;
  return null;
end $$;
revoke execute on function private.mail_changes() from public, anon, authenticated;
create trigger mail_changes after insert on public.notifications
  referencing new table as told for each statement execute function private.mail_changes();

-- ---------------------------------------------------------------------------------------------------------
-- People whom no message reaches

-- The people of the caller's plan who get neither mail nor push about it. For hosts, and only the ids: not why.
create function public.plan_unreachable(plan uuid) returns setof uuid
  language plpgsql stable security definer set search_path = '' as $$
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
        select 1 from auth.users as u
        join public.private_profiles as p on p.id = u.id and p.mail_reminders
        left join private.mail_recipients as r on r.address = lower(u.email)
        where u.id = m.user_id and u.email is not null and u.email_confirmed_at is not null
          and r.no_reminders_since is null
      );
end $$;
revoke execute on function public.plan_unreachable(uuid) from public, anon;
grant execute on function public.plan_unreachable(uuid) to authenticated;
