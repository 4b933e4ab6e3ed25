-- The caller of a request. The second step of signing in holds in the database: a session that has passed the first
-- step alone (`aal1`) of an account with a verified factor is nobody. Every policy and every function asks
-- private.caller() or private.require_caller(); auth.uid() is used in these two and nowhere else.

-- ---------------------------------------------------------------------------------------------------------
-- Functions

-- The person who may act in this session; null for the signed out, and until an account with a verified factor has
-- passed its second step (claim `aal`). Policies use it as `(select private.caller())`, which runs once a
-- statement. It answers null and does not raise: a policy that raises would also stop the delivery of row changes
-- to everybody else.
create function private.caller() returns uuid
  language sql stable security definer set search_path = ''
  return (
    select auth.uid()
    where auth.jwt() ->> 'aal' = 'aal2'
      or not exists (
        select 1 from auth.mfa_factors as f where f.user_id = auth.uid() and f.status = 'verified'
      )
  );

-- The same for functions that people call: refuses while the second step is owed. Null passes, for what the signed
-- out may call and for jobs that run as no person.
create function private.require_caller() returns uuid
  language plpgsql stable security definer set search_path = '' as $$
declare
  person uuid := private.caller();
begin
  if person is null and auth.uid() is not null then
    perform private.refuse('second_step_needed');
  end if;
  return person;
end $$;

create function public.my_sessions()
  returns table (id uuid, created_at timestamptz, last_used_at timestamptz, user_agent text, current boolean)
  language sql stable security definer set search_path = ''
  begin atomic
    select s.id, s.created_at, coalesce(s.refreshed_at at time zone 'UTC', s.created_at), s.user_agent,
      s.id::text = (select auth.jwt() ->> 'session_id')
    from auth.sessions as s
    where s.user_id = (select private.require_caller()) and (s.not_after is null or s.not_after > now())
    order by 5 desc, 3 desc
    limit 50;
  end;

-- Its refresh tokens go with it; the access token it still has ends within the hour.
create function public.end_session(session uuid) returns void
  language sql volatile security definer set search_path = ''
  begin atomic
    delete from auth.sessions as s where s.id = session and s.user_id = (select private.require_caller());
  end;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.caller(), private.require_caller() to anon, authenticated, service_role;
grant execute on function public.my_sessions(), public.end_session(uuid) to authenticated;
