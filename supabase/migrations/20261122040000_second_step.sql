-- The second step of signing in holds in the database: a session that has passed the first step alone (`aal1`)
-- of an account with a verified factor is nobody. Every policy and every function asks private.caller() or
-- private.require_caller(); auth.uid() is used in these two and nowhere else.

insert into private.errors (code, status, message, hint) values
  ('second_step_needed', 403, 'Finish signing in first.', 'Enter the code of your authenticator app.');

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

grant execute on function private.caller(), private.require_caller() to anon, authenticated, service_role;
grant usage on schema private to anon;

-- Rewrites what the migrations before this one have made: 50 functions and 30 policies differ in this one name.
do $rewrite$
declare
  path text := current_setting('search_path');
  made record;
  body text;
begin
  -- Definitions are printed with full names only where nothing is in the path.
  perform set_config('search_path', '', true);
  for made in
    select l.lanname,
      pg_catalog.pg_get_functiondef(p.oid) as definition,
      -- Functions that only the signed in may call refuse; the others know nobody.
      p.proname = 'plan_of_caller' or p.pronamespace = 'public'::regnamespace
        and not pg_catalog.has_function_privilege('anon', p.oid, 'execute') as refuses
    from pg_catalog.pg_proc as p join pg_catalog.pg_language as l on l.oid = p.prolang
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      and l.lanname in ('sql', 'plpgsql') and p.prokind = 'f' and p.proname not in ('caller', 'require_caller')
      and pg_catalog.has_function_privilege('postgres', p.oid, 'execute')
  loop
    body := regexp_replace(made.definition, '\(\s*select auth\.uid\(\)( as uid)?\s*\)', 'auth.uid()', 'gi');
    if made.refuses and made.lanname = 'plpgsql' then
      -- Asked first, before any other variable is set: the refusal is the same whatever exists.
      body := case
        when body ~ E'\ndeclare\n'
          then regexp_replace(body, E'\ndeclare\n', E'\ndeclare\n  caller uuid := private.require_caller();\n')
        else regexp_replace(body, E'\nbegin\n', E'\ndeclare\n  caller uuid := private.require_caller();\nbegin\n')
      end;
      body := replace(body, 'auth.uid()', 'caller');
    else
      body := replace(body, 'auth.uid()',
        case when made.refuses then '(select private.require_caller())' else '(select private.caller())' end);
    end if;
    if body is distinct from made.definition then
      execute body;
    end if;
  end loop;

  for made in
    select p.schemaname, p.tablename, p.policyname, p.qual, p.with_check from pg_catalog.pg_policies as p
    where p.schemaname in ('public', 'storage', 'realtime')
      and concat(p.qual, p.with_check) like '%auth.uid()%'
  loop
    body := format('alter policy %I on %I.%I', made.policyname, made.schemaname, made.tablename);
    if made.qual is not null then
      body := body || ' using (' || replace(
        regexp_replace(made.qual, '\(\s*select auth\.uid\(\)( as uid)?\s*\)', 'auth.uid()', 'gi'),
        'auth.uid()', '(select private.caller())') || ')';
    end if;
    if made.with_check is not null then
      body := body || ' with check (' || replace(
        regexp_replace(made.with_check, '\(\s*select auth\.uid\(\)( as uid)?\s*\)', 'auth.uid()', 'gi'),
        'auth.uid()', '(select private.caller())') || ')';
    end if;
    execute body;
  end loop;
  perform set_config('search_path', path, true);
end $rewrite$;

alter table public.messages alter column author_id set default private.caller();
alter table public.reactions alter column user_id set default private.caller();
alter table public.photos alter column author_id set default private.caller();

-- Everyone signed in, which an account is only after its second step.
alter policy "places are read by everyone signed in" on public.places
  using ((select private.caller()) is not null);
alter policy "hours are read by everyone signed in" on public.place_hours
  using ((select private.caller()) is not null);
