-- A personal link opens one device, and revoking ends the sessions that the guest's links opened.

-- lint: allow destruction: only functions of this migration read it; a link that was used can be used once more
alter table private.personal_links drop column uses;
alter table private.personal_links add column session_id uuid;
alter table private.personal_links add column earlier_session_ids uuid[] not null default '{}';

delete from private.limits where name = 'personal_link_uses';

create or replace function public.create_personal_link() returns table (token text, expires_at timestamptz)
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

create or replace function public.open_personal_link(token text) returns table (refresh_token text, display_name text)
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

create or replace function public.revoke_personal_link() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    update private.personal_links set expires_at = now() where user_id = (select private.require_caller());
    delete from auth.sessions as s using private.personal_links as l
      where l.user_id = (select private.require_caller()) and s.user_id = l.user_id
        and s.id = any (l.earlier_session_ids || l.session_id)
        and s.id::text is distinct from (select auth.jwt() ->> 'session_id');
  end;

create or replace function public.take_over_guest(token text) returns integer
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
