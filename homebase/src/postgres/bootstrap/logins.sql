-- Makes the stack's own logins (guarded-logins.ts) what they must be. Run by `postgres --single`, which sets their passwords
-- too, before a server listens on a cluster for the first time: created, unpacked, moved, restored, or of an earlier version.
-- A statement ends there with an empty line, so none is within.

set search_path = pg_catalog, pg_temp;

do $$
declare
  logins constant text[] := array['homebase_replication', 'homebase_http', 'homebase_reader', 'homebase_explain'];
  login text;
  held oid;
  found record;
begin
  foreach login in array logins loop
    held := to_regrole(login);
    -- A role that a project has made: its maker administers it, and what it owns runs with its rights.
    if exists (select from pg_auth_members m where m.roleid = held)
      or exists (select from pg_shdepend d where d.refclassid = 'pg_authid'::regclass and d.refobjid = held and d.deptype = 'o')
    then
      execute format('alter role %I rename to %I', login, login || '_' || held);
    end if;
    if to_regrole(login) is null then execute format('create role %I', login); end if;
  end loop;
  -- Earlier versions have renamed such roles after they had given them rights.
  for found in
    select r.oid, r.rolname from pg_roles r where r.rolname ~ ('^homebase_(replication|http|reader|explain|job_[0-9]+)_' || r.oid || '$')
  loop
    execute format('alter role %I nologin noreplication nobypassrls nosuperuser nocreaterole', found.rolname);
  end loop;
  -- What the stack has given to renamed roles, and earlier to the reader, and what others have given to its own.
  for found in
    select m.roleid::regrole as role, m.member::regrole as member, m.grantor::regrole as grantor
    from pg_auth_members m join pg_roles r on r.oid = m.member join pg_roles g on g.oid = m.grantor
    where g.rolsuper and r.rolname ~ ('^homebase_(reader|explain)_' || r.oid || '$') and m.roleid::regrole::text in ('pg_read_all_data', 'postgres')
      or g.rolsuper and r.rolname = 'homebase_reader'
      or not g.rolsuper and r.rolname = any (logins)
  loop
    execute format('revoke %s from %s granted by %s cascade', found.role, found.member, found.grantor);
  end loop;
  -- Settings of every database: ALTER ROLE ... RESET ALL names one at a time.
  delete from pg_db_role_setting s using pg_roles r
  where r.oid = s.setrole and (r.rolname = any (logins) or r.rolname ~ '^homebase_(replication|http|reader|explain|job)_[0-9_]+$');
  -- Those of jobs follow from a secret that may have changed (job-login.ts).
  for found in select r.rolname from pg_roles r where r.rolname ~ '^homebase_job_[0-9]+$' loop
    execute format('alter role %I password null', found.rolname);
  end loop;
  alter role homebase_replication with login replication noinherit nosuperuser nobypassrls nocreaterole nocreatedb;
  alter role homebase_http with login noinherit nosuperuser noreplication nobypassrls nocreaterole nocreatedb;
  alter role homebase_reader with login inherit bypassrls nosuperuser noreplication nocreaterole nocreatedb;
  alter role homebase_explain with login noinherit nosuperuser noreplication nobypassrls nocreaterole nocreatedb;
  -- A new cluster has it later (roles.sql).
  if to_regrole('postgres') is not null then grant postgres to homebase_explain; end if;
  alter role homebase_explain set session_preload_libraries = auto_explain;
  -- A project's event triggers fire in no session that may do more than role postgres. In the others Homebase's own fire.
  alter role homebase_replication set event_triggers = off;
  alter role homebase_http set event_triggers = off;
  alter role homebase_reader set event_triggers = off;
  -- Tells which functions have run with their owner's rights (wings/mcp/definers.ts).
  alter role homebase_reader set track_functions = 'all';
end
$$;

