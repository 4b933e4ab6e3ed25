-- What people do with each other: join, answer, arrive, rate, leave, and change what they said.

-- ---------------------------------------------------------------------------------------------------------
-- Seats

create function private.seats_taken(plan uuid) returns integer
  language sql stable security definer set search_path = ''
  return (
    select coalesce(sum(1 + m.plus_ones), 0)::integer from public.plan_members as m
    where m.plan_id = plan and m.rsvp = 'going'
  );

-- Seats people from the waitlist in order while they fit. A party that does not fit holds the line: those
-- behind it do not overtake.
create function private.promote_waitlist(plan uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  seats integer := coalesce((select p.capacity from public.plans as p where p.id = plan), 32767);
  next public.plan_members;
begin
  loop
    select * into next from public.plan_members as m
      where m.plan_id = plan and m.rsvp = 'waitlisted' order by m.waitlisted_at, m.user_id limit 1;
    exit when not found or private.seats_taken(plan) + 1 + next.plus_ones > seats;
    update public.plan_members set rsvp = 'going', waitlisted_at = null
      where plan_id = plan and user_id = next.user_id;
    insert into public.notifications (user_id, kind, plan_id, actor_id)
      values (next.user_id, 'seat_freed', plan, auth.uid());
  end loop;
end $$;

create function private.promote_after_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'plans' then
    perform private.promote_waitlist(new.id);
  else
    perform private.promote_waitlist(old.plan_id);
  end if;
  return null;
end $$;

create trigger promote_on_capacity after update of capacity on public.plans
  for each row when (new.capacity is distinct from old.capacity)
  execute function private.promote_after_change();
create trigger promote_on_leave after delete on public.plan_members
  for each row when (old.rsvp = 'going') execute function private.promote_after_change();

-- Answers "are you coming": going, maybe, declined or pending. Returns what it became, which is `waitlisted`
-- when the table is full.
create function public.set_rsvp(plan uuid, answer public.rsvp_status, plus_ones integer default 0)
  returns public.rsvp_status
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
  before public.plan_members;
  result public.rsvp_status := case when answer = 'waitlisted' then 'going' else answer end;
  party integer := case when answer in ('going', 'waitlisted') then set_rsvp.plus_ones else 0 end;
  taken_by_others integer;
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  elsif private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  end if;
  select * into before from public.plan_members as m where m.plan_id = plan and m.user_id = auth.uid();
  if result = 'going' and this.capacity is not null then
    taken_by_others := private.seats_taken(plan)
      - case when before.rsvp = 'going' then 1 + before.plus_ones else 0 end;
    if taken_by_others + 1 + party > this.capacity
      or (before.rsvp <> 'going' and exists (
        select 1 from public.plan_members as m
        where m.plan_id = plan and m.rsvp = 'waitlisted' and m.user_id <> auth.uid()
          and (before.waitlisted_at is null or m.waitlisted_at < before.waitlisted_at)
      ))
    then
      result := 'waitlisted';
    end if;
  end if;
  update public.plan_members as m
    set rsvp = result, plus_ones = party,
      -- Not now(), which is when the transaction began: the line is in the order in which the plan was locked.
      waitlisted_at = case when result = 'waitlisted' then coalesce(before.waitlisted_at, clock_timestamp()) end
    where m.plan_id = plan and m.user_id = auth.uid();
  perform private.promote_waitlist(plan);
  return (select m.rsvp from public.plan_members as m where m.plan_id = plan and m.user_id = auth.uid());
end $$;

-- Takes someone off the table; oneself, or, as a host, another.
create function public.remove_member(plan uuid, person uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, person is distinct from auth.uid());
  seat public.plan_role;
begin
  select m.role into seat from public.plan_members as m where m.plan_id = this.id and m.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
  elsif seat = 'host' then
    perform private.refuse('host_cannot_leave');
  end if;
  delete from public.plan_members where plan_id = plan and user_id = person;
end $$;

-- Makes someone cohost or guest again; with `host` the caller, who must be the host, hands the plan over.
create function public.set_member_role(plan uuid, person uuid, role public.plan_role) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
  before public.plan_role;
begin
  select m.role into before from public.plan_members as m where m.plan_id = this.id and m.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
  end if;
  if set_member_role.role = 'host' then
    update public.plan_members as m set role = 'cohost'
      where m.plan_id = plan and m.user_id = auth.uid() and m.role = 'host';
    if not found then
      perform private.refuse('not_host');
    end if;
    if (select p.is_guest from public.profiles as p where p.id = person) then
      perform private.refuse('needs_account');
    end if;
  elsif before = 'host' then
    perform private.refuse('host_cannot_leave');
  end if;
  update public.plan_members as m set role = set_member_role.role where m.plan_id = plan and m.user_id = person;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Invites

create function private.token_hash(token text) returns bytea
  language sql immutable set search_path = ''
  return extensions.digest(token, 'sha256');

create function private.new_invite(plan uuid, circle uuid, days integer, uses integer)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
begin
  return query
    insert into public.invites as i (plan_id, circle_id, token_hash, created_by, expires_at, max_uses)
    values (
      plan, circle, private.token_hash(secret), auth.uid(),
      now() + make_interval(days => least(greatest(days, 1), private.limit_of('invite_days'))),
      least(greatest(new_invite.uses, 1), private.limit_of('invite_uses'))
    )
    returning i.id, secret, i.expires_at;
end $$;

-- A link into a plan. The token is in the answer and nowhere else. `days` and `uses` are cut to the limits.
create function public.create_invite(plan uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if private.is_guest() then
    perform private.refuse('needs_account');
  elsif this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  end if;
  return query select * from private.new_invite(plan, null, create_invite.days, create_invite.uses);
end $$;

create function public.create_circle_invite(circle uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
begin
  if circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  elsif circle not in (select private.my_admin_circle_ids()) then
    perform private.refuse('not_circle_admin');
  end if;
  return query
    select * from private.new_invite(null, circle, create_circle_invite.days, create_circle_invite.uses);
end $$;

create function public.revoke_invite(invite uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update public.invites as i set revoked_at = coalesce(i.revoked_at, now())
    where i.id = invite
      and (i.plan_id in (select private.my_hosted_plan_ids()) or i.circle_id in (select private.my_admin_circle_ids()));
  if not found then
    perform private.refuse('invite_not_found');
  end if;
end $$;

create function private.usable_invite(token text) returns public.invites
  language plpgsql security definer set search_path = '' as $$
declare
  this public.invites;
begin
  select * into this from public.invites as i
    where i.token_hash = private.token_hash(usable_invite.token) for no key update;
  if not found then
    perform private.refuse('invite_not_found');
  elsif this.revoked_at is not null then
    perform private.refuse('invite_revoked');
  elsif this.expires_at <= now() then
    perform private.refuse('invite_expired');
  end if;
  return this;
end $$;

-- What a signed-out person may know of a link: where it leads, whose it is (first name), how many are there.
-- `joined` tells a caller who is already in. Volatile because it locks the invite while it looks.
create function public.preview_invite(token text)
  returns table (kind text, title text, host_name text, people integer, plan_state text, joined boolean, target uuid)
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
        (select count(*)::integer from public.plan_members as m where m.plan_id = p.id),
        private.plan_state(p), inside, case when inside then p.id end
      from public.plans as p
      left join public.plan_members as h on h.plan_id = p.id and h.role = 'host'
      left join public.profiles as host on host.id = h.user_id
      where p.id = invite.plan_id;
  else
    return query
      select 'circle', c.name, split_part(owner.display_name, ' ', 1),
        (select count(*)::integer from public.circle_members as m where m.circle_id = c.id),
        null::text, inside, case when inside then c.id end
      from public.circles as c
      left join public.circle_members as o on o.circle_id = c.id and o.role = 'owner'
      left join public.profiles as owner on owner.id = o.user_id
      where c.id = invite.circle_id;
  end if;
end $$;

-- Takes the seat the link offers. Using it again changes nothing and costs no use.
create function public.accept_invite(token text) returns table (kind text, target uuid)
  language plpgsql security definer set search_path = '' as $$
declare
  invite public.invites := private.usable_invite(accept_invite.token);
  this public.plans;
  host uuid;
  inside boolean := coalesce(
    private.is_plan_member(invite.plan_id) or invite.circle_id in (select private.my_circle_ids()), false);
begin
  if not inside then
    if invite.uses >= invite.max_uses then
      perform private.refuse('invite_used_up');
    end if;
    if invite.plan_id is not null then
      select * into this from public.plans as p where p.id = invite.plan_id;
      if this.status = 'cancelled' then
        perform private.refuse('plan_cancelled');
      elsif private.plan_state(this) = 'done' then
        perform private.refuse('plan_over');
      end if;
      insert into public.plan_members (plan_id, user_id) values (invite.plan_id, auth.uid());
      select m.user_id into host from public.plan_members as m
        where m.plan_id = invite.plan_id and m.role = 'host';
      insert into public.notifications (user_id, kind, plan_id, actor_id)
        select host, 'person_joined', invite.plan_id, auth.uid() where host is not null;
    else
      if private.is_guest() then
        perform private.refuse('needs_account');
      end if;
      insert into public.circle_members (circle_id, user_id) values (invite.circle_id, auth.uid());
    end if;
    update public.invites as i set uses = i.uses + 1 where i.id = invite.id;
  end if;
  return query select
    case when invite.plan_id is null then 'circle' else 'plan' end,
    coalesce(invite.plan_id, invite.circle_id);
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- On the day, and after

create function public.mark_arrival(plan uuid, status public.arrival_status, eta_minutes integer default null)
  returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
  before public.arrival_status;
begin
  if private.plan_state(this) = 'done' then
    perform private.refuse('plan_over');
  elsif this.status <> 'confirmed' then
    perform private.refuse('plan_not_confirmed');
  elsif (select t.starts_at from public.time_options as t where t.id = this.chosen_time_id)
    > now() + make_interval(hours => private.limit_of('arrival_opens_hours')) then
    perform private.refuse('not_the_day');
  end if;
  select a.status into before from public.arrivals as a where a.plan_id = plan and a.user_id = auth.uid();
  if before > mark_arrival.status then
    perform private.refuse('arrival_backwards');
  end if;
  insert into public.arrivals as a (plan_id, user_id, status, eta)
    values (plan, auth.uid(), mark_arrival.status,
      case when mark_arrival.status = 'on_the_way'
        then now() + make_interval(mins => least(greatest(eta_minutes, 0), 720)) end)
    on conflict on constraint arrivals_pkey do update set status = excluded.status, eta = excluded.eta;
end $$;

create function public.rate_plan(plan uuid, stars integer, comment text default '') returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, false);
begin
  if private.plan_state(this) <> 'done' then
    perform private.refuse('plan_not_done');
  end if;
  insert into public.ratings as r (plan_id, user_id, place_id, stars, comment)
    select plan, auth.uid(), o.place_id, rate_plan.stars, btrim(rate_plan.comment)
    from public.place_options as o where o.id = this.chosen_place_id
    on conflict on constraint ratings_pkey
    do update set stars = excluded.stars, comment = excluded.comment, place_id = excluded.place_id;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Messages

create function public.edit_message(message uuid, body text) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set body = btrim(edit_message.body), edited_at = now()
    where m.id = message and m.author_id = auth.uid() and m.deleted_at is null
      and m.plan_id in (select private.my_plan_ids());
  if not found then
    perform private.refuse('message_not_found');
  end if;
end $$;

-- Empties a message; its place in the conversation stays, so replies keep their meaning.
create function public.delete_message(message uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update public.messages as m set body = '', deleted_at = now()
    where m.id = message and m.deleted_at is null and m.plan_id in (select private.my_plan_ids())
      and (m.author_id = auth.uid() or m.plan_id in (select private.my_hosted_plan_ids()));
  if not found then
    perform private.refuse('message_not_found');
  end if;
end $$;

grant execute on function
  public.set_rsvp(uuid, public.rsvp_status, integer), public.remove_member(uuid, uuid),
  public.set_member_role(uuid, uuid, public.plan_role), public.create_invite(uuid, integer, integer),
  public.create_circle_invite(uuid, integer, integer), public.revoke_invite(uuid),
  public.accept_invite(text), public.mark_arrival(uuid, public.arrival_status, integer),
  public.rate_plan(uuid, integer, text), public.edit_message(uuid, text), public.delete_message(uuid)
  to authenticated;
grant execute on function public.preview_invite(text) to anon, authenticated;
