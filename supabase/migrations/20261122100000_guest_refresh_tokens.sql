-- A guest's personal link gives a refresh token in the form that the auth service looks up.

-- Opens a session for the guest whose link it is, and answers with its first refresh token: the client
-- exchanges it like any other. The auth service has no call for this (an anonymous user has no address and no
-- password), so the rows are those that its own anonymous sign-in writes.
create or replace function public.open_personal_link(token text) returns table (refresh_token text, display_name text)
  language plpgsql security definer set search_path = '' as $$
declare
  link private.personal_links;
  session uuid := gen_random_uuid();
  bytes bytea := extensions.gen_random_bytes(12);
  -- Twelve characters of base32, as the auth service makes them: it refuses a token of any other form unseen.
  secret text := (
    select string_agg(substr('abcdefghijklmnopqrstuvwxyz234567', 1 + (get_byte(bytes, n) & 31), 1), '' order by n)
    from generate_series(0, 11) as n
  );
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
