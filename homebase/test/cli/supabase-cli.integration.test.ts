/**
 * The Supabase CLI beside the commands of the same name, on one running database: what must be equal is. The CLI is no
 * dependency: `npm test` installs it (SUPABASE_CLI); elsewhere these tests are skipped, with the reason.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { HOSTED_VERSIONS } from "../../src/config/hosted/hosted-versions.ts";
import { hasWing } from "../has-wing.ts";
import { factsOf, type HostedFinding } from "../tools/advisor-facts.ts";
import { Project } from "./project.ts";

const program = process.env.SUPABASE_CLI;
const missing =
  process.env.SUPABASE_CLI_MISSING || "it is not installed: npm test -- integration installs it";

let project: Project;
beforeAll(async () => {
  if (!program) return;
  project = new Project({
    "migrations/20260101000000_first.sql": `create table public.first (id int primary key, name text);
      create index first_name on public.first (name);
      create function public.broken() returns int language plpgsql as $$ begin return 1; end $$;`,
    "migrations/20260102000000_second.sql": "select 1;\n",
    "seed.sql": "insert into public.first select n, 'n' || n from generate_series(1, 50) n;\n",
  });
  await project.start();
}, 270_000);
afterAll(() => project?.remove(), 180_000);
beforeEach((context) => context.skip(!program, `the Supabase CLI: ${missing}`));

/** What the CLI writes to both outputs, for the project's database. Rejects for an exit code other than 0. */
async function cli(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return cliOf(...args, `--remote=${project.database}?sslmode=disable`, "--yes");
}

async function cliOf(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
  return promisify(execFile)(program ?? "", [...args, "--workdir", project.folder], { env });
}

async function own(...args: string[]): Promise<string> {
  return (await project.run(...args, "--db-url", project.database)).stdout;
}

/** The rows of a table for a terminal, by the headings, without the CLI's marks around values. */
function rowsOf(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .split("\n")
    .filter((line) => line.includes("|") && !/^[\s|-]+$/.test(line))
    .map((line) => line.split("|").map((cell) => cell.replaceAll("`", "").trim()));
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ""])));
}

/** The same columns of both, where each has a name of its own for some. */
async function sameColumns(
  command: string,
  columns: Readonly<Record<string, string>>,
  key: string,
): Promise<void> {
  const args = command.split(" ");
  const [theirs, ours] = [rowsOf((await cli(...args)).stdout), rowsOf(await own(...args))];
  const chosen = (rows: Record<string, string>[], names: readonly string[]) =>
    rows
      .map((row) =>
        Object.keys(columns).map((_, at) => (row[names[at] ?? ""] ?? "no such column").replaceAll(", ", ",")),
      )
      .sort((a, b) => String(a).localeCompare(String(b)));
  // The help says that Postgres's own roles are left out.
  const expected = chosen(theirs, Object.keys(columns)).filter(([name]) => !name?.startsWith("pg_"));
  expect(expected.length, command).toBeGreaterThan(0);
  expect(expected.flat(), command).toEqual(expect.arrayContaining([expect.stringContaining(key)]));
  expect(chosen(ours, Object.values(columns)), command).toEqual(expected);
}

test("the history is the same, and so is what a push would apply", async () => {
  const columns = { Local: "Local", Remote: "Remote", "Time (UTC)": "Time (UTC)" };
  await sameColumns("migration list", columns, "20260102000000");
  expect((await cli("db", "push", "--dry-run")).stdout).toContain("up to date");
  expect(await own("db", "push", "--dry-run")).toContain("up to date");

  await cli("migration", "repair", "--status", "reverted", "20260102000000");
  await sameColumns("migration list", columns, "20260102000000");
  const named = (text: string) => text.match(/\d{14}_\w+\.sql/g);
  const would = await cli("db", "push", "--dry-run");
  expect(named(would.stdout + would.stderr)).toEqual(["20260102000000_second.sql"]);
  expect(named(await own("db", "push", "--dry-run"))).toEqual(["20260102000000_second.sql"]);
  // What one of them records, the other finds.
  await project.run(
    "migration",
    "repair",
    "20260102000000",
    "--status",
    "applied",
    "--db-url",
    project.database,
  );
  expect((await cli("migration", "up")).stdout).toContain("up to date");
  expect(await own("migration", "up")).toContain("Nothing was pending");
}, 270_000);

test.runIf(hasWing("inspect"))(
  "reports of inspect db have the same figures",
  async () => {
    await own("db", "query", "analyze public.first");
    await sameColumns(
      "inspect db table-stats",
      {
        Name: "Table",
        "Table size": "Table size",
        "Index size": "Index size",
        "Total size": "Total size",
        "Estimated row count": "Rows, about",
      },
      "public.first",
    );
    await sameColumns(
      "inspect db index-stats",
      { Name: "Index", Table: "Table", Size: "Size" },
      "first_name",
    );
    await sameColumns(
      "inspect db db-stats",
      {
        Name: "Database",
        "Total Index Size": "Indexes",
        "Total Table Size": "Tables",
      },
      "postgres",
    );
    await sameColumns(
      "inspect db role-stats",
      {
        "Role name": "Role",
        "Connection limit": "Connection limit",
        "Custom config": "Settings",
      },
      "authenticator",
    );
  },
  270_000,
);

test("the advisors find the same issues", async () => {
  const theirs = JSON.parse((await cli("db", "advisors")).stdout) as HostedFinding[];
  const ours = JSON.parse(await own("db", "advisors", "--json")) as HostedFinding[];
  expect(factsOf(ours)).toEqual(factsOf(theirs));
  expect(theirs.map(({ name }) => name)).toContain("rls_disabled_in_public");
}, 180_000);

test("db lint of the CLI, with the extension plpgsql_check, says what homebase db lint says", async () => {
  expect((await cli("db", "lint")).stderr).toContain("No schema errors found");
  expect(await own("db", "lint")).toContain("No schema errors found");
  const client = new pg.Client(project.database);
  await client.connect();
  try {
    await client.query(
      "create function public.faulty() returns int language plpgsql as $$ begin return nothing; end $$",
    );
    const theirs = JSON.parse((await cli("db", "lint")).stdout);
    expect(theirs).toEqual(JSON.parse(await own("db", "lint", "--json")));
    expect(theirs).toMatchObject([
      { function: "public.faulty", issues: [{ level: "error", sqlState: "42703" }] },
    ]);
  } finally {
    await client.query("drop function if exists public.faulty");
    await client.end();
  }
  expect((await project.run("db", "lint", "--help")).stdout).toMatch(
    /Messages and JSON are those of plpgsql_check/,
  );
}, 180_000);

test("the table of versions names the services that the CLI starts", async () => {
  const { stdout } = await cliOf("services", "--output", "json");
  const images = JSON.parse(stdout) as { name: string; local: string }[];
  const started = (image: string) => images.find(({ name }) => name === image)?.local.replace(/^v/, "");
  const { rest, auth, realtime, storage, functions, meta } = HOSTED_VERSIONS;
  expect([rest.cli, auth.cli, realtime.cli]).toEqual(
    ["postgrest/postgrest", "supabase/gotrue", "supabase/realtime"].map(started),
  );
  expect([storage.cli, functions.cli, meta.cli]).toEqual(
    ["supabase/storage-api", "supabase/edge-runtime", "supabase/postgres-meta"].map(started),
  );
}, 180_000);
