-- Numbered by hand, not by time.
create extension if not exists "uuid-ossp" schema public;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists btree_gist;
create extension if not exists citext with schema extensions;
create extension if not exists moddatetime schema extensions;
create extension if not exists unaccent;
create extension if not exists hstore schema extensions;
create extension if not exists ltree schema extensions;
create extension if not exists fuzzystrmatch schema extensions;
create extension if not exists tablefunc schema extensions;
create schema shop;
grant usage on schema shop to anon, authenticated, service_role;
alter default privileges in schema shop grant all on tables to anon, authenticated, service_role;
alter default privileges in schema shop grant execute on functions to anon, authenticated, service_role;
create type size as enum ('s', 'm', 'l');
create domain email as extensions.citext check (value ~ '^[^@]+@[^@]+$');
create type address as (street text, zip text);
create type hours as range (subtype = time);
do $$ begin
  create type size as enum ('s');
exception
  when duplicate_object then null;
end $$;
alter type size add value if not exists 'xl';
