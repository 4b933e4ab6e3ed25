/**
 * The live scenarios of the Supabase CLI's own end-to-end tests (apps/cli-e2e of supabase/cli, 2026-10), as cases of
 * our own with its program against the stand-in for hosted. A text in the place of a case says why it cannot be one.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Hosted, startHosted } from "../index.ts";
import { missing, program, runSupabase } from "./supabase-cli.ts";

let hosted: Hosted;
let remote: string;
const folder = mkdtempSync(join(tmpdir(), "homebase-scenarios-"));
beforeAll(async () => {
  if (!program) return;
  // A Postgres of its own, whose database has hosted's name: the CLI asks for the size of `postgres`.
  hosted = await startHosted({ projectFolder: process.cwd() });
  remote = `--remote=${hosted.project.ref}`;
  await write("supabase/config.toml", 'project_id = "scenarios"\n');
});
afterAll(async () => {
  await hosted?.close();
  rmSync(folder, { recursive: true, force: true });
});

const supabase = (...args: string[]) => runSupabase(hosted, folder, ...args, "--yes");
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}
const source = (slug: string, version: number) =>
  write(`supabase/functions/${slug}/index.ts`, `Deno.serve(() => Response.json("${slug} ${version}"));`);
const answer = async (slug: string) => {
  const { url, keys } = hosted.project;
  // Functions demand a user's token, which a key of the new kind is not.
  const headers = { apikey: keys.publishableKey };
  return (await fetch(`${url}/functions/v1/${slug}`, { headers })).json();
};

const DOCKER = "it needs Docker";
const TOOLS = "it needs Docker, or pg_dump on the machine";

const SCENARIOS: Record<string, (() => Promise<void>) | string> = {
  "the project is in the list": async () =>
    expect(await supabase("projects", "list", "--output", "json")).toContain(hosted.project.ref),
  "a dump by a tool of the machine": TOOLS,
  "a push and a pull by Docker": DOCKER,
  "a function that imports from jsr.io": "it needs the internet",
  "such a function, bundled by Docker": DOCKER,
  "a link, after which commands need no reference": async () => {
    expect(await supabase("link", "--project-ref", hosted.project.ref)).toContain("Finished supabase link");
    expect(await supabase("secrets", "list", "--output", "json")).toContain("[]");
  },
  "a project's keys": async () =>
    expect(await supabase("projects", "api-keys", remote, "--output", "json")).toContain("sb_publishable_"),
  "a secret is set, listed and unset": async () => {
    expect(await supabase("secrets", "set", "LIVE=value", remote)).toContain("Finished");
    expect(await supabase("secrets", "list", remote)).toContain("LIVE");
    expect(await supabase("secrets", "unset", "LIVE", remote)).toContain("Finished");
    expect(await supabase("secrets", "list", remote)).not.toContain("LIVE");
  },
  "statistics of the database": async () =>
    expect(await supabase("inspect", "db", "db-stats", remote)).toContain("Database Size"),
  "the list of migrations": async () =>
    expect(await supabase("migration", "list", remote)).toContain("Remote"),
  "a dump of the schema": TOOLS,
  "a push, and a pull of what differs":
    "its pull needs Docker; pushes stand in supabase-cli.integration.test.ts",
  "a reset of the remote database": async () => {
    await write("supabase/migrations/20240101000000_reset.sql", "create table public.reset_here (id int);");
    await hosted.project.database.query("postgres", "create table public.gone (id int)");
    expect(await supabase("db", "reset", remote)).toContain("Resetting remote database");
    expect(await supabase("migration", "list", remote)).toMatch(/20240101000000.*20240101000000/);
    const { rows } = await hosted.project.database.query(
      "postgres",
      "select tablename from pg_tables where schemaname = 'public'",
    );
    expect(rows).toEqual([{ tablename: "reset_here" }]);
  },
  "the local database is started and reset": DOCKER,
  "the same, in a file of its own": DOCKER,
  "types of the remote schema": async () =>
    expect(await supabase("gen", "types", "--lang", "typescript", remote)).toMatch(/export type Database/),
  "settings are pushed": async () => {
    await write("supabase/config.toml", 'project_id = "scenarios"\n[api]\nmax_rows = 500\n');
    expect(await supabase("config", "push", remote)).toContain("Confirmed");
    expect(hosted.project.api.max_rows).toBe(500);
  },
  "a function is deployed by the default way": async () => {
    await source("first", 1);
    expect(await supabase("functions", "deploy", "first", "--no-verify-jwt", remote)).toContain(
      "Deployed Functions",
    );
    expect(await answer("first")).toBe("first 1");
  },
  "a function is deployed by the API": async () => {
    await source("second", 1);
    await supabase("functions", "deploy", "second", "--use-api", "--no-verify-jwt", remote);
    expect(await answer("second")).toBe("second 1");
  },
  "a function is deployed by Docker": DOCKER,
  "every function of the folder is deployed": async () => {
    await Promise.all([source("first", 2), source("second", 2), source("third", 2)]);
    const told = await supabase("functions", "deploy", "--no-verify-jwt", remote);
    for (const slug of ["first", "second", "third"]) {
      expect(told).toContain(slug);
      expect(await answer(slug)).toBe(`${slug} 2`);
    }
  },
  "a second deploy replaces what runs": async () => {
    await source("first", 3);
    await supabase("functions", "deploy", "first", remote);
    expect(await answer("first")).toBe("first 3");
  },
  "a function is deleted": async () => {
    expect(await supabase("functions", "delete", "first", remote)).toContain("Deleted Function");
    expect(await supabase("functions", "list", remote)).not.toContain("first");
  },
  "an object is uploaded, listed and removed": async () => {
    await hosted.project.database.query(
      "postgres",
      "insert into storage.buckets (id, name) values ('live', 'live')",
    );
    await write("upload.txt", "payload");
    const storage = (...args: string[]) => supabase("--experimental", "storage", ...args, remote);
    await storage("cp", join(folder, "upload.txt"), "ss:///live/upload.txt");
    expect(await storage("ls", "ss:///live/")).toContain("upload.txt");
    await storage("rm", "ss:///live/upload.txt");
    expect(await storage("ls", "ss:///live/")).not.toContain("upload.txt");
  },
  "a branch is made, listed and deleted": async () => {
    expect(await supabase("branches", "create", "e2e", remote)).toContain("Created preview branch");
    expect(await supabase("branches", "list", "--output", "json", remote)).toContain('"e2e"');
    expect(await supabase("branches", "delete", "e2e", remote)).toContain("Deleted");
  },
};

const scenarios = Object.entries(SCENARIOS);
for (const [title, run] of scenarios)
  if (typeof run === "function")
    test(title, async (context) => {
      context.skip(!program, `the Supabase CLI: ${missing}`);
      await run();
    }, 180_000);

test("docs/hosted.md has the numbers", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/hosted.md"), "utf8");
  const held = scenarios.filter(([, run]) => typeof run === "function").length;
  expect(docs).toContain(
    `Of the ${scenarios.length} live scenarios of the Supabase CLI's end-to-end tests, ${held} hold with its program.`,
  );
});
