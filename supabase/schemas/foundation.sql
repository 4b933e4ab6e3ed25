-- The private schema, the extensions, and the rights that nothing has by default.

create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists pg_cron with schema pg_catalog;
create extension if not exists pg_net with schema extensions;

-- Not exposed by the API. Policies and functions of `public` call into it.
create schema private;
grant usage on schema private to authenticated, service_role, anon;

-- Nothing is granted by default. Hosted default privileges give every new table and function of `public` to anon
-- and authenticated; here each file grants what its tables and functions are meant for.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
