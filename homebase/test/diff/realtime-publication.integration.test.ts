/** What `homebase db diff` makes of the tables that only migrations give to Realtime's publication. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { diffProject } from "../../src/diff/project-diff.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { schemaDifferences } from "../../src/testing/schema-drift.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();
let backend: TestBackend | undefined;
let folder = "";
afterEach(async () => {
  await backend?.drop();
  rmSync(folder, { recursive: true });
});

const TABLES = `create table public.notes (id bigint primary key, title text, secret text);
create table public.marks (id bigint primary key);
create table public.old (id bigint primary key);
`;
const PUBLISHED = `alter publication supabase_realtime add table public.old;
alter publication supabase_realtime add table public.notes (id, title) where (title <> 'x');
`;

async function project(schemas: Record<string, string>, migration: string): Promise<TestBackend> {
  folder = mkdtempSync(join(tmpdir(), "homebase-diff-"));
  for (const [path, text] of Object.entries({
    "config.toml": 'project_id = "published"\n',
    "migrations/1_tables.sql": migration,
    ...Object.fromEntries(Object.entries(schemas).map(([name, sql]) => [`schemas/${name}`, sql])),
  })) {
    mkdirSync(join(folder, "supabase", path, ".."), { recursive: true });
    writeFileSync(join(folder, "supabase", path), text);
  }
  backend = await createBackend({ projectFolder: folder });
  return backend;
}
const diff = async ({ config, database }: TestBackend, apply = false) =>
  diffProject(await testCluster(folder), config, database, { apply });
const published = ({ sql }: TestBackend) =>
  sql(
    "select tablename, attnames::text, rowfilter from pg_publication_tables where pubname = 'supabase_realtime'",
  );

test("where no schema file names the publication, what migrations give it stays, and is said", async () => {
  const one = await project(
    { "tables.sql": TABLES.replace(/create table public.old.*\n/, "") },
    TABLES + PUBLISHED,
  );
  const found = await diff(one);
  expect(found.sql.split("\n").filter((line) => line !== "")).toEqual([
    'ALTER PUBLICATION "supabase_realtime" DROP TABLE "public"."old";',
    'DROP TABLE "public"."old";',
  ]);
  expect(found.notCompared).toEqual([
    "the tables of publication supabase_realtime, as no schema file names it: what migrations give it stays (public.notes)",
  ]);
  const before = await published(one);
  expect(before).toHaveLength(2);
  expect((await diff(one, true)).sql).toBe(found.sql);
  expect(await published(one)).toEqual(before.slice(0, 1));
  expect(before[0]).toMatchObject({ tablename: "notes", attnames: "{id,title}" });
  expect(await diff(one, true)).toMatchObject({ sql: "", applied: false });
}, 300_000);

test("where the schema files and migrations differ by the publication alone, both agree", async () => {
  const one = await project({ "tables.sql": TABLES }, TABLES + PUBLISHED);
  expect(await diff(one)).toMatchObject({ sql: "", destructive: false });
  expect(await schemaDifferences(folder)).toEqual({
    missing: "",
    extra: "",
    notCompared: [expect.stringContaining("public.notes, public.old")],
  });
}, 300_000);

test("a table whose published column the schema files no longer have is compared", async () => {
  const one = await project(
    { "tables.sql": TABLES.replace("title text, ", "") },
    TABLES + PUBLISHED.replace(/ where .*;/, ";"),
  );
  const { sql, notCompared } = await diff(one);
  expect(notCompared).toEqual([expect.stringContaining("(public.old)")]);
  expect(sql).toMatch(/ALTER PUBLICATION "supabase_realtime" DROP TABLE "public"."notes"/);
}, 300_000);

test("where a schema file names it, its tables are compared", async () => {
  const one = await project(
    {
      "tables.sql": TABLES,
      "to_realtime.sql": "alter publication supabase_realtime add table public.marks;\n",
    },
    TABLES + PUBLISHED,
  );
  const { sql, notCompared } = await diff(one);
  expect(notCompared).toEqual([]);
  expect(sql).toMatch(/ADD TABLE "public"."marks"/);
  expect(sql).toMatch(/DROP TABLE "public"."notes"/);
}, 300_000);
