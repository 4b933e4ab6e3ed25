-- Indexes behind the columns by which row policies choose rows, and personal links that the auth service honours.

create index time_votes_user_idx on public.time_votes (user_id);
create index place_votes_user_idx on public.place_votes (user_id);
create index reactions_user_idx on public.reactions (user_id);

-- A refresh token in the form of the auth service's own: twelve letters and digits. It looks up only tokens of this
-- length in its table, and reads longer ones as signed tokens of another kind.
create function private.new_refresh_token() returns text
  language sql volatile set search_path = ''
  begin atomic
    select string_agg(
      substr('abcdefghijklmnopqrstuvwxyz234567', (get_byte(random.bytes, place) & 31) + 1, 1), '' order by place)
    from (select extensions.gen_random_bytes(12) as bytes) as random, generate_series(0, 11) as place;
  end;

create or replace function public.open_personal_link(token text) returns table (refresh_token text, display_name text)
  language plpgsql security definer set search_path = '' as $$
declare
  link private.personal_links;
  session uuid := gen_random_uuid();
  secret text := private.new_refresh_token();
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
