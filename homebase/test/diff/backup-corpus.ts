/** Owns schemas with the features of real ones, as a restored backup must have them. Their roles are named after them. */

export interface Backup {
  name: string;
  /** What `supabase/roles.sql` has. */
  roles?: string;
  sql: string;
  /** Those that a dump of some schemas can have without the others; public without it. */
  schemas?: string[];
}

export const BACKUPS: Backup[] = [
  {
    name: "owner of public, as older projects have it",
    sql: `alter schema public owner to postgres;
      create table public.notes (id bigint generated always as identity primary key, body text);
      grant usage on schema public to service_role;`,
  },
  {
    name: "roles.sql with closed defaults",
    roles: `create role backup_reader nologin; create role backup_writer nologin noinherit; grant backup_reader to backup_writer;
      alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
      alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;
      alter default privileges for role postgres in schema public revoke execute on functions from anon, authenticated, service_role;
      alter default privileges for role postgres revoke execute on functions from public;`,
    sql: `create table public.closed (id serial primary key, secret text);
      create function public.closed_one() returns int language sql as 'select 1';
      create table public.opened (id int primary key);
      grant select on public.opened to anon, backup_reader;
      grant execute on function public.closed_one() to authenticated;`,
  },
  {
    name: "vectors in columns and functions",
    sql: `create extension vector with schema extensions;
      create table public.documents (id bigint primary key, content text, embedding extensions.vector(3), half extensions.halfvec(4));
      create index on public.documents using hnsw (embedding extensions.vector_cosine_ops);
      create function public.match_documents(query extensions.vector(3), amount int default 5) returns table (id bigint, similarity float)
        language plpgsql stable as $$
        declare one extensions.vector(3) := query;
        begin
          return query select d.id, 1 - (d.embedding operator(extensions.<=>) one) from public.documents d limit amount;
        end $$;`,
  },
  {
    name: "moddatetime and other extensions",
    sql: `create extension moddatetime with schema extensions;
      create extension citext with schema extensions;
      create extension pg_trgm with schema extensions;
      create table public.posts (id int primary key, slug extensions.citext unique, title text, updated_at timestamptz);
      create index on public.posts using gin (title extensions.gin_trgm_ops);
      create trigger touch before update on public.posts for each row execute function extensions.moddatetime(updated_at);`,
  },
  {
    name: "what takes a superuser where supautils is not: event triggers, publications of everything, a wrapper",
    sql: `create schema audited; grant usage on schema audited to anon;
      create table public.seen (tag text);
      create function public.note_ddl() returns event_trigger language plpgsql as $$
        begin if to_regclass('public.seen') is not null then insert into public.seen values (tg_tag); end if; end $$;
      create event trigger note_tables on ddl_command_end when tag in ('CREATE TABLE', 'DROP TABLE') execute function public.note_ddl();
      create event trigger "Quiet one" on sql_drop execute function public.note_ddl();
      alter event trigger "Quiet one" disable;
      create publication everything for all tables with (publish = 'insert, update');
      create publication some_schemas for tables in schema audited;
      drop publication supabase_realtime;
      create publication supabase_realtime for all tables;
      create extension postgres_fdw with schema extensions;
      create foreign data wrapper plain;
      create server elsewhere foreign data wrapper plain;
      comment on extension postgres_fdw is 'Of the other office';`,
  },
  {
    name: "queues that are exposed",
    sql: `create extension pgmq;
      create schema pgmq_public;
      grant usage on schema pgmq_public to postgres, anon, authenticated, service_role;
      create function pgmq_public.send(queue_name text, message jsonb, sleep_seconds int default 0) returns setof bigint
        language plpgsql set search_path = '' as $$ begin return query select * from pgmq.send(queue_name, message, sleep_seconds); end $$;
      comment on function pgmq_public.send(text, jsonb, int) is 'Adds a message to the queue';
      grant execute on function pgmq_public.send(text, jsonb, int) to postgres, service_role, anon, authenticated;`,
  },
  {
    name: "functions that need later ones",
    sql: `set check_function_bodies = off;
      create function public.a_first() returns int language sql as 'select public.z_last() + (select count(*)::int from public.y_table)';
      create table public.y_table (id int primary key, n int default public.a_first(), check (n is null or n > 0));
      create function public.z_last() returns int language plpgsql as $$ begin return (select max(id) from public.y_table); end $$;
      create view public.z_view as select id, public.a_first() as first from public.y_table;
      alter table public.y_table enable row level security;
      create policy changes on public.y_table for update to authenticated using (public.a_first() > 0) with check (public.z_last() > id);`,
  },
  {
    name: "policies and triggers of auth and storage",
    sql: `create table public.profiles (id uuid primary key references auth.users on delete cascade, name text);
      create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
        begin insert into public.profiles (id) values (new.id); return new; end $$;
      create trigger on_auth_user_created after insert on auth.users for each row execute function public.handle_new_user();
      alter table public.profiles enable row level security;
      create policy own on public.profiles for all to authenticated using ((select auth.uid()) = id);
      create policy "pictures of one's own" on storage.objects for insert to authenticated
        with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text);
      create policy topics on realtime.messages for select to authenticated using (realtime.topic() like 'room:%');`,
  },
  {
    name: "publications and replica identities",
    sql: `create table public.rooms (id int primary key, name text, secret text);
      create table public.messages (id bigint primary key, room int references public.rooms, body text);
      alter table public.messages replica identity full;
      alter publication supabase_realtime add table public.messages;
      alter publication supabase_realtime add table public.rooms (id, name);
      create publication warehouse for table public.rooms where (id > 10) with (publish = 'insert');`,
  },
  {
    name: "jobs of pg_cron and calls of pg_net",
    sql: `create extension pg_cron;
      create extension pg_net with schema extensions;
      create table public.counts (day date primary key, n int);
      create function public.count_up() returns void language sql as
        $$ insert into public.counts values (current_date, 1) on conflict (day) do update set n = public.counts.n + 1 $$;
      revoke execute on function public.count_up() from public, anon, authenticated;
      create function public.ping() returns bigint language sql as
        $$ select net.http_get('http://127.0.0.1:1/') $$;`,
  },
  {
    name: "comments, rights by column, types and partitions",
    roles: "create role backup_auditor nologin;",
    schemas: ["public", "private"],
    sql: `create schema private;
      create type public.mood as enum ('low', 'high');
      create domain public.mail as text not null check (value like '%@%');
      create table private.people (id int generated by default as identity, name text, mail public.mail, mood public.mood default 'low',
        initial text generated always as (left(name, 1)) stored, primary key (id));
      comment on schema private is 'not of the API';
      comment on table private.people is 'people; with a semicolon';
      comment on column private.people.mail is 'an address';
      comment on type public.mood is 'how it is';
      grant usage on schema private to authenticated, backup_auditor;
      grant select (id, name), update (name) on private.people to authenticated;
      grant select on private.people to backup_auditor with grant option;
      revoke truncate on private.people from service_role;
      create table public.events (id bigint, day date not null, primary key (id, day)) partition by range (day);
      create table public.events_2026 partition of public.events for values from ('2026-01-01') to ('2027-01-01');
      create index on public.events (day);
      create materialized view public.days as select day, count(*) from public.events group by day;
      revoke all on public.days from anon;
      create view public.public_people with (security_invoker = true) as select id, name from private.people;
      comment on view public.public_people is 'names only';
      create sequence public.tickets start 100 increment 5;
      alter default privileges in schema private grant select on tables to backup_auditor;`,
  },
];
