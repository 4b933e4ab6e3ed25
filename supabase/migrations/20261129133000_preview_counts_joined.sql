-- The preview of a link says "3 people have joined": it counts those who are in, not who was seated or has declined.

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
          where o.plan_id = p.id and p.status = 'polling' and not p.results_hidden order by k.name)
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

create or replace function public.preview_plan(plan uuid)
  returns table (title text, host_name text, people integer, plan_state text, joined boolean, opens boolean, request text,
    language text)
  language plpgsql stable security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_address(preview_plan.plan);
begin
  return query
    select this.title, split_part(host.display_name, ' ', 1),
      (select count(*)::integer from public.plan_members as m
        where m.plan_id = this.id and m.accepted_at is not null and m.rsvp <> 'declined'),
      private.plan_state(this), private.is_plan_member(this.id), this.joins_by_link,
      case
        when exists (select 1 from private.removals as r where r.plan_id = this.id and r.user_id = (select private.caller()))
          then 'removed'
        else coalesce((select case when r.declined_at is null then 'asked'
            when r.times_asked < private.limit_of('join_requests_per_plan') then 'declined' else 'refused' end
          from private.join_requests as r where r.plan_id = this.id and r.user_id = (select private.caller())),
          (select 'moved' from public.notifications as n
          where n.plan_id = this.id and n.user_id = (select private.caller()) and n.kind = 'seat_moved' limit 1))
      end,
      private_host.language
    from public.plans as p
    left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
    left join public.profiles as host on host.id = h.user_id
    left join public.private_profiles as private_host on private_host.id = h.user_id
    where p.id = this.id;
end $$;
