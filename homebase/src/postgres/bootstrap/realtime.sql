-- Schema realtime as hosted has it (docs/compat/realtime.md 10, 16, 17). Objects belong to
-- supabase_realtime_admin. What hosted does with wal2json, Homebase does outside the database.

set role supabase_realtime_admin;

create type realtime.action as enum ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');
create type realtime.equality_op as enum (
  'eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct'
);
create type realtime.user_defined_filter as (
  column_name text, op realtime.equality_op, value text, negate boolean
);
create type realtime.wal_column as (
  name text, type_name text, type_oid oid, value jsonb, is_pkey boolean, is_selectable boolean
);
create type realtime.wal_rls as (
  wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[]
);

create table realtime.schema_migrations (
  version bigint primary key,
  inserted_at timestamp(0) without time zone
);

create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone not null default now(),
  inserted_at timestamp without time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  constraint messages_payload_exclusive check (payload is null or binary_payload is null),
  primary key (id, inserted_at)
) partition by range (inserted_at);

alter table realtime.messages enable row level security;

create index messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;

create function realtime.to_regrole(role_name text) returns regrole language sql immutable as
  $$ select role_name::regrole $$;

create table realtime.subscription (
  id bigint generated always as identity,
  subscription_id uuid not null,
  entity regclass not null,
  filters realtime.user_defined_filter[] not null default '{}',
  claims jsonb not null,
  claims_role regrole not null generated always as (realtime.to_regrole(claims ->> 'role')) stored,
  created_at timestamp without time zone not null default timezone('utc', now()),
  action_filter text default '*'
    check (action_filter = any (array['*', 'INSERT', 'UPDATE', 'DELETE'])),
  selected_columns text[],
  constraint pk_subscription primary key (id)
);

create index ix_realtime_subscription_entity on realtime.subscription (entity);
-- By a digest of the filters: an `in` of a hundred values is longer than an index entry may be.
create function realtime.filters_hash(filters realtime.user_defined_filter[]) returns bytea
language sql immutable strict parallel safe as
  $$ select pg_catalog.sha256(pg_catalog.convert_to(filters::text, 'UTF8')) $$;
create unique index subscription_subscription_id_entity_filters_hash_key
  on realtime.subscription
  (subscription_id, entity, realtime.filters_hash(filters), action_filter, coalesce(selected_columns, '{}'));

-- A text as the JSON value that a column of the type would have.
create function realtime."cast"(val text, type_ regtype) returns jsonb language plpgsql immutable as $$
declare
  result jsonb;
begin
  if type_::text = 'bytea' then
    return to_jsonb(val);
  end if;
  execute format('select to_jsonb(%L::%s)', val, type_::text) into result;
  return result;
end
$$;

-- Whether a comparison holds; null is never true, also when negated.
create function realtime.check_equality_op(
  op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean
) returns boolean language plpgsql immutable as $$
declare
  result boolean;
  operator text;
begin
  if op = 'is' then
    if val_2 = 'null' then
      result := val_1 is null;
    else
      execute format('select (%L::%s) is %s', val_1, type_::text,
        case when val_2 in ('true', 'false', 'unknown') then val_2 end) into result;
    end if;
    return case when negate then not result else result end;
  end if;
  if op = 'isdistinct' then
    execute format('select (%L::%s) is distinct from (%L::%s)', val_1, type_::text, val_2, type_::text) into result;
    return case when negate then not result else result end;
  end if;
  if val_1 is null or val_2 is null then
    return false;
  end if;
  operator := case op
    when 'eq' then '=' when 'neq' then '!=' when 'lt' then '<' when 'lte' then '<='
    when 'gt' then '>' when 'gte' then '>=' when 'in' then '= any'
    when 'like' then '~~' when 'ilike' then '~~*' when 'match' then '~' when 'imatch' then '~*'
  end;
  if op = 'in' then
    execute format('select (%L::%s) = any (%L::%s[])', val_1, type_::text, val_2, type_::text) into result;
  else
    execute format('select (%L::%s) %s (%L::%s)', val_1, type_::text, operator, val_2, type_::text) into result;
  end if;
  return coalesce(case when negate then not result else result end, false);
end
$$;

create function realtime.check_equality_op(
  op realtime.equality_op, type_ regtype, val_1 text, val_2 text
) returns boolean language sql immutable as
  $$ select realtime.check_equality_op(op, type_, val_1, val_2, false) $$;

create function realtime.is_visible_through_filters(
  columns realtime.wal_column[], filters realtime.user_defined_filter[]
) returns boolean language sql immutable as $$
  select $2 is null or array_length($2, 1) is null or coalesce(
    count(col.name) = count(1)
    and sum(realtime.check_equality_op(
      op := f.op, type_ := col.type_oid::regtype,
      val_1 := col.value #>> '{}', val_2 := f.value, negate := coalesce(f.negate, false)
    )::int) filter (where col.name is not null) = count(1), false)
  from unnest(filters) f
  left join unnest(columns) col on f.column_name = col.name
$$;

-- Refuses filters and selections that the subscriber's role could not use.
create function realtime.subscription_check_filters() returns trigger language plpgsql as $$
declare
  filter realtime.user_defined_filter;
  col_type regtype;
  chosen text;
  claims_role text := new.claims ->> 'role';
begin
  foreach filter in array new.filters loop
    select a.atttypid::regtype into col_type
    from pg_catalog.pg_attribute a
    where a.attrelid = new.entity and a.attname = filter.column_name and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege(claims_role, new.entity, a.attnum, 'SELECT');
    if not found then
      raise exception 'invalid column for filter %', filter.column_name;
    end if;
    if filter.op = 'in' then
      if coalesce(jsonb_array_length(realtime.cast(filter.value, (col_type::text || '[]')::regtype)), 0) > 100 then
        raise exception 'too many values for `in` filter. Maximum 100';
      end if;
    elsif filter.op = 'is' then
      if filter.value not in ('null', 'true', 'false', 'unknown') then
        raise exception 'invalid value for is filter: must be null, true, false, or unknown';
      end if;
      if filter.value <> 'null' and col_type <> 'boolean'::regtype then
        raise exception 'is % filter requires a boolean column, got %', filter.value, col_type::text;
      end if;
    else
      if filter.op in ('match', 'imatch') then
        begin
          perform '' ~ filter.value;
        exception when others then
          raise exception 'invalid regular expression for % filter: %', filter.op::text, sqlerrm;
        end;
      elsif filter.op not in ('like', 'ilike') then
        perform realtime.cast(filter.value, col_type);
      end if;
      -- The comparison itself is tried: what fails here would fail at every change.
      begin
        perform realtime.check_equality_op(filter.op, col_type, filter.value, filter.value, filter.negate);
      exception when others then
        if filter.op in ('like', 'ilike', 'match', 'imatch') then
          raise exception 'operator % requires a text-compatible column type, got %', filter.op::text, col_type::text;
        end if;
        raise exception 'operator % is not supported on column % of type %: %',
          filter.op::text, filter.column_name, col_type::text, sqlerrm;
      end;
    end if;
  end loop;
  foreach chosen in array coalesce(new.selected_columns, '{}') loop
    perform 1 from pg_catalog.pg_attribute a
    where a.attrelid = new.entity and a.attname = chosen and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege(claims_role, new.entity, a.attnum, 'SELECT');
    if not found then
      raise exception 'invalid column for select %', chosen;
    end if;
  end loop;
  -- Equal sets of filters and columns are the same whatever their order.
  new.filters := coalesce(
    (select array_agg(f order by f.column_name, f.op, f.value, f.negate) from unnest(new.filters) f), '{}');
  new.selected_columns := (select array_agg(c order by c) from unnest(new.selected_columns) c);
  return new;
end
$$;

create trigger tr_check_filters before insert or update on realtime.subscription
  for each row execute function realtime.subscription_check_filters();

create function realtime.topic() returns text language sql stable as
  $$ select nullif(current_setting('realtime.topic', true), '')::text $$;

create function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void language plpgsql as $$
declare
  generated_id uuid := gen_random_uuid();
begin
  begin
    if payload ? 'id' then
      null;
    else
      payload := jsonb_set(payload, '{id}', to_jsonb(generated_id));
    end if;
    execute format('set local realtime.topic to %L', topic);
    insert into realtime.messages (id, payload, event, topic, private, extension)
    values (generated_id, payload, event, topic, private, 'broadcast');
  exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
  end;
end
$$;

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true)
returns void language plpgsql as $$
begin
  begin
    execute format('set local realtime.topic to %L', topic);
    insert into realtime.messages (binary_payload, event, topic, private, extension)
    values (payload, event, topic, private, 'broadcast');
  exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
  end;
end
$$;

create function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void language plpgsql as $$
declare
  row_data jsonb;
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  row_data := jsonb_build_object(
    'old_record', case when operation = 'INSERT' then null else to_jsonb(old) end,
    'record', case when operation = 'DELETE' then null else to_jsonb(new) end,
    'operation', operation, 'table', table_name, 'schema', table_schema);
  perform realtime.send(row_data, event_name, topic_name);
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

-- Hosted's own machinery around wal2json: the names are kept, the work is done outside the database.
create function realtime.quote_wal2json(entity regclass) returns text language sql immutable as $$
  select quote_ident(n.nspname) || '.' || quote_ident(c.relname)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = entity
$$;
create function realtime.list_changes(publication name, slot_name name, max_changes int, max_record_bytes int)
returns setof realtime.wal_rls language plpgsql as $$
begin
  raise exception 'realtime.list_changes is not supported: this stack reads the log with pgoutput'
    using errcode = '0A000';
end
$$;
create function realtime.apply_rls(wal jsonb, max_record_bytes int default 1024 * 1024)
returns setof realtime.wal_rls language plpgsql as $$
begin
  raise exception 'realtime.apply_rls is not supported: this stack reads the log with pgoutput'
    using errcode = '0A000';
end
$$;

-- Partitions of messages by day in UTC. Called when the service starts and every day after.
create function realtime.maintain_messages_partitions(today date) returns void language plpgsql as $$
declare
  day date;
  name text;
begin
  for day in select generate_series(today - 1, today + 3, interval '1 day')::date loop
    name := 'messages_' || to_char(day, 'YYYY_MM_DD');
    if to_regclass('realtime.' || name) is null then
      execute format('create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        name, day, day + 1);
    end if;
  end loop;
  for name in
    select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'realtime.messages'::regclass
      and to_date(right(c.relname, 10), 'YYYY_MM_DD') < today - 3
  loop
    execute format('drop table realtime.%I', name);
  end loop;
end
$$;
revoke execute on function realtime.maintain_messages_partitions(date) from public;

grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant select on realtime.subscription to anon, authenticated, service_role;
grant all on realtime.messages, realtime.subscription to postgres with grant option;
grant usage on type realtime.action, realtime.equality_op, realtime.user_defined_filter to public;
select realtime.maintain_messages_partitions((now() at time zone 'utc')::date);

reset role;

