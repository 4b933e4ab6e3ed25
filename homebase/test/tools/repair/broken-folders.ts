/** Owns folders that do not start, each with one kind of fault, and what `homebase doctor --write` makes of each. */

export interface BrokenFolder {
  /** The fault, in a few words. */
  name: string;
  /** Below `supabase/`. */
  files: Record<string, string>;
  /** What the report names when the folder does not start after the repair; absent where it starts. */
  names?: RegExp;
}

const TODOS = "create table public.todos (id bigint generated always as identity primary key, title text);\n";

export const brokenFolders: readonly BrokenFolder[] = [
  {
    name: "a table of the dashboard, with policies",
    files: {
      "migrations/20240101000000_policies.sql": `alter table public.profiles enable row level security;
create policy "own" on public.profiles for all to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id and is_locked is not true);
`,
    },
  },
  {
    name: "a table of the dashboard that others refer to",
    files: {
      "migrations/20240101000000_posts.sql": `create table public.posts (
  id bigint primary key, author uuid not null references public.profiles, tag bigint references tags (number));
`,
    },
  },
  {
    name: "columns that only statements name",
    files: {
      "migrations/01_columns.sql": `alter table orders add column note text;
create index orders_by_day on orders (placed_at, status);
update orders set total = 0, paid = false where total < 0;
create view open_orders as select o.id, o.customer_id, c.email from orders o join customers c on c.id = o.customer_id;
`,
    },
  },
  {
    name: "a seed for a table that is missing",
    files: {
      "migrations/01_todos.sql": TODOS,
      "seed.sql": `insert into public.todos (title) values ('a');
insert into public.settings (key, value, level, enabled, changed_at)
values ('theme', '{"dark": true}'::jsonb, 3, true, now()), ('size', '{}', 4.5, false, null)
on conflict (key) do nothing;
`,
    },
  },
  {
    name: "two versions twice",
    files: {
      "migrations/20240101000000_a.sql": "create table public.a (id int primary key);\n",
      "migrations/20240101000000_b.sql": "create table public.b (id int primary key references public.a);\n",
      "migrations/20240101000000_c.sql": "create table public.c (id int primary key references public.b);\n",
      "migrations/20240101000001_d.sql": "alter table public.c add column name text;\n",
      "migrations/20240101000001_e.sql": "update public.c set name = 'x';\n",
    },
  },
  {
    name: "files in the wrong order",
    files: {
      "migrations/20240101000000_comments.sql":
        "create table public.comments (id int primary key, post_id int references public.posts);\n",
      "migrations/20240102000000_other.sql": "create table public.other (id int);\n",
      "migrations/20240103000000_posts.sql":
        "create table public.posts (id int primary key, author uuid references public.people);\n",
      "migrations/20240104000000_people.sql": "create table public.people (id uuid primary key);\n",
    },
  },
  {
    name: "ten files without leading zeros",
    files: Object.fromEntries(
      Array.from({ length: 11 }, (_, at) => [
        `migrations/${at + 1}_step.sql`,
        at === 0
          ? "create table public.step_1 (id int primary key);\n"
          : `create table public.step_${at + 1} (id int primary key references public.step_${at});\n`,
      ]),
    ),
  },
  {
    name: "a view before its table",
    files: {
      "migrations/001_view.sql": "create view public.titles as select title from public.todos;\n",
      "migrations/002_todos.sql": TODOS,
    },
  },
  {
    name: "a function that needs a later table",
    files: {
      "migrations/001_function.sql": `create function public.newest() returns setof public.todos language sql stable
as $$ select * from public.todos order by id desc limit 1 $$;
`,
      "migrations/002_todos.sql": TODOS,
    },
  },
  {
    name: "an enum that is missing",
    files: {
      "migrations/01_enum.sql": `create table public.tasks (
  id int primary key, state public.task_state not null default 'open'::public.task_state);
create index on public.tasks (id) where state = 'done';
create policy "closed" on public.tasks using (state <> 'hidden');
`,
      "seed.sql": "insert into public.tasks values (1, 'late');\n",
    },
  },
  {
    name: "an enum that is missing and gets values",
    files: {
      "migrations/01_values.sql": "alter type public.user_role add value 'owner' after 'admin';\n",
      "migrations/02_members.sql":
        "create table public.members (id int primary key, role user_role not null default 'member');\n",
    },
  },
  {
    name: "a policy on a missing table with a missing function",
    files: {
      "migrations/01_policy.sql": `${TODOS}alter table public.todos enable row level security;
create policy "admins" on public.todos using (public.is_admin(auth.uid()) or public.has_role('editor'));
create policy "members" on public.teams for select using (public.is_admin(owner_id));
`,
    },
  },
  {
    name: "a trigger with a missing function",
    files: {
      "migrations/01_trigger.sql": `${TODOS}create trigger touch before update on public.todos
  for each row execute function public.set_updated_at();
`,
      "seed.sql": "insert into public.todos (title) values ('a');\nupdate public.todos set title = 'b';\n",
    },
  },
  {
    name: "a trigger on the users of Auth whose function writes to a missing table",
    files: {
      "migrations/01_users.sql": `create function public.handle_new_user() returns trigger language plpgsql security definer
as $$ begin insert into public.profiles (id, full_name) values (new.id, 'x'); return new; end $$;
create trigger on_auth_user_created after insert on auth.users
  for each row execute procedure public.handle_new_user();
alter table public.profiles alter column full_name set not null;
`,
    },
  },
  {
    name: "a default by a missing function",
    files: {
      "migrations/01_default.sql":
        "create table public.invites (id uuid primary key, code text not null default public.short_code(8), until int default public.week());\n",
    },
  },
  {
    name: "a schema that is missing",
    files: {
      "migrations/01_schema.sql":
        "create table private.secrets (id int);\ngrant select on private.keys to authenticated;\n",
    },
  },
  {
    name: "an extension that the dashboard turned on",
    files: {
      "migrations/01_vector.sql":
        "create table public.documents (id int primary key, embedding extensions.vector(3));\n",
    },
  },
  {
    name: "extensions of which functions, schemas, operator classes and access methods show",
    files: {
      "migrations/01_places.sql": `create table public.places (id int primary key, name text, during int4range, spot extensions.geography);
create index on public.places using gin (name extensions.gin_trgm_ops);
alter table public.places add constraint apart exclude using gist (id with =, during with &&);
select extensions.st_astext(spot), extensions.levenshtein(name, 'x') from public.places;
select extensions.earth_distance(extensions.ll_to_earth(1, 2), extensions.ll_to_earth(3, 4));
create server elsewhere foreign data wrapper postgres_fdw;
`,
      "migrations/02_work.sql":
        "select cron.schedule('x', '* * * * *', 'select 1');\nselect pgmq.create('jobs');\nselect net.http_get('http://127.0.0.1:9/');\n",
    },
  },
  {
    name: "types that comparisons and operators show",
    files: {
      "migrations/01_types.sql": `create policy "members" on public.rooms using (auth.uid() = any (members) and open);
create view public.named as select r.details ->> 'name' as name from public.rooms r where r.size > 4;
create function public.mine() returns setof public.rooms language sql stable
as $$ select * from public.rooms where keeper = auth.uid() $$;
`,
    },
  },
  {
    name: "a table of the dashboard that a file changes and copies into",
    files: {
      "migrations/01_change.sql": `alter table public.products rename column name to title;
alter table public.products drop column legacy;
alter table public.products alter column price type numeric(10, 2);
alter table public.products add constraint positive check (price > 0);
`,
      "seed.sql": "copy public.products (title, price) from stdin;\nTea\t3\n\\.\n",
    },
  },
  {
    name: "a missing sequence and a missing view",
    files: {
      "migrations/01_sequence.sql": `create table public.bills (number bigint default nextval('public.bill_numbers'));
comment on view public.summary is 'Of the dashboard';
`,
    },
  },
  {
    name: "everything at once",
    files: {
      "migrations/000_first.sql": "create table public.late (id int references public.soon);\n",
      "migrations/000_second.sql": "create table public.soon (id int primary key, kind public.kind);\n",
      "migrations/001_third.sql": "create policy p on public.absent using (owner = auth.uid());\n",
    },
  },
  {
    name: "a table that is renamed later",
    files: {
      "migrations/01_column.sql": "alter table public.people add column name text;\n",
      "migrations/02_rename.sql":
        "create table public.persons (id int);\nalter table public.persons rename to people;\n",
    },
  },
  {
    name: "a schema beside the migrations",
    files: {
      "migrations/002_link.sql":
        "alter table public.articles add column slug text references public.slugs (slug);\n",
      "schema.sql": "create table if not exists public.articles (id int primary key);\n",
    },
  },
  {
    name: "a dump of everything beside the migrations, which makes what they make",
    files: {
      "migrations/001_a.sql": "create table public.a (id int primary key);\n",
      "migrations/002_b.sql":
        "create table public.b (id int primary key);\nalter table public.other add column b int;\n",
      "schema.sql":
        "create table public.a (id int);\ncreate table public.b (id int);\ncreate table public.other (id int);\n",
    },
    names: /created by no migration: public\.other/,
  },
  {
    name: "a type that an earlier file renamed",
    files: {
      "migrations/01_mood.sql":
        "create type public.mood as enum ('a');\nalter type public.mood rename to feeling;\n",
      "migrations/02_use.sql": "create table public.days (mood public.mood);\n",
    },
    names: /1 object is used after a drop or a rename: public\.mood/,
  },
  {
    name: "a table that is created twice",
    files: {
      "migrations/01_a.sql": TODOS,
      "migrations/02_b.sql": "create table public.todos (id int);\n",
    },
    names: /1 object is created twice: todos/,
  },
  {
    name: "statements in the wrong order in one file",
    files: {
      "migrations/01_a.sql": `create view public.titles as select title from public.todos;\n${TODOS}`,
    },
  },
  {
    name: "two files that need each other",
    files: {
      "migrations/01_a.sql":
        "create table public.a (id int primary key);\nalter table public.b add column x int;\n",
      "migrations/02_b.sql": "create table public.b (id int primary key, a int references public.a);\n",
    },
    names: /02_b\.sql before 01_a\.sql/,
  },
  {
    name: "a role that is missing",
    files: { "migrations/01_role.sql": `${TODOS}grant select on public.todos to shop_reader;\n` },
  },
  {
    name: "a syntax error beside a missing table",
    files: {
      "migrations/01_missing.sql": "alter table public.missing add column a int;\n",
      "migrations/02_broken.sql": "create table public.broken (id int,);\n",
    },
    names: /02_broken\.sql:1: syntax error/,
  },
  {
    name: "a column of a table that a migration makes",
    files: { "migrations/01_a.sql": TODOS, "migrations/02_b.sql": "create index on public.todos (done);\n" },
  },
];
