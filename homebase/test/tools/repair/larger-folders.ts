/** Folders with several faults each, in several files, as they grow in years beside a dashboard. */
import type { BrokenFolder } from "./broken-folders.ts";

export const largerFolders: readonly BrokenFolder[] = [
  {
    name: "a shop",
    files: {
      "migrations/20240301000000_cart.sql": `create table if not exists cart_items (
  id uuid primary key default gen_random_uuid(),
  cart_id uuid references carts(id) on delete cascade,
  product_id uuid references products(id),
  quantity int not null default 1 check (quantity > 0));
alter table cart_items enable row level security;
create policy "own cart" on cart_items for all using (
  cart_id in (select id from carts where user_id = auth.uid()));
`,
      "migrations/20240302000000_stock.sql": `create or replace function decrement_stock() returns trigger as $$
begin
  update products set stock = stock - new.quantity where id = new.product_id and stock >= new.quantity;
  if not found then raise exception 'out of stock'; end if;
  return new;
end;
$$ language plpgsql;
create trigger take_stock after insert on cart_items for each row execute function decrement_stock();
`,
      "seed.sql": `insert into products (id, name, price, stock, tags) values
  ('33333333-3333-4333-8333-333333333333', 'Tea', 4.5, 10, array['hot', 'green']);
insert into carts (id) values ('44444444-4444-4444-8444-444444444444');
insert into cart_items (cart_id, product_id) values ('44444444-4444-4444-8444-444444444444', '33333333-3333-4333-8333-333333333333');
`,
    },
  },
  {
    name: "organisations and their members",
    files: {
      "migrations/20240301000000_members.sql": `create type public.member_role as enum ('owner', 'member');
create table public.memberships (
  organization_id uuid not null references public.organizations,
  user_id uuid not null references auth.users,
  role public.member_role not null,
  primary key (organization_id, user_id));
create function public.is_member(org uuid) returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select 1 from public.memberships m where m.organization_id = org and m.user_id = (select auth.uid()))
$$;
`,
      "migrations/20240302000000_policies.sql": `create policy "members see" on public.organizations for select to authenticated using (public.is_member(id));
create policy "members see projects" on public.projects for select to authenticated using (public.is_member(organization_id));
create policy "owners change" on public.projects for update to authenticated
  using (public.role_in(organization_id) = 'owner') with check (archived_at is null and public.role_in(organization_id) = 'owner');
`,
    },
  },
  {
    name: "versions of one day, used in another order",
    files: {
      "migrations/20240301_comments.sql":
        "create table public.comments (id bigint primary key, task_id bigint references public.tasks (id));\n",
      "migrations/20240301_tasks.sql":
        "create table public.tasks (id bigint primary key, board_id bigint references public.boards (id), due date);\n",
      "migrations/20240301_boards.sql":
        "create table public.boards (id bigint primary key, owner uuid references auth.users);\n",
      "migrations/20240302_indexes.sql":
        "create index on public.tasks (board_id, due);\ncreate index on public.comments (task_id);\n",
    },
  },
  {
    name: "a queue of jobs with an enum and a function",
    files: {
      "migrations/20240301000000_jobs.sql": `alter table public.jobs add column attempts int not null default 0;
create index jobs_waiting on public.jobs (run_at) where state in ('queued', 'retry') and attempts < 5;
create or replace function public.take_job() returns public.jobs language sql as $$
  update public.jobs set state = 'running', attempts = attempts + 1, started_at = now()
  where id = (select id from public.jobs where state = 'queued' order by priority desc, run_at for update skip locked limit 1)
  returning *;
$$;
`,
      "seed.sql":
        "insert into public.jobs (kind, payload, priority) values ('mail', '{\"to\": \"ana@example.com\"}', 5);\n",
    },
  },
  {
    name: "statistics by window functions over missing tables",
    files: {
      "migrations/01_stats.sql": `create view public.ranking as
  select u.id, u.nickname, sum(g.points) as points, rank() over (order by sum(g.points) desc) as place,
    max(g.played_at)::date as last_day, bool_or(g.won) as ever_won, array_agg(distinct g.mode) as modes
  from public.players u join public.games g on g.player_id = u.id
  where g.played_at > now() - interval '30 days' and not u.banned
  group by u.id, u.nickname;
create view public.daily as
  select date_trunc('day', played_at) as day, count(*) filter (where won) as wins, avg(extract(epoch from finished_at - played_at)) as seconds
  from public.games group by 1;
`,
    },
  },
  {
    name: "names in capitals",
    files: {
      "migrations/01_capitals.sql": `alter table "public"."User" enable row level security;
create policy "own" on "public"."User" using ("authId" = auth.uid());
create table "public"."Order" ("id" text primary key, "userId" text not null references "public"."User"("id"), "status" "public"."OrderStatus" default 'NEW');
create index "Order_userId_idx" on "public"."Order"("userId");
create view "public"."Recent" as select "User"."email", "o"."status" from "public"."Order" "o" join "public"."User" on "User"."id" = "o"."userId" where "User"."createdAt" > now() - interval '7 days';
`,
    },
  },
  {
    name: "storage, with a table that says who may",
    files: {
      "migrations/20240301000000_storage.sql": `insert into storage.buckets (id, name) values ('avatars', 'avatars') on conflict do nothing;
create policy "owners upload" on storage.objects for insert to authenticated with check (
  bucket_id = 'avatars' and exists (
    select 1 from public.teams t where t.id::text = (storage.foldername(name))[1] and t.owner_id = auth.uid()));
create policy "admins read" on storage.objects for select using (bucket_id = 'avatars' and public.current_role_is('admin'));
`,
    },
  },
  {
    name: "a lookup table that a generated column and a default need",
    files: {
      "migrations/01_settings.sql": `insert into public.app_settings (key, value) values ('currency', 'EUR') on conflict (key) do update set value = excluded.value;
create function public.setting(name text) returns text language sql stable as $$ select value from public.app_settings where key = name $$;
create table public.invoices (id uuid primary key default gen_random_uuid(), number text default public.next_invoice_number(),
  currency text not null default public.setting('currency'), net numeric, tax numeric, gross numeric generated always as (net + tax) stored);
`,
      "seed.sql": "insert into public.invoices (net, tax, number) values (10, 2, 'A1');\n",
    },
  },
  {
    name: "a merge of two branches",
    files: {
      "migrations/20240301000000_a.sql": "create table public.teams (id bigint primary key);\n",
      "migrations/20240302000000_left.sql":
        "alter table public.teams add column plan_id bigint references public.plans (id);\n",
      "migrations/20240302000000_right.sql":
        "create function public.plan_of(team bigint) returns text language sql as $$ select p.name from public.plans p join public.teams t on t.plan_id = p.id where t.id = team $$;\n",
      "migrations/20240303000000_plans.sql":
        "create table public.plans (id bigint primary key, name text, seats int);\nalter table public.plans add column tier public.tier not null default 'basic';\n",
    },
  },
  {
    name: "time ranges and arrays",
    files: {
      "migrations/01_bookings.sql": `create extension if not exists btree_gist with schema extensions;
alter table public.bookings add constraint no_overlap exclude using gist (room_id with =, tstzrange(starts_at, ends_at) with &&);
create index on public.rooms using gin (features);
create function public.free_rooms(want text[]) returns setof public.rooms language sql as $$
  select * from public.rooms r where r.features @> want and r.capacity >= 2
  and not exists (select 1 from public.bookings b where b.room_id = r.id and b.ends_at > now());
$$;
`,
    },
  },
  {
    name: "grants by column and a publication",
    files: {
      "migrations/01_grants.sql": `revoke update on public.members from authenticated;
grant update (display_name, bio) on public.members to authenticated;
grant select (id, display_name) on table public.members to anon;
alter publication supabase_realtime add table public.members;
alter table public.members replica identity full;
comment on column public.members.bio is 'Shown to all';
`,
    },
  },
  {
    name: "data that moves from an old table to a new one",
    files: {
      "migrations/01_new.sql": `create table public.contacts (id uuid primary key default gen_random_uuid(), email text unique, full_name text, created timestamptz, vip boolean);
insert into public.contacts (email, full_name, created, vip)
  select lower(email), first_name || ' ' || last_name, created_at, is_vip from public.old_contacts where email is not null;
drop table public.old_contacts;
`,
    },
  },
  {
    name: "a function of the dashboard that is replaced with other arguments",
    files: {
      "migrations/01_drop.sql": `drop function public.search(text);
create function public.search(query text, most int default 10) returns setof text language sql as $$ select query limit most $$;
drop view public.old_view;
drop trigger old_trigger on public.articles;
`,
    },
    names: /old_trigger/,
  },
  {
    name: "rows that only the dashboard has",
    files: {
      "migrations/01_a.sql":
        "create table public.kinds (id int primary key);\ncreate table public.things (kind int references public.kinds);\n",
      "seed.sql": "insert into public.things values (1);\n",
    },
    names: /violates foreign key constraint/,
  },
];
