-- Devices are told of proposals, objections, plans that could not decide, and plans of standing dinners, too. Of several
-- decisions that wait for a device only the newest is sent, as before.

create or replace function private.push_notifications() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  decisions constant public.notification_kind[] :=
    '{plan_confirmed,plan_changed,plan_reopened,plan_cancelled,plan_restored,plan_proposed,plan_vetoed,plan_undecided}';
begin
  -- Of several decisions that wait for a device only the newest is sent. A change of words adds nothing to one that
  -- waits: what is sent is read from the plan at that moment.
  delete from private.outgoing_push as m using told as n
    where m.plan_id = n.plan_id and m.user_id = n.user_id and m.taken_at is null
      and m.kind = any (decisions) and n.kind = any (decisions) and n.kind <> 'plan_changed';
  insert into private.outgoing_push (subscription_id, plan_id, user_id, kind)
    select s.id, n.plan_id, n.user_id, n.kind
    from told as n
    join public.push_subscriptions as s on s.user_id = n.user_id
    join public.plan_members as seat on seat.plan_id = n.plan_id and seat.user_id = n.user_id
    where (n.kind = any (decisions) or n.kind in ('vote_nudge', 'vote_reminder', 'plan_tomorrow', 'seat_freed', 'standing_planned'))
      and not (n.kind = 'plan_changed' and exists (
        select 1 from private.outgoing_push as m
        where m.subscription_id = s.id and m.plan_id = n.plan_id and m.taken_at is null and m.kind = any (decisions)
      ));
  if found then
    perform private.deliver_push();
  end if;
  return null;
end $$;

-- As before; of a proposal with its pair, and until when one may object.
create or replace function public.take_push(most integer default 20) returns jsonb
  language sql volatile security definer set search_path = ''
  begin atomic
    with taken as (
      update private.outgoing_push as m set taken_at = now(), attempts = m.attempts + 1
      where m.id in (
        select w.id from private.outgoing_push as w
        where w.attempts < 5 and (w.taken_at is null or w.taken_at < now() - interval '10 minutes')
        order by w.created_at limit least(most, 100) for update skip locked
      )
      returning m.*
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'kind', m.kind, 'language', mine.language,
      'endpoint', s.endpoint, 'p256dh', s.p256dh, 'auth', s.auth,
      'plan_id', p.id, 'title', p.title, 'time_zone', p.time_zone, 'vote_deadline', p.vote_deadline,
      'starts_at', t.starts_at, 'place', k.name, 'veto_until', p.veto_until
    ) order by m.created_at), '[]')
    from taken as m
    join public.push_subscriptions as s on s.id = m.subscription_id
    join public.private_profiles as mine on mine.id = m.user_id
    join public.plans as p on p.id = m.plan_id
    left join public.time_options as t on t.id = coalesce(p.chosen_time_id, p.proposed_time_id)
    left join public.place_options as o on o.id = coalesce(p.chosen_place_id, p.proposed_place_id)
    left join public.places as k on k.id = o.place_id;
  end;
