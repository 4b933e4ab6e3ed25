/**
 * The Supabase CLI against the stand-in for hosted. It is no dependency: `npm test` installs it, and
 * SUPABASE_CLI is its path. Where it cannot be installed these tests are skipped, with the reason.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { replacesHeader } from "../../../src/postgres/files/squashed-migrations.ts";
import { recordedStatements } from "../../../src/postgres/statements/split.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { FIRST, REF, SECOND, type TestProject, testProject } from "../../deploy/test/project.ts";
import { type Hosted, startHosted } from "../index.ts";
import { missing, program, runSupabase } from "./supabase-cli.ts";

let hosted: Hosted;
let project: TestProject;
beforeAll(async () => {
  if (!program) return;
  hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref: REF });
  project = testProject();
});
afterAll(async () => {
  project?.drop();
  await hosted?.close();
});
beforeEach((context) => context.skip(!program, `the Supabase CLI: ${missing}`));

/** Runs it on the project. Resolves to its output; rejects for an exit code other than 0. */
const supabase = (...args: string[]) => runSupabase(hosted, project.folder, ...args);
const remote = `--remote=${REF}`;
const database = async () => {
  const answer = await fetch(`${hosted.management.url}/v1/projects/${REF}/cli/login-role`, {
    method: "POST",
    headers: { authorization: `Bearer ${hosted.management.accessToken}` },
    body: JSON.stringify({ read_only: false }),
  });
  const { role, password } = (await answer.json()) as { role: string; password: string };
  return `--remote=${hosted.databaseUrl.replace("//", `//${role}.${REF}:${password}@`)}?sslmode=require`;
};

/** Received calls that may change the project. */
const changes = () =>
  hosted.management.received
    .filter(({ call }) => !/^GET |\/cli\/login-role$/.test(call))
    .map(({ call }) => call);

test("the Supabase CLI links the project, and reads the versions of its services", async () => {
  expect(await supabase("projects", "list")).toContain(REF);
  expect(await supabase("link", "--project-ref", REF)).toContain("Finished");
  const stored = (name: string) =>
    readFileSync(join(project.folder, "supabase", ".temp", name), "utf8").trim();
  expect(stored("project-ref")).toBe(REF);
  // Asked of the project's own host, https://REF.standin.invalid.
  for (const name of ["rest-version", "gotrue-version", "storage-version"])
    expect([name, stored(name)]).toEqual([name, expect.stringMatching(/\d/)]);
  expect(changes()).toEqual([]);
}, 180_000);

test("it pushes migrations and settings; a second push changes nothing", async () => {
  expect(await supabase("db", "push", await database(), "--yes")).toContain("Finished");
  expect(await supabase("db", "push", await database(), "--yes")).toContain("up to date");
  const { rows } = await hosted.project.database.query(
    "postgres",
    "select version from supabase_migrations.schema_migrations",
  );
  expect(rows).toEqual([{ version: "20260101000000" }]);

  expect(await supabase("config", "push", remote, "--yes")).toContain("Confirmed by --yes");
  expect(changes()).toContain("PATCH /v1/projects/{ref}/config/auth");
  hosted.management.received.length = 0;
  expect(await supabase("config", "diff", remote)).toContain("0 update");
  expect(await supabase("config", "push", remote, "--yes")).toContain("Remote Auth config is up to date");
  expect(changes()).toEqual([]);
}, 180_000);

test("it sets secrets and deploys functions, and these are what runs", async () => {
  await supabase("secrets", "set", "WHO=the CLI", remote, "--yes");
  expect(await supabase("secrets", "list", remote)).toContain("WHO");
  await supabase("functions", "deploy", "--use-api", remote, "--yes");
  expect(await (await fetch(`${hosted.project.url}/functions/v1/hello`)).text()).toBe("hello the CLI");
  expect(hosted.management.unknown).toEqual([]);
}, 300_000);

test("it leaves a project that homebase deploy takes over: its migrations and settings are there", async () => {
  const result = await project.deploy(hosted, { secrets: { WHO: "the CLI" } });
  expect(result.failure).toBeUndefined();
  const changes = Object.fromEntries(result.plan.steps.map((step) => [step.name, step.changes]));
  expect(changes.migrations).toEqual([]);
  expect(changes.configuration).toEqual([]);
  expect(changes.secrets).toEqual([]);
  expect(changes.functions).toEqual(["replace the function hello (callable without a token)"]);
}, 180_000);

test("after a squash it refuses to push, is repaired as it is told, and goes on; rows stay", async () => {
  project.write("supabase/migrations/20260102000000_authors.sql", SECOND);
  await supabase("db", "push", await database(), "--yes");
  await hosted.project.database.query("postgres", "insert into public.notes (body) values ('by a person')");
  project.remove("supabase/migrations/20260101000000_notes.sql");
  const baseline = `${replacesHeader(["20260101000000", "20260102000000"])}\n${FIRST}${SECOND}`;
  project.write("supabase/migrations/20260102000000_authors.sql", baseline);
  expect(await supabase("db", "push", await database(), "--yes").catch(String)).toContain(
    "supabase migration repair --status reverted 20260101000000",
  );
  const repair = async (status: string, version: string) =>
    supabase("migration", "repair", "--status", status, version, await database(), "--yes");
  await repair("reverted", "20260101000000");
  await repair("applied", "20260102000000");
  expect(await supabase("db", "push", await database(), "--yes")).toContain("up to date");
  const rows = async (sql: string) => (await hosted.project.database.query("postgres", sql)).rows;
  expect(await rows("select version, statements from supabase_migrations.schema_migrations")).toEqual([
    { version: "20260102000000", statements: recordedStatements(baseline) },
  ]);
  expect(await rows("select body from public.notes")).toEqual([{ body: "by a person" }]);
  const result = await project.deploy(hosted, { secrets: { WHO: "the CLI" } });
  expect(result.plan.steps.find(({ name }) => name === "migrations")?.changes).toEqual([]);
}, 180_000);

test("once it is linked, commands for the database need no address", async () => {
  const versions = async () => supabase("migration", "list", "--remote");
  expect(await versions()).toContain("20260102000000");
  project.write("supabase/migrations/20260103000000_more.sql", "create table public.more (id int);");
  expect(await supabase("db", "push", "--remote", "--yes")).toContain("Applying migration 20260103000000");
  expect(await supabase("db", "push", "--remote", "--yes")).toContain("up to date");
  expect(await supabase("inspect", "db", "table-stats", "--remote")).toContain("public.more");
  const query = ["db", "query", "--read-only", "--remote", "select count(*) as n from public.more"];
  expect(await supabase(...query)).toMatch(/\bn\b/);
  await hosted.project.database.query(
    "postgres",
    "create function public.broken() returns int language plpgsql as $$ begin return nothing; end $$",
  );
  expect(await supabase("db", "lint", "--remote")).toContain("public.broken");
}, 180_000);

test("it copies, lists and removes objects by the project's reference", async () => {
  project.write("picture.txt", "a picture");
  const storage = (...args: string[]) => supabase("--experimental", "storage", ...args, "--remote", "--yes");
  await hosted.project.database.query(
    "postgres",
    "insert into storage.buckets (id, name) values ('papers', 'papers')",
  );
  expect(await storage("ls")).toContain("papers/");
  await storage("cp", join(project.folder, "picture.txt"), "ss:///papers/picture.txt");
  expect(await storage("ls", "ss:///papers/")).toContain("picture.txt");
  await storage("rm", "ss:///papers/picture.txt");
  expect(await storage("ls", "ss:///papers/")).not.toContain("picture.txt");
}, 180_000);

test("it reads logs: pages by service and level, and a query of its user's", async () => {
  await fetch(`${hosted.project.url}/rest/v1/nothing`);
  const page = ["logs", "--remote", "--service", "edge", "--level", "warn", "--since", "30m"];
  const rows = JSON.parse(
    (await supabase(...page, "--output-format", "json"))
      .split("\n")
      .filter((line) => /^[[\]{} ]/.test(line))
      .join("\n"),
  );
  expect(rows.map(({ event_message }: { event_message: string }) => event_message)).toContain(
    "GET | 401 | /rest/v1/nothing",
  );
  const sql = "select distinct source from logs where source = 'storage_logs'";
  expect(await supabase("logs", "--remote", "--sql", sql, "--output-format", "text")).toContain(
    "storage_logs",
  );
  expect(await supabase("logs", "--remote", "--sql", "select nothing from logs").catch(String)).toContain(
    'The logs API could not run this query: "There is no column nothing.',
  );
}, 180_000);

test("it makes, reads, pauses and deletes a branch, and pushes to it", async () => {
  expect(await supabase("branches", "create", "develop", "--remote", "--yes")).toContain(
    "FUNCTIONS_DEPLOYED",
  );
  expect(await supabase("branches", "list", "--remote")).toContain("develop");
  expect(await supabase("branches", "get", "develop", "--remote")).toContain("ACTIVE_HEALTHY");
  project.write("supabase/migrations/20260104000000_branch.sql", "create table public.on_branch (id int);");
  expect(await supabase("db", "push", "--remote=develop", "--yes")).toContain("20260104000000");
  expect(await supabase("migration", "list", "--remote")).not.toMatch(/20260104000000` +\| `20260104000000/);
  await supabase("branches", "pause", "develop", "--remote", "--yes");
  expect(await supabase("branches", "get", "develop", "--remote")).toContain("INACTIVE");
  await supabase("branches", "unpause", "develop", "--remote", "--yes");
  expect(await supabase("branches", "delete", "develop", "--remote", "--yes")).toContain("Deleted");
  project.remove("supabase/migrations/20260104000000_branch.sql");
  expect(await supabase("snippets", "list", "--remote")).toContain("VISIBILITY");
}, 300_000);

test("it gets types, and is told plainly what is not built", async () => {
  expect(await supabase("gen", "types", "--lang", "typescript", remote)).toContain("export type Database");
  const refused = await supabase("--experimental", "domains", "get", remote).catch(String);
  expect(refused).toContain("does not have the call GET");
  expect(hosted.management.unknown).toEqual([`GET /v1/projects/${REF}/custom-hostname`]);
}, 180_000);
