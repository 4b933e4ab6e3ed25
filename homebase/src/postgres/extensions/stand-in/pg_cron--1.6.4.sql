-- The tables and functions of pg_cron (docs/compat/platform.md 1.7). Homebase is notified of jobs when their transaction
-- has committed, and runs them.

-- Fixes the search path: a project's overload or operator would be bound here, or run as the superuser.
set local search_path = pg_catalog, pg_temp;

create schema cron;
create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport int not null default inet_server_port(),
  database text not null default current_database(),
  username text not null default current_user,
  active bool not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
alter table cron.job alter column nodeport set default 5432;
alter table cron.job alter column database set default 'postgres';
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid int,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

create function cron._tell_scheduler() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('homebase', 'cron');
  return null;
end
$$;
create trigger tell_scheduler after insert or update or delete or truncate on cron.job
  for each statement execute function cron._tell_scheduler();

-- Whether a part of a field is well-formed and within its bounds: *, n, n-m, each with /step, or a name.
create function cron._valid_field(field text, lowest int, highest int, names text[]) returns bool
language plpgsql immutable as $$
declare
  part text;
  found text[];
  bounds int[];
begin
  foreach part in array string_to_array(lower(field), ',') loop
    found := regexp_match(part, '^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:/(\d+))?$');
    if found is null or found[4]::int = 0 then return false; end if;
    if found[1] is not null then continue; end if;
    select array_agg(case when edge ~ '^\d+$' then edge::int else array_position(names, edge) - 1 + lowest end)
    into bounds from unnest(found[2:3]) edge where edge is not null;
    if array_position(bounds, null) is not null or bounds[1] < lowest or bounds[1] > highest
      or bounds[2] > highest or bounds[2] < bounds[1] then
      return false;
    end if;
  end loop;
  return field <> '';
exception when numeric_value_out_of_range then
  return false;
end
$$;

create function cron._valid_schedule(schedule text) returns bool language plpgsql immutable as $$
declare
  fields text[] := regexp_split_to_array(trim(schedule), '\s+');
  months text[] := array['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
  days text[] := array['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
begin
  if schedule ~* '^\s*([1-9]|[1-5]\d)\s+seconds?\s*$' then return true; end if;
  if lower(trim(schedule)) in
    ('@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly', '@reboot') then
    return true;
  end if;
  return cardinality(fields) = 5
    and cron._valid_field(fields[1], 0, 59, '{}')
    and cron._valid_field(fields[2], 0, 23, '{}')
    and (fields[3] = '$' or cron._valid_field(fields[3], 1, 31, '{}'))
    and cron._valid_field(fields[4], 1, 12, months)
    and cron._valid_field(fields[5], 0, 7, days);
end
$$;

create function cron._demand_schedule(schedule text) returns void language plpgsql as $$
begin
  if not cron._valid_schedule(schedule) then
    raise exception using
      errcode = '22023',
      message = format('invalid schedule: %s', schedule),
      hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
end
$$;

-- What a role writes its jobs through: who may write is asked of the view's owner, but whose job it is, of who
-- writes. So the functions need nobody's rights but their caller's, in a function of another's rights too.
create view cron._own_job as select * from cron.job where username = current_user with cascaded check option;

create function cron._put(
  name text, schedule text, command text, database text, username text, active bool
) returns bigint language plpgsql as $$
#variable_conflict use_column
declare
  id bigint;
begin
  if username is not null and not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    raise exception using errcode = 'XX000', message = 'must be superuser to create a job for another role';
  end if;
  perform cron._demand_schedule(schedule);
  if username is not null then
    insert into cron.job as job (schedule, command, database, username, active, jobname)
    values (schedule, command, coalesce(database, 'postgres'), username, active, name)
    on conflict on constraint jobname_username_uniq
      do update set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
    returning job.jobid into id;
    return id;
  end if;
  insert into cron._own_job as job (schedule, command, database, username, active, jobname)
  values (schedule, command, coalesce(database, 'postgres'), current_user, active, name)
  on conflict (jobname, username)
    do update set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
  returning job.jobid into id;
  return id;
end
$$;

create function cron.schedule(schedule text, command text) returns bigint language sql strict as $$
  select cron._put(null, schedule, command, null, null, true)
$$;
create function cron.schedule(job_name text, schedule text, command text) returns bigint language plpgsql as $$
begin
  if job_name is null then raise exception using errcode = '22023', message = 'job_name can not be NULL'; end if;
  return cron._put(job_name, schedule, command, null, null, true);
end
$$;
create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active bool default true
) returns bigint language sql as $$
  select cron._put(job_name, schedule, command, database, username, active)
$$;

-- With its owner's eyes, so that a job is found whoever asks; whether it may be removed, the caller's rights say.
create function cron._job_exists(id bigint) returns bool
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from cron.job where jobid = id)
$$;

create function cron.unschedule(job_id bigint) returns bool language plpgsql strict as $$
begin
  delete from cron._own_job where jobid = job_id;
  if found then return true; end if;
  if not cron._job_exists(job_id) then
    raise exception using errcode = 'XX000', message = format('could not find valid entry for job %s', job_id);
  end if;
  -- Somebody else's: the table says who may.
  delete from cron.job where jobid = job_id;
  return true;
end
$$;
create function cron.unschedule(job_name text) returns bool language plpgsql strict as $$
begin
  delete from cron._own_job where jobname = job_name;
  if not found then
    raise exception using
      errcode = 'XX000', message = format('could not find valid entry for job ''%s''', job_name);
  end if;
  return true;
end
$$;

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null, database text default null,
  username text default null, active bool default null
) returns void language plpgsql as $$
#variable_conflict use_column
declare
  is_super bool := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
begin
  if alter_job.username is not null and not is_super then
    raise exception using errcode = 'XX000', message = 'must be superuser to alter username';
  end if;
  if alter_job.schedule is not null then perform cron._demand_schedule(alter_job.schedule); end if;
  if is_super then
    update cron.job set
      schedule = coalesce(alter_job.schedule, schedule), command = coalesce(alter_job.command, command),
      database = coalesce(alter_job.database, database), username = coalesce(alter_job.username, username),
      active = coalesce(alter_job.active, active)
    where jobid = job_id;
  else
    update cron._own_job set
      schedule = coalesce(alter_job.schedule, schedule), command = coalesce(alter_job.command, command),
      database = coalesce(alter_job.database, database), active = coalesce(alter_job.active, active)
    where jobid = job_id;
  end if;
  if not found then
    raise exception using
      errcode = 'XX000', message = format('Job %s does not exist or you don''t own it', job_id);
  end if;
end
$$;

-- The functions that Homebase calls as the superuser are bound to these tables, whose names may later be a project's.
create function pg_catalog.homebase_cron_jobs(
  out jobid bigint, out schedule text, out command text, out database text, out username text) returns setof record
language sql stable set search_path = pg_catalog, pg_temp begin atomic
  select j.jobid, j.schedule, j.command, j.database, j.username from cron.job j where j.active;
end;
create function pg_catalog.homebase_cron_restarted() returns void
language sql set search_path = pg_catalog, pg_temp begin atomic
  update cron.job_run_details set status = 'failed', return_message = 'server restarted' where status in ('starting', 'running');
end;
create function pg_catalog.homebase_cron_starting(jobid bigint, database text, username text, command text) returns bigint
language sql set search_path = pg_catalog, pg_temp begin atomic
  insert into cron.job_run_details (jobid, database, username, command, status) values ($1, $2, $3, $4, 'starting') returning runid;
end;
create function pg_catalog.homebase_cron_running(runid bigint, pid int) returns void
language sql set search_path = pg_catalog, pg_temp begin atomic
  update cron.job_run_details d set status = 'running', job_pid = $2, start_time = clock_timestamp() where d.runid = $1;
end;
create function pg_catalog.homebase_cron_ended(runid bigint, status text, message text) returns void
language sql set search_path = pg_catalog, pg_temp begin atomic
  update cron.job_run_details d set status = $2, return_message = $3, end_time = clock_timestamp() where d.runid = $1;
end;
-- Renewed.
revoke all on function pg_catalog.homebase_cron_jobs(), pg_catalog.homebase_cron_restarted(),
  pg_catalog.homebase_cron_starting(bigint, text, text, text), pg_catalog.homebase_cron_running(bigint, int),
  pg_catalog.homebase_cron_ended(bigint, text, text) from public;

-- As pg_cron's own script and the platform's have it: who is let into the schema may schedule, and sees the own
-- jobs; postgres is let in, reads the jobs and may do anything with their runs but hang triggers on them.
revoke execute on function cron.schedule_in_database, cron.alter_job from public;
grant select on cron.job to public;
grant select, delete on cron.job_run_details to public;
grant select, insert, update, delete on cron._own_job to public;
grant usage on sequence cron.jobid_seq to public;
grant usage on schema cron to postgres with grant option;
grant all on all functions in schema cron to postgres with grant option;
grant all on all tables in schema cron to postgres with grant option;
revoke all on cron.job from postgres;
grant select on cron.job to postgres with grant option;
revoke trigger on cron.job_run_details, cron._own_job from postgres;
-- Not to be lent (bootstrap/powers.sql).
revoke grant option for references on cron.job_run_details from postgres;
alter default privileges in schema cron grant all on sequences to postgres with grant option;
alter default privileges in schema cron grant all on tables to postgres with grant option;
alter default privileges in schema cron grant all on functions to postgres with grant option;

select pg_notify('homebase', 'cron');
