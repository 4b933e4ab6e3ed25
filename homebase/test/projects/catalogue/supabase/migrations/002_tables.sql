create table if not exists shop.products (
  id uuid primary key default uuid_generate_v4(),
  other uuid default gen_random_uuid(),
  name text not null,
  price numeric(10, 2) check (price >= 0),
  tax numeric generated always as (price * 0.2) stored,
  size size default 'm',
  contact email,
  ship_to address,
  open hours,
  tags text[] default '{}',
  attributes extensions.hstore,
  path extensions.ltree,
  search tsvector generated always as (to_tsvector('english', name)) stored,
  created_at timestamptz default timezone('utc'::text, now()) not null,
  updated_at timestamptz
);
create index on shop.products using gin (search);
create index on shop.products using gin (name extensions.gin_trgm_ops);
create index if not exists products_lower on shop.products (lower(name)) where price is not null;
create trigger moved before update on shop.products for each row execute procedure extensions.moddatetime(updated_at);
create table shop.bookings (
  id int generated always as identity primary key,
  during tstzrange not null,
  room int,
  exclude using gist (room with =, during with &&)
);
create table public.events (id bigserial, at timestamptz not null default now(), kind text, primary key (id, at)) partition by range (at);
create table public.events_2025 partition of public.events for values from ('2025-01-01') to ('2026-01-01');
create table public.events_rest partition of public.events default;
create table public.parents (id serial primary key);
create table public.children (name text) inherits (public.parents);
create unlogged table public.cache (key text primary key, value jsonb);
alter table public.cache replica identity full;
create sequence public.numbers start 100;
create rule quiet as on delete to public.parents do instead nothing;
create statistics kinds (dependencies) on id, kind from public.events;
create collation if not exists public.german (provider = icu, locale = 'de-DE');
