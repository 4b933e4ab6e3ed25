/** Listing by time, version 1: what it lists, compared with the rule for it, and how many rows it looks at. */
import { beforeAll, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { storageBackend } from "./fixture.ts";

const LONG = "long-".repeat(30);
const FOLDERS = [
  "",
  "a/",
  "A/",
  "a/b/",
  "a/b/c/",
  "ab/",
  "a//",
  "ΑΣ/",
  "ας/",
  `${LONG}/`,
  `${LONG}/a/`,
  `${LONG}b/`,
];
const NAMES = ["", "x", "X", "xy", "b", "0", "_", "é", LONG, `${LONG}${LONG}1`, `${LONG}${LONG}2`];

/** Each object of the prefix before every look into an index: folders by name, then files by the column. */
const RULE = `
  with entries as (
    select o.*, position('/' in substring(o.name from length($1 || $2) + 1)) as slash from storage.objects o
    where o.bucket_id = 'box' and starts_with(lower(o.name), lower($1 || $2))
  ), folders as (
    select distinct substring(left(name, length($1 || $2) + slash - 1) from length($1) + 1) as name
    from entries where slash > 0
  )
  (select name, null::uuid as id from folders order by name collate "C" DIRECTION)
  union all
  (select substring(name from length($1) + 1), id from entries where slash = 0
   order by COLUMN DIRECTION, name collate "C" DIRECTION)
  limit $3 offset $4`;

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  await backend.sql(
    "insert into storage.buckets (id, name) values ('box', 'box'), ('other', 'other'), ('flat', 'flat')",
  );
  await backend.sql(
    `insert into storage.objects (bucket_id, name, version, created_at, updated_at)
     select bucket, folder || name, gen_random_uuid()::text,
       case when hashtext(folder || name) % 5 <> 0 then timestamptz '2026-01-01' + hashtext(name) % 3 * interval '1 hour' end,
       timestamptz '2026-01-01' + hashtext(folder || name) % 7 * interval '1 hour'
     from unnest(array['box', 'other']) bucket, unnest($1::text[]) folder, unnest($2::text[]) name
     where folder || name <> ''`,
    [FOLDERS, NAMES],
  );
});

const prefixes = [...FOLDERS, "A/B/", "a", "none/", LONG.toUpperCase(), `${LONG}/A/`];
const searches = ["", "x", "a", "B/", LONG.slice(0, -3)];
test.each(["created_at", "updated_at", "last_accessed_at"])(
  "by %s: the rule's list, in both directions and in pages",
  async (column) => {
    for (const direction of ["asc", "desc"]) {
      const rule = RULE.replaceAll("DIRECTION", direction).replace("COLUMN", column);
      for (const prefix of prefixes) {
        for (const search of searches) {
          for (const [limit, offset] of [
            [1000, 0],
            [3, 2],
          ]) {
            const found = await backend.sql(
              "select name, id from storage.search($1, 'box', $2, 1, $3, $4, $5, $6)",
              [prefix, limit, offset, search, column, direction],
            );
            const expected = await backend.sql(rule, [prefix, search, limit, offset]);
            expect(found, `${prefix} ${search} ${direction}`).toEqual(expected);
          }
        }
      }
    }
  },
);

test("the newest of a folder of 5,000 files are found without looking at the others", async () => {
  await backend.sql(
    `create sequence public.looks;
     create function public.look() returns boolean language plpgsql security definer as 'begin return nextval(''public.looks'') > 0; end';
     create policy flat on storage.objects for select to anon using (bucket_id = 'flat' and public.look());
     insert into storage.objects (bucket_id, name, version) select 'flat', 'flat/' || n, 'v' from generate_series(1, 5000) n`,
  );
  await backend.database.query("supabase_storage_admin", "analyze storage.objects");
  const response = await fetch(`${backend.url}/storage/v1/object/list/flat`, {
    method: "POST",
    headers: { authorization: `Bearer ${backend.anonKey}`, "content-type": "application/json" },
    body: JSON.stringify({ prefix: "flat", limit: 100, sortBy: { column: "created_at", order: "desc" } }),
  });
  expect(await response.json()).toHaveLength(100);
  const [looks] = await backend.sql<{ count: number }>("select last_value::int as count from public.looks");
  expect(looks?.count).toBeLessThan(200);
});

test("a name as long as the other indexes take fits", async () => {
  const name = Array.from({ length: 2500 }, (_, at) =>
    String.fromCharCode(97 + ((at * at * 7 + at * 31) % 26)),
  ).join("");
  const half = `${name.slice(0, 1250)}/${name.slice(1250)}`;
  await backend.sql("insert into storage.objects (bucket_id, name, version) values ('other', $1, 'v')", [
    half,
  ]);
  const listed = await backend.sql(
    "select name from storage.search($1, 'other', 10, 1, 0, '', 'created_at')",
    [`${name.slice(0, 1250)}/`],
  );
  expect(listed).toEqual([{ name: name.slice(1250) }]);
});
