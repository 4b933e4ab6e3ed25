-- Limits, each with its reason, and how they are enforced. Their rows are in rows/limits.sql.

create table private.limits (
  name text primary key,
  value integer not null,
  reason text not null
);

-- How often a person has used something in the current window. The row is locked by the update that counts, so two
-- uses at once are counted one after the other.
create table private.usage (
  user_id uuid not null references public.profiles (id) on delete cascade,
  what text not null,
  since timestamptz not null,
  uses integer not null,
  primary key (user_id, what)
);

-- ---------------------------------------------------------------------------------------------------------
-- Functions

create function private.limit_of(name text) returns integer
  language sql stable security definer set search_path = ''
  return (select l.value from private.limits as l where l.name = limit_of.name);

-- Generic guard for "at most n rows of this table for one parent". Arguments: parent table, the column that
-- points to it, the limit's name, the error's code. The parent row is locked first, so that two inserts at
-- once cannot both see the last free place.
create function private.enforce_limit() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  parent_id uuid := (to_jsonb(new) ->> tg_argv[1])::uuid;
  rows_now integer;
begin
  execute format('select 1 from public.%I where id = $1 for no key update', tg_argv[0]) using parent_id;
  execute format('select count(*) from public.%I where %I = $1', tg_table_name, tg_argv[1])
    into rows_now using parent_id;
  if rows_now >= private.limit_of(tg_argv[2]) then
    perform private.refuse(tg_argv[3]);
  end if;
  return new;
end $$;

-- Counts one use by the caller. True while the count in this window is within the limit of that name.
create function private.count_use(limit_name text, every interval) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  counted integer;
begin
  insert into private.usage as u (user_id, what, since, uses)
    values ((select private.caller()), limit_name, clock_timestamp(), 1)
    on conflict (user_id, what) do update set
      since = case when u.since <= clock_timestamp() - every then clock_timestamp() else u.since end,
      uses = case when u.since <= clock_timestamp() - every then 1 else u.uses + 1 end
    returning uses into counted;
  return counted <= private.limit_of(limit_name);
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.limit_of(text) to authenticated, service_role;
