-- Schemas, grants, default privileges, extensions at birth and the
-- publication of a hosted Supabase project (docs/compat/platform.md 1.3 to 1.5). Run by supabase_admin in
-- each base database, before the services' own files.

alter schema public owner to pg_database_owner;
grant usage on schema public to postgres, anon, authenticated, service_role;
grant all on schema public to postgres;

create schema extensions authorization postgres;
create schema auth authorization supabase_admin;
create schema storage authorization supabase_admin;
create schema realtime authorization supabase_admin;
create schema graphql_public authorization supabase_admin;
-- There from birth on hosted, or on projects of an earlier time: what creates their extensions names them.
create schema graphql authorization supabase_admin;
create schema pgsodium authorization supabase_admin;

grant usage on schema extensions, auth, storage, graphql, graphql_public to postgres, anon, authenticated, service_role;
grant all on schema extensions to dashboard_user;
grant usage on schema auth to dashboard_user;
grant usage, create on schema auth to supabase_auth_admin;
grant usage, create on schema storage to supabase_storage_admin;
grant usage on schema storage to postgres, dashboard_user with grant option;
grant usage on schema realtime to postgres with grant option;
grant usage on schema realtime to anon, authenticated, service_role;
grant usage, create on schema realtime to supabase_realtime_admin;

alter default privileges for role postgres in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public
  grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_auth_admin in schema auth
  grant all on tables to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth
  grant all on sequences to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth
  grant all on functions to postgres, dashboard_user;
alter default privileges for role supabase_storage_admin in schema storage
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_storage_admin in schema storage
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_storage_admin in schema storage
  grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema realtime
  grant all on tables to postgres, dashboard_user;
alter default privileges for role supabase_admin in schema realtime
  grant all on functions to postgres, dashboard_user;
alter default privileges for role supabase_admin in schema realtime
  grant all on sequences to postgres, dashboard_user;
alter default privileges for role supabase_admin in schema extensions
  grant all on tables to postgres with grant option;
alter default privileges for role supabase_admin in schema extensions
  grant all on functions to postgres with grant option;
alter default privileges for role supabase_admin in schema extensions
  grant all on sequences to postgres with grant option;
alter default privileges for role supabase_admin in schema graphql_public
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema graphql
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema graphql
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema graphql
  grant all on sequences to postgres, anon, authenticated, service_role;

-- Created by postgres, who may therefore drop and move them, as on hosted; what is in them belongs to the superuser.
set role postgres;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pg_stat_statements with schema extensions;
reset role;
create extension if not exists supabase_vault;

-- ALTER EXTENSION ... SET SCHEMA of a migration: hosted lets an extension's owner move it, whoever owns its objects.
create function pg_catalog.homebase_move_extension(extension name, schema name) returns void
language plpgsql security definer set search_path = pg_catalog set event_triggers = off as $$
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

create function graphql_public.graphql(
  "operationName" text default null, query text default null,
  variables jsonb default null, extensions jsonb default null
) returns jsonb language sql immutable as $$
  select jsonb_build_object('errors',
    jsonb_build_array(jsonb_build_object('message', 'pg_graphql extension is not enabled.')))
$$;

create publication supabase_realtime;
alter publication supabase_realtime owner to postgres;
