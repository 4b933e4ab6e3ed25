-- Who has answered, who must be there, and the same person on another device.

alter table public.plan_members
  -- Since when this person has answered at least one time. Says that they answered, never what: a plan may
  -- hide results, and the others still want to know whom they wait for.
  add column answered_at timestamptz,
  -- The host says so: without them there is no dinner.
  add column required boolean not null default false;

update public.plan_members as m set answered_at = (
  select min(v.voted_at) from public.time_votes as v where v.plan_id = m.plan_id and v.user_id = m.user_id
);

create function private.note_answered() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  voter record := coalesce(new, old);
  answered boolean := exists (
    select 1 from public.time_votes as v where v.plan_id = voter.plan_id and v.user_id = voter.user_id
  );
begin
  update public.plan_members as m set answered_at = case when answered then now() end
    where m.plan_id = voter.plan_id and m.user_id = voter.user_id and (m.answered_at is not null) <> answered;
  return null;
end $$;

create trigger note_answered after insert or delete on public.time_votes
  for each row execute function private.note_answered();

create function public.set_member_required(plan uuid, person uuid, required boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plans := private.plan_of_caller(plan, true);
begin
  update public.plan_members as m set required = set_member_required.required
    where m.plan_id = this.id and m.user_id = person;
  if not found then
    perform private.refuse('person_not_found');
  end if;
end $$;

grant execute on function public.set_member_required(uuid, uuid, boolean) to authenticated;

-- A calendar must hear of a new title or note as well as of a new time (its SEQUENCE).
create function private.count_revision() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.revision = old.revision and (new.title, new.note) is distinct from (old.title, old.note) then
    new.revision := old.revision + 1;
  end if;
  return new;
end $$;

create trigger count_revision before update on public.plans
  for each row execute function private.count_revision();

-- ---------------------------------------------------------------------------------------------------------
-- Language and mail

alter table public.private_profiles
  add column language text not null default 'en' check (language in ('en', 'de'));
grant update (language) on public.private_profiles to authenticated;

-- ---------------------------------------------------------------------------------------------------------
-- A guest's personal link: the way to be the same guest on a second device, where there is no address to
-- sign in with. One at a time, for a week, and only while they are a guest.

insert into private.limits (name, value, reason) values
  ('personal_link_days', 7, 'Long enough for the way from the phone to the desk; short enough to be forgotten in a chat.'),
  ('personal_link_uses', 5, 'A person has a handful of devices.');

insert into private.errors (code, status, message, hint) values
  ('not_a_guest', 409, 'A personal link is for guests.', 'Sign in with your address on the other device.'),
  ('personal_link_gone', 410, 'This personal link does not work any more.', 'Make a new one on the device where you are in.');

create table private.personal_links (
  user_id uuid primary key references auth.users (id) on delete cascade,
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  uses smallint not null default 0
);

-- The token is in the answer and nowhere else. A new link ends the one before.
create function public.create_personal_link() returns table (token text, expires_at timestamptz)
  language plpgsql security definer set search_path = '' as $$
declare
  secret text := translate(encode(extensions.gen_random_bytes(24), 'base64'), '+/', '-_');
begin
  if not private.is_guest() then
    perform private.refuse('not_a_guest');
  end if;
  return query
    insert into private.personal_links as l (user_id, token_hash, expires_at)
    values (auth.uid(), private.token_hash(secret), now() + make_interval(days => private.limit_of('personal_link_days')))
    on conflict (user_id) do update
      set token_hash = excluded.token_hash, expires_at = excluded.expires_at, uses = 0
    returning secret, l.expires_at;
end $$;

create function public.revoke_personal_link() returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from private.personal_links where user_id = (select auth.uid());
  end;

-- Opens a session for the guest whose link it is, and answers with its first refresh token: the client
-- exchanges it like any other. The auth service has no call for this (an anonymous user has no address and no
-- password), so the rows are those that its own anonymous sign-in writes.
create function public.open_personal_link(token text) returns table (refresh_token text, display_name text)
  language plpgsql security definer set search_path = '' as $$
declare
  link private.personal_links;
  session uuid := gen_random_uuid();
  secret text := translate(encode(extensions.gen_random_bytes(18), 'base64'), '+/', '-_');
begin
  select * into link from private.personal_links as l
    where l.token_hash = private.token_hash(open_personal_link.token) for update;
  if not found or link.expires_at <= now() or link.uses >= private.limit_of('personal_link_uses')
    or not exists (select 1 from public.profiles as p where p.id = link.user_id and p.is_guest) then
    perform private.refuse('personal_link_gone');
  end if;
  update private.personal_links as l set uses = l.uses + 1 where l.user_id = link.user_id;
  insert into auth.sessions (id, user_id, created_at, updated_at, aal)
    values (session, link.user_id, now(), now(), 'aal1');
  insert into auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
    values (gen_random_uuid(), session, 'anonymous', now(), now());
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
    values ('00000000-0000-0000-0000-000000000000', secret, link.user_id::text, false, now(), now(), session);
  return query select secret, p.display_name from public.profiles as p where p.id = link.user_id;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Where one is signed in

create function public.my_sessions()
  returns table (id uuid, created_at timestamptz, last_used_at timestamptz, user_agent text, current boolean)
  language sql stable security definer set search_path = ''
  begin atomic
    select s.id, s.created_at, coalesce(s.refreshed_at at time zone 'UTC', s.created_at), s.user_agent,
      s.id::text = (select auth.jwt() ->> 'session_id')
    from auth.sessions as s
    where s.user_id = (select auth.uid()) and (s.not_after is null or s.not_after > now())
    order by 5 desc, 3 desc
    limit 50;
  end;

-- Its refresh tokens go with it; the access token it still has ends within the hour.
create function public.end_session(session uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from auth.sessions as s where s.id = session and s.user_id = (select auth.uid());
  end;

grant execute on function public.create_personal_link(), public.revoke_personal_link(),
  public.my_sessions(), public.end_session(uuid) to authenticated;
grant execute on function public.open_personal_link(text) to anon, authenticated;
