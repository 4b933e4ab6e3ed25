-- Schema storage as hosted has it (docs/compat/storage.md 2). Objects belong to supabase_storage_admin.
-- Left out: the tables of analytics buckets, which this stack does not serve.

-- Under row security an index serves a condition only when nothing in it could leak what a policy hides.
-- lower() cannot; unsaid, a listing through policies reads the whole bucket once for each of its folders.
alter function pg_catalog.lower(text) leakproof;

-- The first hundred characters of an object's folder, in lower case and with the slash, for the index below, whose rows
-- must fit for a name of any length. Leakproof, so that the index serves listings through policies.
create or replace function pg_catalog.homebase_folder(name text) returns text
language plpgsql immutable strict leakproof parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return left(lower(left(name, length(name) - length(split_part(name, '/', -1)))), 100);
end
$$;

set role supabase_storage_admin;

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

create table storage.migrations (
  id integer primary key,
  name varchar(100) unique not null,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);

create table storage.buckets (
  id text not null primary key,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD',
  versioning_status text not null default 'DISABLED'
    constraint buckets_versioning_status_check check (versioning_status = 'DISABLED')
);
comment on column storage.buckets.owner is 'Field is deprecated, use owner_id instead';
create unique index bname on storage.buckets (name);

create table storage.objects (
  id uuid not null default gen_random_uuid() primary key,
  bucket_id text,
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamptz,
  is_delete_marker boolean not null default false,
  is_versioned boolean not null default false,
  constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);
comment on column storage.objects.owner is 'Field is deprecated, use owner_id instead';
create unique index bucketid_objname on storage.objects (bucket_id, name);
create index idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, lower(name) collate "C");
create index name_prefix_search on storage.objects (name text_pattern_ops);
-- Not upstream's: the newest objects of a folder.
create index homebase_objects_by_age on storage.objects
  (bucket_id, pg_catalog.homebase_folder(name) collate "C", created_at, left(name, 100) collate "C");

create table storage.s3_multipart_uploads (
  id text primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);
create index idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);

create table storage.s3_multipart_uploads_parts (
  id uuid primary key default gen_random_uuid(),
  upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);

alter table storage.migrations enable row level security;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;

create function storage.foldername(name text) returns text[] language plpgsql immutable as $$
declare
  parts text[];
begin
  select string_to_array(name, '/') into parts;
  return parts[1 : array_length(parts, 1) - 1];
end
$$;

create function storage.filename(name text) returns text language plpgsql immutable as $$
declare
  parts text[];
begin
  select string_to_array(name, '/') into parts;
  return parts[array_length(parts, 1)];
end
$$;

create function storage.extension(name text) returns text language plpgsql immutable as $$
declare
  file text := storage.filename(name);
begin
  return reverse(split_part(reverse(file), '.', 1));
end
$$;

create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language plpgsql stable as $$
begin
  return query
    select sum((o.metadata ->> 'size')::bigint)::bigint as size, o.bucket_id
    from storage.objects o group by o.bucket_id;
end
$$;

create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb)
returns void language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

create function storage.operation() returns text language plpgsql stable as $$
begin
  return current_setting('storage.operation', true);
end
$$;

create function storage.allow_only_operation(expected_operation text) returns boolean language sql stable as $$
  select case when coalesce(expected_operation, '') = '' then false
    else regexp_replace(storage.operation(), '^storage\.', '') = regexp_replace(expected_operation, '^storage\.', '')
  end
$$;

create function storage.allow_any_operation(expected_operations text[]) returns boolean language sql stable as $$
  select exists (
    select 1 from unnest(expected_operations) as expected
    where regexp_replace(storage.operation(), '^storage\.', '') = regexp_replace(expected, '^storage\.', ''))
$$;

create function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text)
returns text language sql immutable as $$
  select case when position(p_delimiter in substring(p_key from length(p_prefix) + 1)) > 0
    then left(p_key, length(p_prefix) + position(p_delimiter in substring(p_key from length(p_prefix) + 1))
      + length(p_delimiter) - 1)
  end
$$;

-- Listing, version 1: case-blind, names relative to the prefix, folders in between. Reads the index in
-- order and jumps over what a folder holds, so that a folder of a hundred thousand objects costs one step.
create function storage.search(
  prefix text, bucketname text, limits integer default 100, levels integer default 1,
  offsets integer default 0, search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
declare
  scope text := lower(prefix || coalesce(search, ''));
  base integer := length(prefix);
  -- Folders end at the first slash behind what was searched for.
  tail integer := length(prefix || coalesce(search, '')) + 1;
  ascending boolean := lower(coalesce(sortorder, 'asc')) <> 'desc';
  remaining integer := limits;
  skip integer := offsets;
  lower_bound text := scope;
  upper_bound text := scope || chr(1114111);
  slash integer;
  indexed boolean;
  folder text;
  entry record;
  entries refcursor;
begin
  if sortcolumn is distinct from 'name' and sortcolumn is not null then
    -- Where all of the scope is in the index, a row's folder says what the row is.
    indexed := length(scope) < 100;
    folder := left(scope, length(scope) - length(split_part(scope, '/', -1)));
    return query execute format($query$
      with entries as (
        select o.name, position('/' in substring(o.name from $6)) as slash from storage.objects o
        where o.bucket_id = $1 and pg_catalog.homebase_folder(o.name) collate "C" %3$s
          and pg_catalog.homebase_folder(o.name) collate "C" < left($2, 100) || chr(1114111)
      ), folders as (
        select distinct substring(left(e.name, $6 + e.slash - 2) from $3 + 1) as name from entries e where e.slash > 0
      )
      (select f.name, null::uuid, null::timestamptz, null::timestamptz, null::timestamptz, null::jsonb
       from folders f order by f.name collate "C" %1$s)
      union all
      (select substring(o.name from $3 + 1), o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
       from storage.objects o
       where o.bucket_id = $1 and pg_catalog.homebase_folder(o.name) collate "C" = left($7, 100) and %4$s
       order by o.%2$I %1$s, left(o.name, 100) collate "C" %1$s, o.name collate "C" %1$s)
      limit $4 offset $5
    $query$, case when ascending then 'asc' else 'desc' end, sortcolumn,
      case when not indexed then '>= left($2, 100) and starts_with(lower(o.name), $2)' when scope = folder then '> $2' else '>= $2' end,
      case when indexed and scope = folder then 'true'
        else $query$starts_with(lower(o.name), $2) and position('/' in substring(o.name from $6)) = 0$query$ end)
    using bucketname, scope, base, limits, offsets, tail, folder;
    return;
  end if;

  while remaining > 0 loop
    folder := null;
    -- Written out twice, so that both plans are kept.
    if ascending then
      open entries for select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
        from storage.objects o
        where o.bucket_id = bucketname and lower(o.name) collate "C" >= lower_bound
          and lower(o.name) collate "C" < upper_bound
        order by lower(o.name) collate "C", o.name collate "C";
    else
      open entries for select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
        from storage.objects o
        where o.bucket_id = bucketname and lower(o.name) collate "C" >= lower_bound
          and lower(o.name) collate "C" < upper_bound
        order by lower(o.name) collate "C" desc, o.name collate "C" desc;
    end if;
    loop
      fetch entries into entry;
      exit when not found;
      slash := position('/' in substring(entry.name from tail));
      if slash > 0 then
        folder := left(entry.name, tail + slash - 2);
        exit;
      end if;
      if skip > 0 then
        skip := skip - 1;
        continue;
      end if;
      name := substring(entry.name from base + 1);
      id := entry.id; updated_at := entry.updated_at; created_at := entry.created_at;
      last_accessed_at := entry.last_accessed_at; metadata := entry.metadata;
      return next;
      remaining := remaining - 1;
      exit when remaining = 0;
    end loop;
    close entries;
    exit when folder is null;
    -- '0' is the character after '/': past everything in the folder, or before it.
    if ascending then
      lower_bound := lower(folder) || '0';
    else
      upper_bound := lower(folder) || '/';
    end if;
    if skip > 0 then
      skip := skip - 1;
    else
      name := substring(folder from base + 1);
      id := null; updated_at := null; created_at := null; last_accessed_at := null; metadata := null;
      return next;
      remaining := remaining - 1;
    end if;
  end loop;
end
$$;

-- Listing by whole keys in byte order; with a delimiter, what shares a prefix up to it is one entry.
create function storage.list_objects_with_delimiter(
  _bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  start_after text default '', next_token text default '', sort_order text default 'asc'
) returns table (
  name text, id uuid, metadata jsonb, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
) language plpgsql stable as $$
declare
  ascending boolean := lower(coalesce(sort_order, 'asc')) <> 'desc';
  after text := coalesce(nullif(next_token, ''), nullif(start_after, ''));
  lower_bound text := prefix_param;
  upper_bound text := prefix_param || chr(1114111);
  entry record;
  entries refcursor;
  common text;
  remaining integer := max_keys;
begin
  if after is not null and ascending and after collate "C" >= prefix_param then
    -- A folder given as the last entry is passed whole; a key is passed alone.
    lower_bound := case when delimiter_param <> '' and right(after, length(delimiter_param)) = delimiter_param
      then left(after, -1) || chr(ascii(right(after, 1)) + 1) else after || chr(1) end;
  elsif after is not null and not ascending and after collate "C" < upper_bound then
    upper_bound := after;
  end if;
  while remaining > 0 loop
    common := null;
    -- Written out twice, so that both plans are kept.
    if ascending then
      open entries for select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at
        from storage.objects o
        where o.bucket_id = _bucket_id and o.name collate "C" >= lower_bound and o.name collate "C" < upper_bound
        order by o.name collate "C";
    else
      open entries for select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at
        from storage.objects o
        where o.bucket_id = _bucket_id and o.name collate "C" >= lower_bound and o.name collate "C" < upper_bound
        order by o.name collate "C" desc;
    end if;
    loop
      fetch entries into entry;
      exit when not found;
      remaining := remaining - 1;
      if delimiter_param <> '' then
        common := storage.get_common_prefix(entry.name, prefix_param, delimiter_param);
        exit when common is not null;
      end if;
      name := entry.name;
      id := entry.id; metadata := entry.metadata; updated_at := entry.updated_at;
      created_at := entry.created_at; last_accessed_at := entry.last_accessed_at;
      return next;
      exit when remaining = 0;
    end loop;
    close entries;
    exit when common is null;
    name := common;
    id := null; metadata := null; updated_at := null; created_at := null; last_accessed_at := null;
    return next;
    if ascending then
      lower_bound := left(common, -1) || chr(ascii(right(common, 1)) + 1);
    else
      upper_bound := common;
    end if;
  end loop;
end
$$;

-- Unfinished multipart uploads by key and id; what shares a prefix up to the delimiter is one entry. Behind a
-- key alone come later keys, behind a key and an id also later uploads of that key.
create function storage.list_multipart_uploads_with_delimiter(
  bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  next_key_token text default '', next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz) language sql stable as $$
  with uploads as (
    select u.key, u.id, u.created_at,
      case when $3 <> '' then storage.get_common_prefix(u.key, $2, $3) end as common
    from storage.s3_multipart_uploads u where u.bucket_id = $1 and starts_with(u.key, $2)
  ), listed as (
    select u.key collate "C" as key, u.id collate "C" as id, u.created_at, false as folder
    from uploads u where u.common is null
    union all
    select u.common collate "C", min(u.id collate "C"), min(u.created_at), true
    from uploads u where u.common is not null group by u.common
  )
  select l.key, l.id, l.created_at from listed l
  where $5 = '' or l.key > $5 or ($6 <> '' and l.key = $5 and not l.folder and l.id > $6)
  order by l.key, l.id limit $4
$$;

create function storage.search_by_timestamp(
  p_prefix text, p_bucket_id text, p_limit integer, p_level integer, p_start_after text,
  p_sort_order text, p_sort_column text, p_sort_column_after text
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
) language plpgsql stable as $$
declare
  direction text := case when lower(p_sort_order) = 'desc' then 'desc' else 'asc' end;
  comparison text := case when lower(p_sort_order) = 'desc' then '<' else '>' end;
  chosen text := case when p_sort_column = 'updated_at' then 'updated_at' else 'created_at' end;
begin
  return query execute format($query$
    with entries as (
      select o.*, storage.get_common_prefix(o.name, $1, '/') as common from storage.objects o
      where o.bucket_id = $2 and starts_with(o.name, $1)
    ), listed as (
      select e.name, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata,
        date_trunc('milliseconds', e.%1$I) as at
      from entries e where $4 = 0 or e.common is null
      union all
      select e.common, null, min(e.created_at), min(e.created_at), null, null,
        date_trunc('milliseconds', min(e.created_at))
      from entries e where $4 <> 0 and e.common is not null group by e.common
    )
    select split_part(rtrim(l.name, '/'), '/', -1), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at,
      l.metadata
    from listed l
    where $6 = '' or (l.at, l.name collate "C") %3$s ($6::timestamptz, $5 collate "C")
    order by l.at %2$s, l.name collate "C" %2$s limit $3
  $query$, chosen, direction, comparison)
  using p_prefix, p_bucket_id, p_limit, p_level, p_start_after, coalesce(p_sort_column_after, '');
end
$$;

create function storage.search_v2(
  prefix text, bucket_name text, limits integer default 100, levels integer default 1, start_after text default '',
  sort_order text default 'asc', sort_column text default 'name', sort_column_after text default ''
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
) language plpgsql stable as $$
begin
  if sort_column in ('updated_at', 'created_at') then
    return query select * from storage.search_by_timestamp(
      prefix, bucket_name, least(limits, 1500), levels, start_after, sort_order, sort_column, sort_column_after);
    return;
  end if;
  return query
    select split_part(rtrim(l.name, '/'), '/', -1), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at,
      l.metadata
    from storage.list_objects_with_delimiter(
      bucket_name, prefix, case when levels = 0 then '' else '/' end, least(limits, 1500), start_after, '', sort_order) l;
end
$$;

create function storage.update_updated_at_column() returns trigger language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end
$$;
create trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

create function storage.enforce_bucket_name_length() returns trigger language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$$;
create trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

create function storage.protect_delete() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501', hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;
create trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
create trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();

-- Vector buckets: their indexes. The vectors of each index are a table of schema storage_vectors.
create table storage.buckets_vectors (
  id text not null primary key,
  type storage.buckettype not null default 'VECTOR',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table storage.vector_indexes (
  id text not null default gen_random_uuid() primary key,
  name text collate "C" not null,
  bucket_id text not null references storage.buckets_vectors (id),
  data_type text not null,
  dimension integer not null,
  distance_metric text not null,
  metadata_configuration jsonb,
  status text not null default 'PENDING',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index vector_indexes_name_bucket_id_idx on storage.vector_indexes (name, bucket_id);

alter table storage.buckets_vectors enable row level security;
alter table storage.vector_indexes enable row level security;
revoke all on storage.buckets_vectors, storage.vector_indexes from anon, authenticated, service_role, postgres;
grant select on storage.buckets_vectors, storage.vector_indexes to anon, authenticated, service_role;

insert into storage.migrations (id, name, hash) values (63, 'fix-search-name-relative-to-prefix', '');

grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant all on storage.buckets, storage.objects to postgres with grant option;
revoke all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts from anon, authenticated;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;
revoke all on storage.migrations from anon, authenticated, service_role, postgres;

reset role;
create schema storage_vectors authorization supabase_storage_admin;
grant all on schema storage to postgres with grant option;
