/** Definitions that Postgres prints otherwise once they were read: a dump is whole, and copy and original are equal. */
import { expect, test } from "vitest";
import { bothDiffs, completeDiff, schemaDiff } from "../../src/diff/schema-diff.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { bareDatabases } from "./bare-databases.ts";

await useOwnCluster();
const databaseWith = bareDatabases();

const TABLES = `create table posts (id int primary key, status varchar(20) not null check (status in ('draft', 'it''s, [live]')),
    kind char(3) check (kind in ('abc', 'def')), tags varchar(9)[] default array['a', 'b'], flags text[] default array['x'::varchar, lower('Y')::varchar]);
  create table pages (id int primary key, title text, at timestamptz default now())`;

const EACH: Record<string, string> = {
  "a check": "select 1",
  "a domain": "create domain grade as varchar(2) check (value not in ('a', 'b'))",
  policies: `create policy live on posts for select using (status in ('live', 'draft') and kind not in ('abc', 'xyz'));
    create policy any_page on pages using (exists (select 'x' union select 'y') and 'a' in (select 'a'))`,
  "an index":
    "create index posts_live on posts (id, (status in ('live', 'draft'))) where status in ('live', 'draft')",
  "a trigger": `create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger touched before update on posts for each row
      when (old.status in ('live', 'draft') and new.kind not in ('abc', 'def')) execute function touch()`,
  views: `create view live_posts as select id, case when status in ('live', 'draft') then 'a' else 'b' end as mark
      from posts where status in ('live', 'draft') or status like any (array['a%', 'b%']);
    create view walk as with recursive steps as (select id, 1 as depth, 'start' as label from pages
      union all select p.id, s.depth + 1, 'next' from pages p join steps s on s.id = p.id - 1) select * from steps;
    create view labels (name, n) as values ('a', 1), ('b', null);
    create view mixed as select kind, id, at from (select 'post' as kind, id, null as at, 0 as z, true as b from posts
      union all select 'page', id, at, 1, false from pages union all select 'none', 0, null, 2, null) u order by id`,
  "a materialized view": `create materialized view counted as with c as (select 'posts' as what, count(*) as n from posts
      union all select 'pages', count(*) from pages) select * from c`,
  "a function that Postgres reads": `create function counts() returns table (what text, n bigint) language sql begin atomic
      with c as (select 'posts' as what, count(*) as n from posts union all select 'pages', count(*) from pages)
      select * from c; end`,
  "a rule": `create view all_pages as select * from pages;
    create rule instead as on update to all_pages do instead
      insert into pages (id, title) select * from (select 1 as a, 'x' as b union select 2, 'y') q`,
};

test.each(Object.entries(EACH))("%s is restored, and then there is no difference", async (_, sql) => {
  const source = await databaseWith(`${TABLES}; ${sql}`);
  const dump = await completeDiff(await databaseWith(), source);
  expect(dump.missing).toBe("");
  const copy = await databaseWith(dump.sql);
  expect(await bothDiffs(copy, source)).toMatchObject({ there: { sql: "" }, back: { sql: "" } });
});

test("another value, another name and what people wrote themselves stay differences", async () => {
  const body = (text: string) =>
    `create function f() returns text language plpgsql as $$ begin return (select ${text}); end $$`;
  const pairs: [string, string][] = [
    [TABLES, TABLES.replace("'draft', ", "'drafts', ")],
    [
      `${TABLES}; create view v as select 'a'::text as text`,
      `${TABLES}; create view v as select 'a'::text as name`,
    ],
    [body("'a'::text as text"), body("'a'::text")],
    [body("(array['a'::varchar])::text[]"), body("array[('a'::varchar)::text]")],
  ];
  for (const [before, after] of pairs) {
    const diff = await schemaDiff(await databaseWith(before), await databaseWith(after));
    expect([after, diff.sql]).not.toEqual([after, ""]);
  }
});
