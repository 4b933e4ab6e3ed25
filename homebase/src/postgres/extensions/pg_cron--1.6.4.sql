-- What pg_cron has in the database (compat/platform.md 1.7). Homebase hears of jobs when their transaction
-- has committed, and runs them.

create schema cron;

create table cron.job (
  jobid bigserial primary key,
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
  runid bigserial primary key,
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

create function cron._tell_scheduler() returns trigger language plpgsql security definer set search_path = cron as $$
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

-- Runs with the owner's rights, so it must not believe who the caller says he is without a look.
create function cron._put(
  caller name, name text, schedule text, command text, database text, username text, active bool
) returns bigint language plpgsql security definer set search_path = pg_catalog as $$
declare
  id bigint;
  run_as text := coalesce(username, caller);
begin
  if not pg_has_role(session_user, caller, 'member') then
    raise exception using errcode = '42501', message = format('permission denied to schedule as %s', caller);
  end if;
  if run_as <> caller and not (select rolsuper from pg_roles where rolname = caller) then
    raise exception using errcode = '42501', message = 'must be superuser to create a job for another role';
  end if;
  perform cron._demand_schedule(schedule);
  insert into cron.job as job (schedule, command, database, username, active, jobname)
  values (schedule, command, coalesce(database, 'postgres'), run_as, active, name)
  on conflict on constraint jobname_username_uniq
    do update set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
  returning jobid into id;
  return id;
end
$$;

create function cron.schedule(schedule text, command text) returns bigint language sql as $$
  select cron._put(current_user, null, schedule, command, null, null, true)
$$;
create function cron.schedule(job_name text, schedule text, command text) returns bigint language plpgsql as $$
begin
  if job_name is null then raise exception using errcode = '22023', message = 'job_name can not be NULL'; end if;
  return cron._put(current_user, job_name, schedule, command, null, null, true);
end
$$;
create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active bool default true
) returns bigint language sql as $$
  select cron._put(current_user, job_name, schedule, command, database, username, active)
$$;

create function cron._remove(caller name, id bigint, name text) returns bool
language plpgsql security definer set search_path = pg_catalog as $$
declare
  is_super bool := (select rolsuper from pg_roles where rolname = caller);
begin
  if not pg_has_role(session_user, caller, 'member') then
    raise exception using errcode = '42501', message = format('permission denied to unschedule as %s', caller);
  end if;
  delete from cron.job
  where (jobid = id or jobname = name) and (username = caller or (is_super and name is null));
  if not found then
    if name is null then
      raise exception 'could not find valid entry for job %', id;
    end if;
    raise exception 'could not find valid entry for job ''%''', name;
  end if;
  return true;
end
$$;
create function cron.unschedule(job_id bigint) returns bool language sql as $$
  select cron._remove(current_user, job_id, null)
$$;
create function cron.unschedule(job_name text) returns bool language sql as $$
  select cron._remove(current_user, null, job_name)
$$;

create function cron._alter(
  caller name, id bigint, new_schedule text, new_command text, new_database text, new_username text, new_active bool
) returns void language plpgsql security definer set search_path = pg_catalog as $$
declare
  is_super bool := (select rolsuper from pg_roles where rolname = caller);
begin
  if not pg_has_role(session_user, caller, 'member') then
    raise exception using errcode = '42501', message = format('permission denied to alter jobs of %s', caller);
  end if;
  if new_username is not null and new_username <> caller and not is_super then
    raise exception using errcode = '42501', message = 'must be superuser to alter username';
  end if;
  if new_schedule is not null then perform cron._demand_schedule(new_schedule); end if;
  update cron.job set
    schedule = coalesce(new_schedule, schedule), command = coalesce(new_command, command),
    database = coalesce(new_database, database), username = coalesce(new_username, username),
    active = coalesce(new_active, active)
  where jobid = id and (username = caller or is_super);
  if not found then
    raise exception 'Job % does not exist or you don''t own it', id;
  end if;
end
$$;
create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null, database text default null,
  username text default null, active bool default null
) returns void language sql as $$
  select cron._alter(current_user, job_id, schedule, command, database, username, active)
$$;

revoke all on all functions in schema cron from public;
revoke all on all tables in schema cron from public;
grant usage on schema cron to postgres with grant option;
grant select on cron.job to postgres with grant option;
grant all on cron.job_run_details to postgres with grant option;
grant execute on all functions in schema cron to postgres with grant option;

select pg_notify('homebase', 'cron');
