-- Schemas, grants, default privileges, extensions at birth and the
-- publication of a hosted Supabase project (docs/compat/platform.md 1.3 to 1.5). Run by supabase_admin in
-- each base database, before the services' own files.

alter schema public owner to pg_database_owner;
grant usage on schema public to postgres, anon, authenticated, service_role;
grant all on schema public to postgres;

-- Code of the superuser is in it: its owner could rename it, drop what is in it, and put other code in its place.
create schema extensions authorization supabase_admin;
create schema auth authorization supabase_admin;
create schema storage authorization supabase_admin;
create schema realtime authorization supabase_admin;
create schema graphql_public authorization supabase_admin;
-- They exist on every hosted project, or on older ones: scripts of extensions name them.
create schema graphql authorization supabase_admin;
create schema pgsodium authorization supabase_admin;

grant all on schema extensions to postgres with grant option;
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

-- A schema that an extension's code belongs in: the superuser's from then on, as its owner could rename it or drop what
-- is in it. What a project has put there before is not taken over.
create function pg_catalog.homebase_own_schema(schema name) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  found pg_catalog.pg_namespace;
  grantee oid;
begin
  select * into found from pg_catalog.pg_namespace n where n.nspname = schema;
  if (select r.rolsuper from pg_catalog.pg_roles r where r.oid = found.nspowner) then return; end if;
  if exists (
    select from pg_catalog.pg_depend d where d.refclassid = 'pg_namespace'::regclass and d.refobjid = found.oid
      and d.classid not in ('pg_extension'::regclass, 'pg_default_acl'::regclass)
  ) then
    raise 'schema "%" is not empty', schema using errcode = '42501',
      hint = 'The code of the extension belongs in it. Create the extension before other objects of this schema.';
  end if;
  execute pg_catalog.format('alter schema %I owner to supabase_admin', schema);
  for grantee in
    select distinct a.grantee from pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
    where n.oid = found.oid and a.grantee <> n.nspowner
  loop
    execute pg_catalog.format('revoke all on schema %I from %s cascade', schema,
      case grantee when 0 then 'public' else grantee::regrole::text end);
  end loop;
end
$$;
revoke all on function pg_catalog.homebase_own_schema(name) from public;

-- Created by postgres, who may therefore drop and move them, as on hosted; what is in them belongs to the superuser.
set role postgres;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pg_stat_statements with schema extensions;
reset role;
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
