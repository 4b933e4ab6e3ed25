/** What `homebase doctor --migrations` says of columns, policies and roles that a dashboard made, and of the order in a file. */
import { afterEach, expect, test } from "vitest";
import type { FileProblem } from "../../src/postgres/files/errors.ts";
import { Project } from "./project.ts";

let one: Project | undefined;
afterEach(async () => {
  await one?.remove();
}, 180_000);

async function examined(files: Record<string, string>) {
  one = new Project(files);
  const { code, stdout } = await one.run("doctor", "--migrations", "--json");
  const report = JSON.parse(stdout) as { failing: FileProblem[]; summary: string[]; warnings: string[] };
  const short = report.failing.map(({ file, fault, object }) => [
    file.replace(/^.*\//, ""),
    fault,
    ...(object
      ? [`${object.kind} ${object.table === undefined ? "" : `${object.table}.`}${object.name}`]
      : []),
  ]);
  return { code, ...report, short };
}

const TABLES = `create table public.todos (id bigint primary key, title text);
create table public.lists (id bigint primary key, name text);
`;

test("columns that policies, views and SQL functions use are told with their table", async () => {
  const { short, summary, failing } = await examined({
    "migrations/01_tables.sql": TABLES,
    "migrations/02_policy.sql": "create policy own on public.todos using (user_id = auth.uid());\n",
    "migrations/03_view.sql":
      "create view public.done as select t.id, l.name from public.todos t join public.lists as l on l.id = t.list_id;\n",
    "migrations/04_function.sql":
      "create function public.open() returns bigint language sql as $$ select count(*) from public.todos where finished $$;\n",
    "migrations/05_index.sql": "create unique index on public.lists (slug);\n",
    "migrations/06_two.sql":
      "create view public.both as select priority from public.todos join public.lists using (id);\n",
    "migrations/07_upsert.sql":
      "insert into public.lists (id) values (1) on conflict (id) do update set name = excluded.colour;\n",
    "migrations/08_block.sql": "do $$ begin update public.todos set title = note; end $$;\n",
  });
  expect(short).toEqual([
    ["02_policy.sql", "created-nowhere", "column todos.user_id"],
    ["03_view.sql", "created-nowhere", "column todos.list_id"],
    ["04_function.sql", "created-nowhere", "column todos.finished"],
    ["05_index.sql", "created-nowhere", "column lists.slug"],
    ["06_two.sql", "created-nowhere", "column priority"],
    ["07_upsert.sql", "created-nowhere", "column lists.colour"],
    ["08_block.sql", "created-nowhere", "column todos.note"],
  ]);
  expect(failing[4]?.advice).toMatch(/^The column `priority` of `todos` or `lists` is used in/);
  expect(summary).toEqual([
    "7 objects are missing: column todos.user_id, column todos.list_id, column todos.finished, column lists.slug, column priority, column lists.colour, column todos.note (made in a dashboard or by another tool: homebase db dump --db-url URL has them)",
  ]);
}, 180_000);

test("a column that a trigger's statement lacks is told with its own table, as is one of a foreign key", async () => {
  const { short } = await examined({
    "migrations/01_tables.sql": `${TABLES}create function public.count_one() returns trigger language plpgsql as $$
begin update public.lists set total = 1; return new; end $$;
create trigger counts after insert on public.todos for each row execute function public.count_one();
`,
    "migrations/02_rows.sql": "insert into public.todos values (1, 'a');\n",
    "migrations/03_key.sql":
      "alter table public.todos add constraint list foreign key (list) references public.lists (id);\n",
    "migrations/04_other.sql":
      "alter table public.todos add constraint slug foreign key (title) references public.lists (slug);\n",
  });
  expect(short).toEqual([
    ["02_rows.sql", "created-nowhere", "column lists.total"],
    ["03_key.sql", "created-nowhere", "column todos.list"],
    ["04_other.sql", "created-nowhere", "column lists.slug"],
  ]);
}, 180_000);

test("a slip of the pen, a text in double quotes and a name of the query itself are no column of a dashboard", async () => {
  const { short, failing } = await examined({
    "migrations/01_tables.sql": TABLES,
    "migrations/02_slip.sql": "create policy slip on public.todos using (titel is null);\n",
    "migrations/03_alias.sql":
      "create view public.long as select length(title) as size from public.todos where size > 3;\n",
    "migrations/04_text.sql": 'update public.lists set name = "shopping";\n',
    "migrations/05_with.sql":
      "create view public.w as with t as (select id from public.todos) select t.other from t;\n",
    "migrations/06_platform.sql": "create view public.u as select nickname from auth.users;\n",
    "migrations/065_self.sql":
      "create recursive view public.up (id) as select 1 union all select id from public.up;\n",
    "migrations/07_later.sql": "create view public.v as select colour from public.lists;\n",
    "migrations/08_colour.sql": "alter table public.lists add column colour text;\n",
  });
  expect(short).toEqual([
    ["02_slip.sql", undefined],
    ["03_alias.sql", undefined],
    ["04_text.sql", "created-nowhere", "column lists.shopping"],
    ["05_with.sql", undefined],
    ["06_platform.sql", undefined],
    ["065_self.sql", undefined],
    ["07_later.sql", "wrong-order", "column lists.colour"],
  ]);
  expect(failing[2]?.advice).toContain("Text stands in single quotes");
}, 180_000);

test("what only bodies of functions use is told, and a start does not fail by it", async () => {
  const { code, failing, warnings } = await examined({
    "migrations/01_tables.sql": TABLES,
    "migrations/02_functions.sql": `create function public.finish(todo bigint) returns void language plpgsql as $$
begin
  update public.todos set finished_at = now() where id = todo;
  insert into public.lists (id, name, colour) values (1, 'a', 'red');
  insert into public.audit_log (what) values ('x');
  perform public.notify_staff(1);
end $$;

create function public.first_one() returns bigint language plpgsql as $$
declare r public.todos; begin select * into r from public.todos limit 1; return r.priority; end $$;
create function public.touch() returns trigger language plpgsql as $$
begin new.updated_at := now(); new.later := 1; return new; end $$;
create trigger touch before update on public.todos for each row execute function public.touch();
create function public.slip() returns text language plpgsql as $$
begin return (select titel from public.todos limit 1); end $$;
create function public.staff() returns boolean language plpgsql as $$
begin set local role clerk; return pg_has_role(current_user, 'manager', 'member'); end $$;
`,
    "migrations/03_later.sql": "alter table public.todos add column later int;\n",
  });
  expect([code, failing]).toEqual([0, []]);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^8 objects are missing that only functions use: column todos\.finished_at \(public\.finish, supabase.migrations.02_functions\.sql:1\), column lists\.colour \(.*\), public\.audit_log \(.*\), function public\.notify_staff \(.*\), column todos\.priority \(public\.first_one, .*:9\), column todos\.updated_at \(public\.touch, .*\), role clerk \(public\.staff, .*:16\), role manager \(.*\)\. A start does not fail by them, a call does\. .*homebase db dump --db-url URL/,
    ),
  ]);
}, 180_000);

test("functions whose objects a file makes, even one that fails, are not told", async () => {
  const { short, warnings } = await examined({
    "migrations/01_tables.sql": TABLES,
    "migrations/02_fails.sql": "alter table public.todos add column done boolean;\nselect nothing_here;\n",
    "migrations/03_function.sql": `create function public.finish() returns void language plpgsql as $$
begin update public.todos set done = true; perform public.st_nothing(); end $$;
create function public.st_nothing() returns void language sql as '';
create table public.members (id bigint, role text);
create function public.give() returns void language plpgsql as $$
begin
  -- Later: set role nobody_yet
  update public.members set role = 'host';
  insert into public.members values (1, 'x') on conflict do nothing;
  set local role authenticated;
end $$;
`,
  });
  expect(short).toEqual([["02_fails.sql", undefined]]);
  expect(warnings).toEqual([]);
}, 180_000);

test("a policy that no file makes is missing, also where an earlier file that fails drops it", async () => {
  const { summary } = await examined({
    "migrations/01_tables.sql": TABLES,
    "migrations/02_alter.sql":
      'alter policy "Read" on public.todos using (true);\ndrop policy "Write" on public.lists;\n',
    "migrations/03_drop.sql": 'drop policy "Write" on public.lists;\n',
    "migrations/04_comment.sql": "comment on policy \"Nice\" on public.lists is 'x';\n",
    "migrations/05_role.sql": "create policy staff on public.lists to staff using (true);\n",
  });
  expect(summary).toEqual([
    '3 objects are missing: policy "Read" on todos, policy "Write" on lists, policy "Nice" on lists (made in a dashboard or by another tool: homebase db dump --db-url URL has them)',
    "1 object is missing: role staff (create role in supabase/roles.sql)",
  ]);
}, 180_000);

test("all moves that a file needs are told at once, and files after it are tried", async () => {
  const { failing, summary } = await examined({
    "migrations/01_order.sql": `-- tables
create table public.a (id int primary key, b int references public.b, kind public.kind);

create policy own on public.a using (public.is_admin() and archived);
create view public.seen as select id from public.a;
-- kinds
create type public.kind as enum ('x');
create table public.b (
  id int primary key, tag public.tag
);
alter table public.a add column archived boolean;
create function public.is_admin() returns boolean language sql as $$ select true $$;
create type public.tag as enum ('y');
`,
    "migrations/02_after.sql": "alter table public.b add column name text;\n",
    "migrations/03_circle.sql": `create view public.one as select * from public.two;
create view public.two as select * from public.one;
`,
    "migrations/04_both.sql": `create view public.names as select name from public.people;
create table public.people (name text);
alter table public.people add column mood public.mood;
`,
  });
  const moves = failing.map(({ file, line, moves, object }) => [
    file.replace(/^.*\//, ""),
    line,
    moves,
    object?.name,
  ]);
  expect(moves).toEqual([
    [
      "01_order.sql",
      2,
      [
        { line: 7, above: 2 },
        { line: 8, above: 2 },
        { line: 13, above: 8 },
        { line: 12, above: 4 },
        { line: 11, above: 4 },
      ],
      "public.kind",
    ],
    ["03_circle.sql", 1, undefined, "public.two"],
    ["04_both.sql", 1, [{ line: 2, above: 1 }], "public.people"],
    ["04_both.sql", 3, undefined, "public.mood"],
  ]);
  expect(summary).toEqual([
    "1 object is missing: type public.mood (made in a dashboard or by another tool: homebase db dump --db-url URL has them)",
    "In 01_order.sql move line 7 above line 2, line 8 above line 2, line 13 above line 8, line 12 above line 4, line 11 above line 4",
    "In 04_both.sql move line 2 above line 1",
    "Statements are in the wrong order in 03_circle.sql",
  ]);
}, 180_000);
