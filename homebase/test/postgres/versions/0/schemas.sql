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

grant usage on schema extensions, auth, storage, graphql_public to postgres, anon, authenticated, service_role;
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

create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pg_stat_statements with schema extensions;
create extension if not exists supabase_vault;

create function graphql_public.graphql(
  "operationName" text default null, query text default null,
  variables jsonb default null, extensions jsonb default null
) returns jsonb language sql immutable as $$
  select jsonb_build_object('errors',
    jsonb_build_array(jsonb_build_object('message', 'pg_graphql extension is not enabled.')))
$$;

create publication supabase_realtime;
alter publication supabase_realtime owner to postgres;
