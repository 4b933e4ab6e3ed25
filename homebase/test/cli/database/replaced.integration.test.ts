/** Histories whose migrations were squashed: on a folder with rows, and in databases that an address names. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { useOwnCluster } from "../../own-cluster.ts";
import { Project } from "../project.ts";

await useOwnCluster();

vi.setConfig({ testTimeout: 240_000 });

const FIRST = "create table public.notes (id int primary key, body text not null);\n";
const SECOND = "alter table public.notes add column author text;\n";
const THIRD = "alter table public.notes add column place text;\n";
const names = ["20260101000000_notes.sql", "20260102000000_authors.sql", "20260103000000_places.sql"];

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of cleanUp.splice(0).reverse()) await one();
});

function notes(): Project {
  const made = new Project({
    [`migrations/${names[0]}`]: FIRST,
    [`migrations/${names[1]}`]: SECOND,
    [`migrations/${names[2]}`]: THIRD,
  });
  cleanUp.push(() => made.remove());
  return made;
}
const files = (one: Project) => readdirSync(join(one.folder, "supabase/migrations")).sort();
const fileOf = (one: Project, name = names[2]) =>
  readFileSync(join(one.folder, "supabase/migrations", name ?? ""), "utf8");

async function empty(): Promise<TestBackend> {
  const backend = await createBackend({ bare: true, projectFolder: process.cwd() });
  cleanUp.push(() => backend.drop());
  return backend;
}
const history = async (backend: TestBackend) =>
  backend.sql<{ version: string; name: string; statements: string[] }>(
    "select version, name, statements from supabase_migrations.schema_migrations order by version",
  );

test("a folder that has all replaced migrations starts; its rows stay, and nothing is run", async () => {
  const project = notes();
  await project.start();
  const written = { id: 1, body: "soup", author: "Ana", place: "Momo" };
  await project.rest("notes", { method: "POST", body: JSON.stringify(written) });
  await project.stop();
  const squashed = await project.run("migration", "squash");
  expect(squashed.stdout).toContain(
    "supabase migration repair --status reverted 20260101000000 20260102000000",
  );
  expect(files(project)).toEqual([names[2]]);
  expect(fileOf(project)).toMatch(
    /^-- homebase: replaces 20260101000000 20260102000000 20260103000000\n\ncreate table/i,
  );

  await project.start();
  expect(project.output).toContain(
    `Recorded supabase/migrations/${names[2]} in place of the 2 migrations that it replaces, without running it`,
  );
  expect(project.output).not.toMatch(/Applied|Edited|reset/);
  expect(await (await project.rest("notes")).json()).toEqual([written]);
  const list = await project.run("migration", "list", "--json");
  expect(JSON.parse(list.stdout).migrations).toEqual([
    { local: "20260103000000", remote: "20260103000000", time: "2026-01-03 00:00:00" },
  ]);
  expect((await project.run("migrate")).stdout).toBe("Nothing was pending.\n");
  await project.stop();
  await project.start();
  expect(project.output).not.toMatch(/Recorded|Edited/);

  // The way back to an older commit.
  const squashedFile = fileOf(project);
  for (const [index, text] of [FIRST, SECOND, THIRD].entries())
    project.write(`migrations/${names[index]}`, text);
  expect(await project.run("migration", "repair", "--status", "applied")).toMatchObject({ code: 0 });
  await project.stop();
  await project.start();
  expect(project.output).not.toMatch(/Applied|Not applied|Edited/);
  await project.stop();
  for (const name of names.slice(0, 2)) rmSync(join(project.folder, "supabase/migrations", name));
  project.write(`migrations/${names[2]}`, squashedFile);
  await project.start();
  expect(project.output).toContain("Recorded");
  expect(await (await project.rest("notes")).json()).toEqual([written]);
});

test("a folder that has only some is refused by name before any change, and goes on after the rest was applied", async () => {
  const project = notes();
  rmSync(join(project.folder, "supabase/migrations", names[2] ?? ""));
  await project.start();
  await project.rest("notes", { method: "POST", body: '{"id":1,"body":"soup"}' });
  await project.stop();
  project.write(`migrations/${names[2]}`, THIRD);
  const before = new Map(files(project).map((name) => [name, fileOf(project, name)]));
  await project.run("migration", "squash");
  project.write("migrations/20260104000000_later.sql", "create table public.later ();\n");

  await project.start();
  expect(project.output).toContain(
    `supabase/migrations/${names[2]}: It replaces migrations of which the database has only some. It lacks 20260103000000. Nothing was changed. Check out the commit before`,
  );
  expect(project.output).not.toMatch(/reset|Applied/);
  expect(await project.run("migrate")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("It lacks 20260103000000."),
  });
  expect(await (await project.rest("notes")).json()).toEqual([{ id: 1, body: "soup", author: null }]);
  expect((await project.rest("later")).status).toBe(404);
  await project.stop();

  const squashed = fileOf(project);
  for (const [name, text] of before) project.write(`migrations/${name}`, text);
  rmSync(join(project.folder, "supabase/migrations/20260104000000_later.sql"));
  await project.start();
  await project.stop();
  for (const name of names.slice(0, 2)) rmSync(join(project.folder, "supabase/migrations", name));
  project.write(`migrations/${names[2]}`, squashed);
  project.write("migrations/20260104000000_later.sql", "create table public.later ();\n");
  await project.start();
  expect(project.output).toMatch(/Recorded[\s\S]*Applied supabase\/migrations\/20260104000000_later\.sql/);
  expect(await (await project.rest("notes")).json()).toEqual([
    { id: 1, body: "soup", author: null, place: null },
  ]);
});

test("db push and migration up rewrite a history, after a dry run that changes nothing", async () => {
  const project = notes();
  const [whole, second, part] = [await empty(), await empty(), await empty()];
  for (const backend of [whole, second]) {
    expect(await project.run("db", "push", "--db-url", backend.databaseUrl)).toMatchObject({ code: 0 });
    await backend.sql("insert into public.notes (id, body) values (1, 'soup')");
  }
  await part.sql("create schema supabase_migrations");
  await part.sql(
    "create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text)",
  );
  await part.sql("insert into supabase_migrations.schema_migrations (version) values ('20260101000000')");
  await project.run("migration", "squash");
  const old = await history(whole);

  const at = ["--db-url", whole.databaseUrl];
  const words = `supabase/migrations/${names[2]} in place of the 2 migrations that it replaces, without running it\n`;
  expect((await project.run("db", "push", "--dry-run", ...at)).stdout).toBe(`Would record ${words}`);
  expect(await history(whole)).toEqual(old);
  expect((await project.run("db", "push", ...at)).stdout).toBe(`Recorded ${words}`);
  expect((await project.run("db", "push", ...at)).stdout).toBe("The database is up to date.\n");
  expect((await project.run("migration", "up", "--db-url", second.databaseUrl)).stdout).toBe(
    `Recorded ${words}`,
  );
  const fresh = await empty();
  await project.run("db", "push", "--db-url", fresh.databaseUrl);
  for (const backend of [whole, second]) {
    expect(await history(backend)).toEqual(await history(fresh));
    expect(await backend.sql("select body from public.notes")).toEqual([{ body: "soup" }]);
  }

  for (const command of [
    ["db", "push"],
    ["migration", "up"],
    ["db", "pull"],
  ]) {
    expect(await project.run(...command, "--db-url", part.databaseUrl)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("It lacks 20260102000000, 20260103000000. Nothing was changed."),
    });
  }
  expect((await history(part)).map(({ version }) => version)).toEqual(["20260101000000"]);
});
