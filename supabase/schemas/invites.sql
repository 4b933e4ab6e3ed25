-- Links into a plan or a circle.

-- A link into a plan or a circle. Only the hash of its token is stored: reading this table gives nobody a link.
create table public.invites (
  id uuid primary key default gen_random_uuid(),
  plan_id uuid references public.plans (id) on delete cascade,
  circle_id uuid references public.circles (id) on delete cascade,
  token_hash bytea not null unique,
  created_by uuid references public.profiles (id) on delete set null,
  expires_at timestamptz not null,
  max_uses smallint not null check (max_uses between 1 and 20),
  uses smallint not null default 0,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  -- The address that an invitation by mail went to: the guest who accepts it is told about the plan there.
  mailed_to text,
  constraint invite_leads_somewhere check (num_nonnulls(plan_id, circle_id) = 1),
  constraint uses_within_limit check (uses <= max_uses)
);

create index invites_plan_id_idx on public.invites (plan_id);
create index invites_circle_id_idx on public.invites (circle_id);
create index invites_created_by_idx on public.invites (created_by);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.new_invite(plan uuid, circle uuid, days integer, uses integer)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
begin
  perform 1 from public.plans as p where p.id = plan for no key update;
  perform 1 from public.circles as c where c.id = circle for no key update;
  if (
    select count(*) from public.invites as i
    where (i.plan_id = plan or i.circle_id = circle)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
  ) >= private.limit_of('open_invites') then
    perform private.refuse('too_many_invites');
  end if;
  return query
    insert into public.invites as i (plan_id, circle_id, token_hash, created_by, expires_at, max_uses)
    values (
      plan, circle, private.token_hash(secret), (select private.caller()),
      now() + make_interval(days => least(greatest(days, 1), private.limit_of('invite_days'))),
      least(greatest(new_invite.uses, 1), private.limit_of('invite_uses'))
    )
    returning i.id, secret, i.expires_at;
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
  perform private.refuse_removed(this);
  return this;
end $$;

-- A link into a plan, by any of its hosts. The token is in the answer and nowhere else. `days` and `uses` are cut to
-- the limits.
create function public.create_invite(plan uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  if this.status = 'cancelled' then
    perform private.refuse('plan_cancelled');
  end if;
  return query select * from private.new_invite(plan, null, create_invite.days, create_invite.uses);
end $$;

create function public.create_circle_invite(circle uuid, days integer default 14, uses integer default 20)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  if circle not in (select private.my_circle_ids()) then
    perform private.refuse('circle_not_found');
  elsif circle not in (select private.my_admin_circle_ids()) then
    perform private.refuse('not_circle_admin');
  end if;
  return query
    select * from private.new_invite(null, circle, create_circle_invite.days, create_circle_invite.uses);
end $$;

-- Takes the seat the link offers. Using it again changes nothing and costs no use.
create function public.accept_invite(token text) returns table (kind text, target uuid)
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
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
      perform private.require_open(this);
      insert into public.plan_members (plan_id, user_id) values (invite.plan_id, caller);
      if private.is_guest() and invite.mailed_to is not null then
        perform private.recipient(invite.mailed_to);
        insert into private.left_addresses (plan_id, user_id, address, confirmed_at)
          values (invite.plan_id, caller, invite.mailed_to, now());
      end if;
      select m.user_id into host from public.plan_members as m
        where m.plan_id = invite.plan_id and m.role = 'host';
      insert into public.notifications (user_id, kind, plan_id, actor_id)
        select host, 'person_joined', invite.plan_id, caller where host is not null;
    else
      if private.is_guest() then
        perform private.refuse('needs_account');
      end if;
      insert into public.circle_members (circle_id, user_id) values (invite.circle_id, caller);
    end if;
    update public.invites as i set uses = i.uses + 1 where i.id = invite.id;
  end if;
  return query select
    case when invite.plan_id is null then 'circle' else 'plan' end,
    coalesce(invite.plan_id, invite.circle_id);
end $$;

-- The preview of a link for the signed out: where it leads, its host (first name), the number of people who are in, the time
-- of a decided meal in the plan's zone, and the host's language, which the preview in a chat uses. Of a vote also the
-- times to come, and the names of the places, or of the chosen one: null for a home, and none where results are hidden. `joined`: the caller is
-- already in. Volatile because it locks the invite while it reads.
create function public.preview_invite(token text)
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

-- The name of a link's stored picture: all links of a plan or circle share one file.
create function public.invite_subject(token text) returns uuid
  language sql stable security definer set search_path = ''
  begin atomic
    select coalesce(i.plan_id, i.circle_id) from public.invites as i
    where i.token_hash = private.token_hash(invite_subject.token);
  end;

create function public.revoke_invite(invite uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
begin
  update public.invites as i set revoked_at = coalesce(i.revoked_at, now())
    where i.id = invite
      and (i.plan_id in (select private.my_hosted_plan_ids()) or i.circle_id in (select private.my_admin_circle_ids()));
  if not found then
    perform private.refuse('invite_not_found');
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Policies

alter table public.invites enable row level security;

create policy "invites are read by hosts and circle admins" on public.invites
  for select to authenticated using (
    plan_id = any (array(select private.my_hosted_plan_ids()))
    or circle_id = any (array(select private.my_admin_circle_ids()))
  );

-- ---------------------------------------------------------------------------------------------------------
-- Grants

-- The hash stays unreadable even for hosts: nobody has a use for it.
grant select (id, plan_id, circle_id, created_by, expires_at, max_uses, uses, revoked_at, created_at)
  on public.invites to authenticated;
grant execute on function public.create_invite(uuid, integer, integer),
  public.create_circle_invite(uuid, integer, integer), public.accept_invite(text), public.revoke_invite(uuid)
  to authenticated;
grant execute on function public.preview_invite(text) to anon, authenticated;
grant execute on function public.invite_subject(text) to service_role;
