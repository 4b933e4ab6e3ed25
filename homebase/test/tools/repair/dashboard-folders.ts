/** Folders of the shapes that projects begun in a dashboard have: tables, roles of users and functions that no file makes. */
import type { BrokenFolder } from "./broken-folders.ts";

export const dashboardFolders: readonly BrokenFolder[] = [
  {
    name: "slugs for tables of the dashboard",
    files: {
      "migrations/20250101000000_slugs.sql": `create extension if not exists unaccent;
create or replace function public.slugify(input text) returns text language sql immutable as $$
  select trim(both '-' from regexp_replace(lower(unaccent(coalesce(input, ''))), '[^a-z0-9]+', '-', 'g'));
$$;
ALTER TABLE public.ads ADD COLUMN IF NOT EXISTS slug TEXT;
UPDATE public.ads SET slug = slugify(heading) || '-' || substr(id::text, 1, 8) WHERE slug IS NULL;
ALTER TABLE public.ads ALTER COLUMN slug SET NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS ads_slug ON public.ads (slug);
CREATE OR REPLACE FUNCTION public.set_slug() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.slug IS NULL THEN NEW.slug := slugify(NEW.heading); END IF;
  RETURN NEW;
END; $$;
DROP TRIGGER IF EXISTS set_slug ON public.ads;
CREATE TRIGGER set_slug BEFORE INSERT ON public.ads FOR EACH ROW EXECUTE FUNCTION public.set_slug();
`,
    },
  },
  {
    name: "policies that ask for the role of a user",
    files: {
      "migrations/20250101000000_roles.sql": `alter table public.profiles add column if not exists kind text not null default 'real' check (kind in ('real', 'demo'));
drop policy if exists "Admins manage" on public.user_roles;
create policy "Admins insert" on public.user_roles for insert to authenticated with check (public.is_admin(auth.uid()));
alter table public.profiles force row level security;
alter table public.people force row level security;
create policy "By role" on public.people for select to authenticated using (
  exists (select 1 from public.user_roles r where r.user_id = (select auth.uid()) and r.role = 'admin'::public.app_role));
`,
      "migrations/20250102000000_function.sql": `create or replace function public.has_role(_user uuid, _role public.app_role) returns boolean
language sql stable security definer set search_path = public as $$
  select exists (select 1 from public.user_roles where user_id = _user and role = _role)
$$;
`,
    },
  },
  {
    name: "an enum of the dashboard in a table of the dashboard",
    files: {
      "migrations/20250101000000_status.sql": `alter type public.order_status add value if not exists 'refunded';
`,
      "migrations/20250102000000_orders.sql": `create index orders_open on public.orders (created_at desc) where status <> 'refunded'::public.order_status;
create view public.open_orders with (security_invoker = true) as
  select o.id, o.status, count(i.id) as items, sum(i.price * i.quantity) as total
  from public.orders o left join public.order_items i on i.order_id = o.id
  where o.status in ('pending', 'paid') group by o.id;
`,
    },
  },
  {
    name: "a counter in a trigger on a table of the dashboard",
    files: {
      "migrations/20250101000000_likes.sql": `create table public.likes (
  user_id uuid not null references public.profiles (id) on delete cascade,
  post_id uuid not null references public.posts (id) on delete cascade,
  primary key (user_id, post_id));
create function public.count_likes() returns trigger language plpgsql as $$
begin
  update public.posts set likes_count = likes_count + 1 where id = new.post_id;
  return new;
end $$;
create trigger count_likes after insert on public.likes for each row execute function public.count_likes();
`,
      "seed.sql": `insert into public.profiles (id, username) values ('11111111-1111-4111-8111-111111111111', 'ana');
insert into public.posts (id, author_id, body) values ('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', 'x');
insert into public.likes values ('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222');
`,
    },
  },
  {
    name: "numbers as keys",
    files: {
      "migrations/20250101000000_lessons.sql": `create table lessons (id serial primary key, course_id integer not null references courses (id), position int);
create policy "read" on courses for select using (published = true or owner_id = auth.uid());
`,
      "seed.sql": `insert into courses (id, title, price, published) values (1, 'SQL', 9.99, true), (2, 'It''s', 0, false);
select setval('courses_id_seq', 3);
insert into lessons (course_id, position) values (1, 1);
`,
    },
  },
  {
    name: "a block that changes a table of the dashboard",
    files: {
      "migrations/20250101000000_block.sql": `do $$ begin
  alter table public.events add column starts_at timestamptz;
  create policy "public events" on public.events for select using (visibility = 'public');
exception when duplicate_column then null;
end $$;
update public.events set starts_at = day + interval '1 hour' where starts_at is null;
`,
    },
  },
  {
    name: "a view and a function that join tables of the dashboard",
    files: {
      "migrations/20250101000000_feed.sql": `create or replace view public.feed as
  select p.id, p.body, p.created_at, a.display_name, coalesce(c.total, 0) as comments
  from public.posts p join public.accounts a on a.id = p.account_id
  left join (select post_id, count(*) as total from public.comments group by post_id) c on c.post_id = p.id
  where p.deleted_at is null and a.score >= 10 order by p.created_at desc;
create or replace function public.search_posts(query text) returns setof public.posts language sql stable as $$
  select * from public.posts where to_tsvector('english', title || ' ' || body) @@ plainto_tsquery(query);
$$;
grant execute on function public.search_posts(text) to anon;
`,
    },
  },
  {
    name: "messages of rooms, by membership",
    files: {
      "migrations/20250101000000_chat.sql": `create table public.messages (id bigint generated always as identity primary key,
  room_id bigint references public.rooms on delete cascade, sender uuid references auth.users, body text);
alter table public.messages enable row level security;
create policy "members read" on public.messages for select using (
  exists (select 1 from public.room_members m where m.room_id = messages.room_id and m.user_id = auth.uid()));
create policy "members write" on public.messages for insert with check (public.is_member(room_id, auth.uid()));
alter publication supabase_realtime add table public.messages, public.rooms;
`,
    },
  },
  {
    name: "upserts in a seed for tables of the dashboard",
    files: {
      "migrations/20250101000000_a.sql": "create table public.a (id int primary key);\n",
      "seed.sql": `insert into public.plans (slug, name, price_cents, features) values
  ('free', 'Free', 0, '["one"]'), ('pro', 'Pro', 900, '["one", "two"]')
on conflict (slug) do update set name = excluded.name, price_cents = excluded.price_cents;
insert into public.subscriptions (plan, seats) select slug, 1 from public.plans where price_cents > 0;
delete from public.coupons where expires_at < now();
`,
    },
  },
  {
    name: "columns and a check for a table of the dashboard, in the wrong order with a duplicate",
    files: {
      "migrations/20250101_rating.sql":
        "alter table public.reviews add constraint stars_range check (stars between 1 and 5);\ncreate index on public.reviews (shop_id, stars);\n",
      "migrations/20250101_shops.sql":
        "create table public.shops (id uuid primary key default gen_random_uuid(), city public.city);\n",
      "migrations/20250100_first.sql":
        "alter table public.reviews add constraint of_shop foreign key (shop_id) references public.shops (id);\n",
    },
  },
  {
    name: "a procedure and functions of the dashboard",
    files: {
      "migrations/20250101000000_calls.sql": `select public.refresh_stats('daily', 7);
create extension if not exists pg_cron;
select cron.schedule('nightly', '0 3 * * *', 'select public.cleanup()');
alter function public.cleanup() set search_path = '';
revoke execute on function public.transfer(uuid, uuid, numeric) from anon;
comment on function public.cleanup() is 'Nightly';
`,
    },
  },
  {
    name: "a materialized view and a domain of the dashboard",
    files: {
      "migrations/20250101000000_refresh.sql": `create table public.contacts (id int primary key, email public.email_address not null);
refresh materialized view public.daily_totals;
create unique index on public.daily_totals (day);
`,
    },
  },
  {
    name: "a policy of the dashboard that is changed",
    files: {
      "migrations/20250101000000_notes.sql": "create table public.notes (id int primary key, owner uuid);\n",
      "migrations/20250102000000_alter.sql":
        'alter policy "own notes" on public.notes using (owner = auth.uid());\n',
    },
  },
  {
    name: "a policy of the dashboard that the file changes which makes its table",
    files: {
      "migrations/20250101000000_alter.sql": `create table public.notes (id int primary key, owner uuid);
alter policy "own notes" on public.notes using (owner = auth.uid());
`,
    },
    names: /own notes/,
  },
  {
    name: "a column of the dashboard in a table of the files",
    files: {
      "migrations/20250101000000_a.sql": "create table public.notes (id int primary key);\n",
      "migrations/20250102000000_b.sql": "create policy p on public.notes using (owner_id = auth.uid());\n",
    },
  },
  {
    name: "columns, policies and constraints of the dashboard, used by several files, the seed and bodies of functions",
    files: {
      "migrations/20250101000000_tables.sql": `create table public.shops (id bigint primary key, name text);
create table public.visits (id bigint primary key, shop_id bigint references public.shops);
`,
      "migrations/20250102000000_policies.sql": `drop policy "Everyone reads" on public.shops;
alter table public.shops drop constraint shops_kind_check;
create policy "owners" on public.shops using (owner_id = (select auth.uid()) and open and details ->> 'state' = 'live');
alter table public.visits add constraint visits_of_member foreign key (member) references public.shops (id);
alter policy "guests" on storage.objects using (bucket_id = 'photos');
`,
      "migrations/20250103000000_functions.sql": `create function public.close_shop(shop bigint) returns void language plpgsql as $$
begin
  update public.shops set closed_reason = 'x', rank = rank + 1 where id = shop;
  insert into public.audit (what, happened_at) values ('closed', now());
end $$;
alter policy "guests" on public.visits using (note is not null);
`,
      "seed.sql": `insert into public.shops (id, name, since) values (1, 'Tea', '2024-05-01'), (2, 'Cake', null);
insert into public.visits (id, shop_id, stars) values (1, 1, 4) on conflict (shop_id, guest_id) do nothing;
`,
    },
  },
  {
    name: "a table that a file makes only if it is not there, and that has more columns",
    files: {
      "migrations/20250101000000_profiles.sql": `create table if not exists public.profiles (id uuid primary key references auth.users, email text);
alter table public.profiles enable row level security;
create policy "own" on public.profiles using (user_id = auth.uid());
create index profiles_role on public.profiles (role) where not banned;
`,
    },
  },
  {
    name: "statements of two files in the wrong order, with a type of the dashboard",
    files: {
      "migrations/20250101000000_a.sql": `-- All that a blog needs

-- what people see
create view public.front as select title, mood from public.posts;

-- what they write
create table public.posts (id bigint primary key, title text, mood public.mood);
create policy "all" on public.posts using (public.allowed());
create function public.allowed() returns boolean language sql as $$ select true $$; -- everybody
`,
      "migrations/20250102000000_b.sql":
        "create index on public.tags (name);create index on public.tags (id);\ncreate table public.tags (id int, name text)",
    },
  },
  {
    name: "roles of the dashboard that policies and grants name",
    files: {
      "migrations/20250101000000_roles.sql": `create table public.stock (id bigint primary key);
create policy "clerks" on public.stock to clerk using (true);
grant select on public.stock to "Read Only", clerk;
grant clerk to authenticator;
`,
    },
  },
  {
    name: "policies that a block makes of texts for tables of the dashboard",
    files: {
      "migrations/20250101000000_policies.sql": `begin;
alter table tasks add constraint in_order check (starts_on <= due_on);
alter table boards add column colour text;
do $$
declare t record;
begin
  for t in select tablename from pg_tables where schemaname = 'public' and tablename in ('tasks', 'boards') loop
    execute format('create policy %I on public.%I using (tenant_id = (select auth.uid()) and %I)', t.tablename || '_own', t.tablename, 'visible');
  end loop;
end $$;
commit;
`,
    },
  },
  {
    name: "what triggers, exclusions and comparisons in words show of a table of the dashboard",
    files: {
      "migrations/20250101000000_rooms.sql": `create extension if not exists btree_gist;
create function public.sync() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger sync after insert on public.bookings for each row when (new.kind <> 'waiting') execute function public.sync();
alter table public.bookings add constraint apart exclude using gist (room with =, during with &&);
create policy "low" on public.bookings using (level is distinct from 'high' and position not in ('front', 'back'));
select count(*) from spatial_ref_sys;
comment on constraint grown on public.bookings is 'x';
`,
    },
  },
];
