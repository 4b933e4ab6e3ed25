/**
 * The database that supabase/migrations produces is that of supabase/schemas, with the rows of supabase/rows. A diff
 * compares neither the order of columns nor the text of functions nor rows, so these are compared here.
 */
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackend, schemaDifferences, type TestBackend } from "homebase-stack/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const supabase = join(process.cwd(), "supabase");
const folder = mkdtempSync(join(tmpdir(), "nosh-schema-"));
let migrated: TestBackend;
let declared: TestBackend;

/** A database of these files of supabase/, in this order, without a seed. */
function databaseOf(name: string, files: readonly string[]): Promise<TestBackend> {
  const migrations = join(folder, name, "supabase", "migrations");
  mkdirSync(migrations, { recursive: true });
  writeFileSync(join(migrations, "..", "config.toml"), 'project_id = "schema"\n');
  for (const [index, file] of files.entries())
    copyFileSync(join(supabase, file), join(migrations, `${String(index).padStart(14, "0")}_file.sql`));
  return createBackend({ projectFolder: join(folder, name) });
}

/** In the order of `schema_paths`. */
const schemaFiles = [
  ...readFileSync(join(supabase, "config.toml"), "utf8").matchAll(/^ {2}"\.\/(schemas\/[\w.]+\.sql)",$/gm),
].map(([, file = ""]) => file);
const rowFiles = ["errors", "limits", "vault", "sample_people"].map((name) => `rows/${name}.sql`);

beforeAll(async () => {
  migrated = await databaseOf("migrated", globSync("migrations/*.sql", { cwd: supabase }).sort());
  // Twice: a migration may repeat statements of the rows' files.
  declared = await databaseOf("declared", [...schemaFiles, ...rowFiles, ...rowFiles]);
});
afterAll(async () => {
  await migrated?.drop();
  await declared?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const ROWS = `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private') and c.relkind = 'r' order by 1`;

/** What a diff does not compare, by a query for each. */
const QUERIES: Readonly<Record<string, string>> = {
  "columns in their order": `select c.oid::regclass::text as relation, a.attname
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace::regnamespace::text in ('public', 'private') and c.relkind in ('r', 'v')
      and a.attnum > 0 and not a.attisdropped
    order by 1, a.attnum`,
  "texts of functions": `select pg_get_functiondef(p.oid) as definition from pg_proc p
    where p.pronamespace::regnamespace::text in ('public', 'private') and p.prokind = 'f'
    order by p.oid::regprocedure::text`,
  "sample people": `select id, role, raw_app_meta_data, raw_user_meta_data from auth.users order by id`,
  "entries of the vault": "select name, description from vault.secrets order by name",
  jobs: "select jobname, schedule, command, active from cron.job order by jobname",
};

test("every schema file is named in config.toml once, and every file of rows is compared", () => {
  expect(schemaFiles.toSorted()).toEqual(
    readdirSync(join(supabase, "schemas"))
      .map((name) => `schemas/${name}`)
      .sort(),
  );
  expect(rowFiles.toSorted()).toEqual(
    readdirSync(join(supabase, "rows"))
      .map((name) => `rows/${name}`)
      .sort(),
  );
});

test("the diff between schema files and migrations is empty in both directions", async () => {
  expect(await schemaDifferences()).toEqual({ missing: "", extra: "", notCompared: [] });
  // It makes two databases and compares them twice.
}, 120_000);

test.each(Object.entries(QUERIES))("%s are equal", async (_name, query) => {
  const rows = await declared.sql(query);
  expect(rows.length).toBeGreaterThan(0);
  expect(await migrated.sql(query)).toEqual(rows);
});

test("rows of every table are equal", async () => {
  const tables = (await declared.sql<{ name: string }>(ROWS)).map(({ name }) => name);
  const filled: string[] = [];
  for (const table of tables) {
    // Times differ by when the files ran.
    const query = `select to_jsonb(t) - '{created_at,updated_at,asked_at}'::text[] as row from ${table} t order by 1`;
    const rows = await declared.sql(query);
    if (rows.length > 0) filled.push(table);
    expect(await migrated.sql(query), table).toEqual(rows);
  }
  expect(filled).toEqual(["private.errors", "private.limits", "public.private_profiles", "public.profiles"]);
});
