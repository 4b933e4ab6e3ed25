-- An index for the newest objects of a folder, and vectors of storage in their rows.

create or replace function pg_catalog.homebase_folder(name text) returns text
language plpgsql immutable strict leakproof parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return left(lower(left(name, length(name) - length(split_part(name, '/', -1)))), 100);
end
$$;

set local role supabase_storage_admin;
create index if not exists homebase_objects_by_age on storage.objects
  (bucket_id, pg_catalog.homebase_folder(name) collate "C", created_at, left(name, 100) collate "C");

create or replace function storage.search(
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
reset role;

do $$
declare
  vectors regclass;
begin
  for vectors in
    select oid from pg_catalog.pg_class where relnamespace = 'storage_vectors'::regnamespace and relkind = 'r'
  loop
    execute pg_catalog.format('alter table %s set (toast_tuple_target = 8160)', vectors);
  end loop;
end
$$;
