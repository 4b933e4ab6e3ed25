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

-- How often a person, a network or an address was the subject of something, by hash. Rows last a day.
create table private.daily_uses (
  subject bytea primary key,
  since timestamptz not null default now(),
  uses integer not null default 1
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

-- The network that a request comes from: its IPv4 address, or the /64 of an IPv6 address, which one household has. All
-- requests without an address are one network.
create function private.network_of_caller() returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  headers jsonb := nullif(current_setting('request.headers', true), '')::jsonb;
  given text := coalesce(
    headers ->> 'cf-connecting-ip', btrim(split_part(headers ->> 'x-forwarded-for', ',', 1)), 'unknown');
  address inet;
begin
  address := given::inet;
  return host(network(set_masklen(address, case family(address) when 6 then 64 else 32 end)));
exception when invalid_text_representation then
  return 'unknown';
end $$;

-- Counts one use of a subject, whoever is signed in. True while there were at most `most` of them within a day.
create function private.count_daily_use(subject text, most integer) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  counted integer;
begin
  delete from private.daily_uses as u where u.since <= clock_timestamp() - interval '1 day';
  insert into private.daily_uses as u (subject) values (private.token_hash(count_daily_use.subject))
    on conflict on constraint daily_uses_pkey do update set uses = u.uses + 1
    returning u.uses into counted;
  return counted <= most;
end $$;

-- ---------------------------------------------------------------------------------------------------------
-- Grants

grant execute on function private.limit_of(text) to authenticated, service_role;
