-- Whether a guest has a personal link to revoke, or a device that one has opened.

-- Whether the caller has something to revoke: a link that can be opened, or another device that one has opened.
create function public.has_personal_link() returns boolean
  language sql stable security definer set search_path = ''
  begin atomic
    select exists (
      select 1 from private.personal_links as l
      where l.user_id = (select private.require_caller()) and (l.session_id is null and l.expires_at > now() or exists (
        select 1 from auth.sessions as s
        where s.user_id = l.user_id and s.id = any (l.earlier_session_ids || l.session_id)
          and s.id::text is distinct from (select auth.jwt() ->> 'session_id'))));
  end;

grant execute on function public.has_personal_link() to authenticated;
