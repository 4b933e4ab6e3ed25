-- The rights that hosted gives role `postgres`, which is no superuser, and those that membership in the services' roles would
-- let it do beyond that (docs/decisions/0021-powers-of-postgres.md). Run by supabase_admin; may be run again.

-- Lets `postgres` own what only superusers may own, as hosted does: for the length of one statement. Not in schema
-- extensions: a grant on all functions there fails at one that `postgres` may not call.
create or replace function pg_catalog.homebase_give_to_postgres(owned text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  -- Two transactions that change the same role at once would fail.
  perform 1 from pg_catalog.pg_authid where rolname = 'postgres' for update;
  execute 'alter role postgres superuser';
  execute 'alter ' || owned || ' owner to postgres';
  execute 'alter role postgres nosuperuser';
end
$$;

create or replace function extensions.create_event_trigger(name text, event text, tags text[], function regprocedure)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  if (select r.rolsuper from pg_catalog.pg_proc p join pg_catalog.pg_roles r on r.oid = p.proowner
      where p.oid = function) then
    raise 'Non-superuser owned event trigger must execute a non-superuser owned function'
      using detail = pg_catalog.format('The current user "postgres" is not a superuser and the function "%s" is owned by a superuser', function::regproc);
  end if;
  if event = 'login' and pg_catalog.current_setting('homebase.files', true) is distinct from 'on' then
    raise 'permission denied to create event trigger "%"', name using errcode = '42501',
      hint = 'An event trigger on login would run in the sessions of the stack. In a migration it is created disabled.';
  end if;
  execute pg_catalog.format('create event trigger %I on %I %s execute function %s', name, event,
    case when tags is not null then 'when tag in (' || (
      select pg_catalog.string_agg(pg_catalog.quote_literal(tag), ', ') from pg_catalog.unnest(tags) tag) || ')'
    end, function::regprocedure);
  if event = 'login' then
    -- It stays the superuser's, because its owner may enable it.
    execute pg_catalog.format('alter event trigger %I disable', name);
    raise warning 'created disabled here: a hosted project fires an event trigger on login, also in sessions of the services'
      using errcode = '01H01', detail = 'create event trigger ' || name;
  else
    perform pg_catalog.homebase_give_to_postgres(pg_catalog.format('event trigger %I', name));
  end if;
end
$$;

-- `schemas` null: for all tables. `options`: names and values by turns.
create or replace function extensions.create_publication(name text, schemas text[], options text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  execute pg_catalog.format('create publication %I for %s', name, case when schemas is null then 'all tables'
    else 'tables in schema ' || (
      select pg_catalog.string_agg(pg_catalog.quote_ident(one), ', ') from pg_catalog.unnest(schemas) one) end)
    || pg_catalog.homebase_option_list(' with (%s)', '%I = %L', options);
  perform pg_catalog.homebase_give_to_postgres(pg_catalog.format('publication %I', name));
end
$$;

create or replace function extensions.alter_publication_schemas(name text, action text, schemas text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  if action not in ('add', 'set', 'drop') then raise 'unknown action %', action; end if;
  -- Hosted lets postgres change every publication.
  execute pg_catalog.format('alter publication %I %s tables in schema %s', name, action, (
    select pg_catalog.string_agg(pg_catalog.quote_ident(one), ', ') from pg_catalog.unnest(schemas) one));
end
$$;

-- A handler is C code, which takes for checked what is stored in options: it is attached with the validator of its own
-- extension, and only from those extensions that hosted offers. Null for any other function.
create or replace function pg_catalog.homebase_validator_of(handler oid) returns oid
language sql stable set search_path = pg_catalog, pg_temp as $$
  select v.oid from pg_catalog.pg_proc h
    join pg_catalog.pg_roles r on r.oid = h.proowner and r.rolsuper
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = h.oid and d.deptype = 'e'
      and d.refclassid = 'pg_catalog.pg_extension'::regclass
    join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname in ('postgres_fdw', 'wrappers')
    join pg_catalog.pg_depend m on m.classid = d.classid and m.refclassid = d.refclassid and m.refobjid = d.refobjid and m.deptype = 'e'
    join pg_catalog.pg_proc v on v.oid = m.objid and v.prolang = h.prolang and v.proowner = h.proowner
      and v.proname = pg_catalog.regexp_replace(h.proname::text, '_handler$', '_validator')
  where h.oid = handler and h.prorettype = 'pg_catalog.fdw_handler'::regtype
$$;

-- Without a handler the validator may be the project's own function: it is called as the caller. Below it is attached alone,
-- when Postgres does not call it.
create or replace function extensions.create_foreign_data_wrapper(name text, handler regproc, validator regproc, options text[])
returns void language plpgsql as $$
begin
  if validator is not null then
    execute pg_catalog.format('select %s($1, $2)', validator) using array(
      select pg_catalog.concat(options[i], '=', options[i + 1])
      from pg_catalog.generate_series(1, coalesce(pg_catalog.array_length(options, 1), 0), 2) i),
      'pg_catalog.pg_foreign_data_wrapper'::pg_catalog.regclass::pg_catalog.oid;
  end if;
  perform pg_catalog.homebase_create_wrapper(name, handler, validator, options);
end
$$;

create or replace function pg_catalog.homebase_create_wrapper(name text, handler regproc, validator regproc, options text[])
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off
set client_min_messages = error as $$
declare
  own oid := pg_catalog.homebase_validator_of(handler);
  attached text := '';
begin
  -- A handler of an extension that is here without its library is none: reading a table of it then says so.
  if exists (select from pg_catalog.pg_proc p where p.oid = handler and p.prorettype = 'pg_catalog.fdw_handler'::regtype) then
    if own is null or validator <> own then
      raise 'permission denied to use handler % with this validator', handler using errcode = '42501',
        hint = 'Only with the validator of its own extension, and only that of postgres_fdw or wrappers.';
    end if;
    select ' ' || pg_catalog.string_agg(pg_catalog.format('%s %I.%I', u.word, n.nspname, p.proname), ' ') into attached
    from (values ('handler', handler::oid), ('validator', own)) u (word, function)
      join pg_catalog.pg_proc p on p.oid = u.function join pg_catalog.pg_namespace n on n.oid = p.pronamespace;
  end if;
  execute pg_catalog.format('create foreign data wrapper %I', name) || attached
    || pg_catalog.homebase_option_list(' options (%s)', '%I %L', options);
  if validator is not null and own is null then
    execute pg_catalog.format('alter foreign data wrapper %I validator %s', name, validator::regproc);
  end if;
  perform pg_catalog.homebase_give_to_postgres(pg_catalog.format('foreign data wrapper %I', name));
end
$$;

create or replace function extensions.comment_on_extension(name text, comment text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  execute pg_catalog.format('comment on extension %I is %L', name, comment);
end
$$;

-- `value` null: reset. `role` null: of the database. Only names that no library and no server knows.
create or replace function extensions.set_custom_parameter(
  name text, value text, role regrole, in_database boolean default false) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
declare
  target text := case when role is null then pg_catalog.format('database %I', pg_catalog.current_database())
    else pg_catalog.format('role %s', role::regrole)
      || case when in_database then pg_catalog.format(' in database %I', pg_catalog.current_database()) else '' end end;
begin
  if name !~ '^[A-Za-z_][A-Za-z0-9_$]*[.]' or name ~* '^(homebase|supautils|pgrst|plpgsql|pgaudit|auto_explain)[.]'
    or exists (select 1 from pg_catalog.pg_settings s where pg_catalog.lower(s.name) = pg_catalog.lower($1)
      and s.context not in ('user'))
    -- A library that is not loaded yet takes them as a superuser's when it is.
    or exists (select from pg_catalog.pg_available_extensions a
      where pg_catalog.lower(a.name) = pg_catalog.lower(pg_catalog.split_part($1, '.', 1)))
    or name ~* '^pl(perlu?|tclu?|python3?u?)[.]' then
    raise 'permission denied to set parameter "%"', name using errcode = '42501';
  end if;
  if role is not null and not exists (select 1 from pg_catalog.pg_roles r where r.oid = role and not r.rolsuper
      and r.rolname !~ '^(supabase|homebase)_') then
    raise 'permission denied to alter setting' using errcode = '42501';
  end if;
  execute 'alter ' || target || case when value is null then pg_catalog.format(' reset %I', name)
    else pg_catalog.format(' set %I = %L', name, value) end;
end
$$;

create or replace function pg_catalog.homebase_option_list(list text, entry text, options text[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(pg_catalog.format(list, pg_catalog.string_agg(
    pg_catalog.format(entry, options[i], options[i + 1]), ', ' order by i)), '')
  from pg_catalog.generate_series(1, coalesce(pg_catalog.array_length(options, 1), 0), 2) i
  having count(*) > 0
  union all
  select '' where coalesce(pg_catalog.array_length(options, 1), 0) = 0
$$;

-- ALTER EXTENSION ... SET SCHEMA of a migration: hosted lets an extension's owner move it, whoever owns its objects.
create or replace function pg_catalog.homebase_move_extension(extension name, schema name) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  if not exists (select from pg_extension where extname = extension and pg_has_role(session_user, extowner, 'usage')) then
    raise exception using errcode = '42501', message = format('must be owner of extension %s', extension);
  elsif to_regnamespace(quote_ident(schema)) is null then
    raise exception using errcode = '3F000', message = format('schema "%s" does not exist', schema);
  elsif not has_schema_privilege(session_user, quote_ident(schema), 'create') then
    raise exception using errcode = '42501', message = format('permission denied for schema %s', schema);
  end if;
  execute format('alter extension %I set schema %I', extension, schema);
end
$$;

revoke all on function pg_catalog.homebase_give_to_postgres(text), pg_catalog.homebase_option_list(text, text, text[]),
  pg_catalog.homebase_validator_of(oid),
  pg_catalog.homebase_create_wrapper(text, regproc, regproc, text[]),
  extensions.create_event_trigger(text, text, text[], regprocedure),
  extensions.create_publication(text, text[], text[]),
  extensions.alter_publication_schemas(text, text, text[]),
  extensions.create_foreign_data_wrapper(text, regproc, regproc, text[]),
  extensions.comment_on_extension(text, text),
  extensions.set_custom_parameter(text, text, regrole, boolean) from public, postgres;
grant execute on function pg_catalog.homebase_create_wrapper(text, regproc, regproc, text[]),
  extensions.create_event_trigger(text, text, text[], regprocedure),
  extensions.create_publication(text, text[], text[]),
  extensions.alter_publication_schemas(text, text, text[]),
  extensions.create_foreign_data_wrapper(text, regproc, regproc, text[]),
  extensions.comment_on_extension(text, text),
  extensions.set_custom_parameter(text, text, regrole, boolean) to postgres;

-- Where earlier versions had them.
drop function if exists extensions.give_to_postgres(text), extensions.option_list(text, text, text[]);

-- Refuses a statement as hosted does; or, in a project's files, warns that hosted would, so that a project of an
-- earlier time starts as it is.
create or replace function extensions.refuse_or_warn(statement text, message text, hint text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if pg_catalog.current_setting('homebase.files', true) = 'on' then
    raise warning '%', message using errcode = '01H01', detail = statement;
  else
    raise '%', message using errcode = '42501', hint = hint;
  end if;
end
$$;
revoke all on function extensions.refuse_or_warn(text, text, text) from public;
grant execute on function extensions.refuse_or_warn(text, text, text) to postgres;

-- Not by a pattern: a project's own role may be called like a service's.
create or replace function pg_catalog.homebase_service_roles() returns name[] language sql immutable
return array['supabase_admin', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin', 'supabase_functions_admin']::name[];

-- The first statement of a query that makes a service's object unless it is there, and what hosted says of it. The text is
-- all that is left of a statement that did nothing; one that a function computes is not seen.
create or replace function pg_catalog.homebase_skipped_creation(tag text, query text) returns text[]
language plpgsql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  plain text := pg_catalog.regexp_replace(query, '--[^\n]*|/[*](?:[^*]|[*](?!/))*[*]/|''[^'']*''', ' ', 'g');
  found text[];
begin
  if tag = 'CREATE INDEX' then
    found := pg_catalog.regexp_match(plain, '\mcreate\s+(?:unique\s+)?index\s+(?:concurrently\s+)?if\s+not\s+exists\s+("[^"]+"|\w+)\s+on\s+(?:only\s+)?"?(auth|storage|realtime)"?\s*[.]\s*"?(\w+)', 'i');
    return case when found is not null then
      array['create index if not exists ' || found[1], pg_catalog.format('must be owner of table %s', found[3])] end;
  end if;
  found := pg_catalog.regexp_match(plain, '\mcreate\s+(?:unlogged\s+)?' || pg_catalog.lower(pg_catalog.substr(tag, 8))
    || '\s+if\s+not\s+exists\s+"?(auth|storage|realtime)"?\s*[.]\s*"?(\w+)"?(?!\w|\s+as\M)', 'i');
  return case when found is not null then array[
    pg_catalog.format('%s if not exists %s.%s', pg_catalog.lower(tag), found[1], found[2]),
    pg_catalog.format('permission denied for schema %s', found[1])] end;
end
$$;

-- Membership makes `postgres` the owner of the services' tables. Hosted lets it make policies and triggers on them
-- and grant what it holds, and nothing else.
create or replace function extensions.refuse_service_ddl() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  command record;
  skipped text[];
begin
  -- The services' own work, and scripts of extensions.
  if current_user = any (pg_catalog.homebase_service_roles()) then return; end if;
  -- Of an object that is there already, IF NOT EXISTS tells no command; Postgres asks for the right before it looks.
  if tg_tag in ('CREATE TABLE', 'CREATE SEQUENCE', 'CREATE INDEX')
    and not exists (select from pg_catalog.pg_event_trigger_ddl_commands()) then
    skipped := pg_catalog.homebase_skipped_creation(tg_tag, pg_catalog.current_query());
    if skipped is not null then
      perform extensions.refuse_or_warn(skipped[1], skipped[2],
        'Hosted projects refuse this too, though it is there already: it belongs to the service.');
    end if;
  end if;
  for command in
    select c.command_tag, c.object_type, c.schema_name, c.object_identity, c.objid
    from pg_catalog.pg_event_trigger_ddl_commands() c
    where c.schema_name in ('auth', 'storage', 'realtime')
      or c.command_tag in ('COMMENT', 'CREATE RULE', 'ALTER RULE') and c.object_identity ~ ' on (auth|storage|realtime)[.]'
  loop
    if command.command_tag in ('CREATE POLICY', 'ALTER POLICY', 'CREATE TRIGGER', 'GRANT', 'REVOKE', 'ALTER DEFAULT PRIVILEGES')
      then continue;
    end if;
    if command.command_tag ~ '^CREATE ' and command.object_type not in ('index', 'rule') then
      perform extensions.refuse_or_warn(pg_catalog.lower(command.command_tag) || ' ' || command.object_identity,
        pg_catalog.format('permission denied for schema %s', command.schema_name),
        'Hosted projects refuse this too: only the service may create objects in this schema. Use a schema of your own.');
      continue;
    end if;
    perform extensions.refuse_or_warn(pg_catalog.lower(command.command_tag) || ' ' || command.object_identity,
      pg_catalog.format('must be owner of %s %s',
        case when command.command_tag = 'ALTER TABLE' or command.object_type in ('index', 'rule') then 'table'
          when command.command_tag = 'COMMENT' then 'relation' else command.object_type end,
        case when command.object_type = 'index' then
            (select c.relname from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indrelid where i.indexrelid = command.objid)
          else pg_catalog.regexp_replace(command.object_identity, '^(.* on )?(auth|storage|realtime)[.]', '') end),
      'Hosted projects refuse this too: the table belongs to the service. Policies and triggers on it can be made; row level security is on already.');
  end loop;
  -- Of an object of the project that hangs on a service's table, Postgres asks whose that table is.
  for command in
    select c.command_tag, c.object_identity, t.relname from pg_catalog.pg_event_trigger_ddl_commands() c
    left join pg_catalog.pg_inherits i on c.classid = 'pg_catalog.pg_class'::regclass and i.inhrelid = c.objid
    left join pg_catalog.pg_statistic_ext s on c.classid = 'pg_catalog.pg_statistic_ext'::regclass and s.oid = c.objid
    join pg_catalog.pg_class t on t.oid in (i.inhparent, s.stxrelid)
    where t.relnamespace in ('auth'::regnamespace, 'storage'::regnamespace, 'realtime'::regnamespace)
      and c.schema_name not in ('auth', 'storage', 'realtime')
  loop
    perform extensions.refuse_or_warn(pg_catalog.lower(command.command_tag) || ' ' || command.object_identity,
      pg_catalog.format('must be owner of table %s', command.relname),
      'Hosted projects refuse this too: the table belongs to the service.');
  end loop;
end
$$;

create or replace function extensions.refuse_service_drop() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  dropped record;
  message text;
begin
  if current_user = any (pg_catalog.homebase_service_roles()) then return; end if;
  for dropped in
    select d.object_type, d.object_name, d.object_identity from pg_catalog.pg_event_trigger_dropped_objects() d
    where d.original and d.schema_name in ('auth', 'storage', 'realtime') and d.object_type not in ('policy', 'trigger')
  loop
    message := pg_catalog.format('must be owner of %s %s', dropped.object_type,
      coalesce(dropped.object_name, dropped.object_identity));
    -- Without its tables and columns a service does not work, so these are refused in files too.
    if dropped.object_type in ('table', 'table column', 'schema') then
      raise '%', message using errcode = '42501', hint = 'Hosted projects refuse this too: it belongs to the service.';
    end if;
    perform extensions.refuse_or_warn('drop ' || dropped.object_identity, message,
      'Hosted projects refuse this too: it belongs to the service.');
  end loop;
end
$$;

-- An extension's script is read after this: its literals mean what they say. (Each script itself turns event triggers off
-- where it runs with a superuser's rights: cluster/binaries.ts.)
create or replace function extensions.read_scripts_as_written() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_catalog.set_config('standard_conforming_strings', 'on', true);
end
$$;

-- Postgres looks up the key of a foreign key with the rights of the owner of the table that it refers to: a cast of the
-- project's to the key's type would run with a superuser's. The project owns no type of pg_catalog, so none from there.
create or replace function pg_catalog.homebase_refuse_keys() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  found record;
begin
  select k.conname, k.confrelid::regclass as target, a.atttypid::regtype as type into found
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.confrelid
    join pg_catalog.pg_roles r on r.oid = c.relowner and r.rolsuper
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
    join pg_catalog.pg_type t on t.oid = a.atttypid
  where k.contype = 'f' and t.typnamespace <> 'pg_catalog'::regnamespace
  limit 1;
  if found.conname is not null then
    raise 'foreign key "%" cannot refer to % from a column of type %', found.conname, found.target, found.type
      using errcode = '42501', hint = 'The table belongs to an extension. Use a column of the type that its key has.';
  end if;
end
$$;
create or replace function extensions.refuse_keys_with_casts() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_catalog.homebase_refuse_keys();
end
$$;

-- A wrapper that an extension brings belongs to a superuser; on hosted `postgres` may make servers of it.
create or replace function extensions.share_foreign_data_wrappers() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
declare
  wrapper text;
begin
  for wrapper in
    select w.fdwname from pg_catalog.pg_foreign_data_wrapper w join pg_catalog.pg_roles r on r.oid = w.fdwowner
    where r.rolsuper and not pg_catalog.has_foreign_data_wrapper_privilege('postgres', w.oid, 'usage')
  loop
    execute pg_catalog.format('grant usage on foreign data wrapper %I to postgres with grant option', wrapper);
  end loop;
end
$$;

-- Casts by which a type of the project's becomes one of the server's unasked, as a foreign key has it, and by the project's code.
create or replace function pg_catalog.homebase_implicit_casts() returns setof oid
language sql stable set search_path = pg_catalog, pg_temp as $$
  select c.oid from pg_catalog.pg_cast c join pg_catalog.pg_proc p on p.oid = c.castfunc
    join pg_catalog.pg_roles r on r.oid = p.proowner and not r.rolsuper
  where c.castcontext = 'i'
$$;

-- Between a key's statement and refuse_keys_with_casts a project's own code may run and insert: its event trigger of an
-- earlier name, a default, a check. So with such a cast no key refers to a superuser's table at all. Nothing of the project's
-- runs between the cast and this trigger, whose name sorts before every other.
create or replace function extensions.refuse_casts_of_keys() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set event_triggers = off as $$
begin
  if exists (select from pg_catalog.homebase_implicit_casts()) then
    perform pg_catalog.homebase_close_references(), pg_catalog.homebase_refuse_keys();
  end if;
end
$$;

-- A role that may refer to a table and not read it looks up a new key's rows one by one, with the owner's rights, before
-- refuse_keys_with_casts sees the key: only postgres, which reads every table, may refer to a superuser's.
create or replace function pg_catalog.homebase_close_references() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  held record;
  casts constant bool := exists (select from pg_catalog.homebase_implicit_casts());
begin
  for held in
    select c.oid::regclass as target, a.grantee, case a.grantee when 0 then 'public' else a.grantee::regrole::text end as name
    from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner and r.rolsuper,
      pg_catalog.aclexplode(c.relacl) a
    where c.relkind in ('r', 'p') and c.relnamespace <> 'pg_catalog'::regnamespace and a.grantee <> c.relowner
      and a.privilege_type = 'REFERENCES' and (a.is_grantable or a.grantee <> 'postgres'::regrole or casts)
  loop
    execute pg_catalog.format('revoke %s references on table %s from %s cascade',
      case when held.name = 'postgres' and not casts then 'grant option for' end, held.target, held.name);
  end loop;
end
$$;
revoke all on function pg_catalog.homebase_close_references() from public;

-- dblink_connect_u dials without a password of its caller's, by those that the server's account has. dblink's script takes it from
-- PUBLIC only; default privileges give it to the project's roles.
create or replace function pg_catalog.homebase_close_dblink() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  held record;
begin
  for held in
    select distinct p.oid::regprocedure as function, a.grantee
    from pg_catalog.pg_proc p, pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a
    where p.proname = 'dblink_connect_u' and p.prolang = (select l.oid from pg_catalog.pg_language l where l.lanname = 'c')
      and a.grantee <> p.proowner
  loop
    execute pg_catalog.format('revoke all on function %s from %s cascade', held.function,
      case held.grantee when 0 then 'public' else held.grantee::regrole::text end);
  end loop;
end
$$;

-- Takes back rights that default privileges give on an extension's objects and on new tables of a superuser's. Extensions'
-- scripts call it at their end (cluster/binaries.ts): an event trigger of the project's may run before one of ours.
create or replace function pg_catalog.homebase_close() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_catalog.homebase_close_dblink(), pg_catalog.homebase_close_references();
end
$$;
revoke all on function pg_catalog.homebase_close_dblink(), pg_catalog.homebase_close(), pg_catalog.homebase_implicit_casts()
  from public;
select pg_catalog.homebase_close();

-- What an earlier version let the project make first: replaced by the above, and no longer the project's. By the whole
-- signature: a function of the project's with the same name and other parameters still has the project's body.
do $$
declare
  own regprocedure;
begin
  foreach own in array array['extensions.create_event_trigger(text, text, text[], regprocedure)',
    'extensions.create_publication(text, text[], text[])', 'extensions.alter_publication_schemas(text, text, text[])',
    'extensions.create_foreign_data_wrapper(text, regproc, regproc, text[])', 'extensions.comment_on_extension(text, text)',
    'extensions.set_custom_parameter(text, text, regrole, boolean)', 'extensions.refuse_or_warn(text, text, text)',
    'extensions.refuse_service_ddl()', 'extensions.refuse_service_drop()', 'extensions.refuse_keys_with_casts()',
    'extensions.read_scripts_as_written()', 'extensions.share_foreign_data_wrappers()', 'extensions.refuse_casts_of_keys()'
  ]::regprocedure[]
  loop
    execute pg_catalog.format('alter function %s owner to supabase_admin', own);
  end loop;
end
$$;

do $$
declare
  name text;
begin
  foreach name in array array['homebase_refuse_ddl', 'homebase_refuse_drop', 'homebase_pause', 'homebase_resume', 'homebase_scripts', 'homebase_keys',
    'homebase_wrappers', 'homebase_close', e'\x01'] loop
    execute format('drop event trigger if exists %I', name);
  end loop;
end
$$;
drop function if exists extensions.pause_event_triggers();
create event trigger homebase_refuse_ddl on ddl_command_end execute function extensions.refuse_service_ddl();
create event trigger homebase_refuse_drop on sql_drop execute function extensions.refuse_service_drop();
create event trigger homebase_scripts on ddl_command_start when tag in ('CREATE EXTENSION', 'ALTER EXTENSION')
  execute function extensions.read_scripts_as_written();
create event trigger homebase_keys on ddl_command_end execute function extensions.refuse_keys_with_casts();
create event trigger homebase_wrappers on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.share_foreign_data_wrappers();
drop function if exists extensions.close_dblink();
-- The first of all names.
create event trigger u&"\0001" on ddl_command_end when tag in ('CREATE CAST') execute function extensions.refuse_casts_of_keys();
-- Also while session_replication_role, which postgres may set, is replica.
alter event trigger homebase_refuse_ddl enable always;
alter event trigger homebase_refuse_drop enable always;
alter event trigger homebase_scripts enable always;
alter event trigger homebase_keys enable always;
alter event trigger homebase_wrappers enable always;
alter event trigger u&"\0001" enable always;
