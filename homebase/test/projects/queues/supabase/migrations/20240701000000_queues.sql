-- Queues by pgmq with a wrapper for the API, and extensions that many projects name without needing them here.
create extension if not exists pgmq;
create extension if not exists pg_graphql;
create extension if not exists "pgsodium";
create extension if not exists hypopg with schema extensions;
create extension if not exists index_advisor with schema extensions;
create extension if not exists pgjwt with schema extensions;
create extension if not exists http with schema extensions;
create extension if not exists pg_jsonschema with schema extensions;
create extension if not exists pgaudit with schema extensions;
create extension if not exists plpgsql_check with schema extensions;

select pgmq.create('mails');
create function public.queue_mail(address text) returns bigint language sql security definer set search_path = '' as $$
  select pgmq.send('mails', pg_catalog.jsonb_build_object('to', address));
$$;
create function public.next_mail() returns jsonb language sql security definer set search_path = '' as $$
  select message from pgmq.pop('mails');
$$;
create table public.settings (id int primary key, value json check (extensions.json_matches_schema('{"type":"object"}', value)));
create function public.token() returns text language sql as $$
  select extensions.sign('{"role":"anon"}'::json, 'secret');
$$;
comment on schema public is e'@graphql({"inflect_names": true})';
