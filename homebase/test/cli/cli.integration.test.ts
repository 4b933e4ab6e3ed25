/** The developer's stack from its user's view: processes, ports, signals, crashes, migrations on save. */
import { rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { NOTES_PROJECT as NOTES } from "./notes-project.ts";
import { descendants, Project } from "./project.ts";

const projects: Project[] = [];

function project(files: Record<string, string> = NOTES): Project {
  const made = new Project(files);
  projects.push(made);
  return made;
}

afterEach(async () => {
  for (const one of projects.splice(0)) await one.remove();
}, 180_000);

const bodies = async (one: Project) =>
  (await (await one.rest("notes?select=id,body&order=id")).json()) as unknown[];

test("start, status, stop: one stack a project, data kept, nothing left running", async () => {
  const one = project();
  await one.start();
  const status = JSON.parse((await one.run("status", "--json")).stdout) as Record<string, string>;
  expect(status.API_URL).toBe(one.url);
  expect(status.ANON_KEY?.split(".").at(-1)).toBe("CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0");
  expect(status.SERVICE_ROLE_KEY?.split(".").at(-1)).toBe("EGIM96RAZx35lJzdJsyH-qQwv8Hdp7fsn3W0YpN81IU");
  expect((await one.run("status", "-o", "env")).stdout).toContain(`DB_URL="${one.database}"`);
  const second = await one.run("start");
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("already running")]);
  await one.rest("notes", { method: "POST", body: '{"id":2,"body":"kept"}' });

  const tree = descendants(one.pid);
  expect(tree.length).toBeGreaterThan(3);
  expect((await one.run("stop")).stdout).toBe("Stopped.\n");
  await one.ended();
  await expect.poll(() => tree.filter((pid) => descendants(1).includes(pid))).toEqual([]);
  expect((await one.run("status")).code).toBe(1);

  await one.start();
  expect(await bodies(one)).toEqual([
    { id: 1, body: "seeded" },
    { id: 2, body: "kept" },
  ]);
}, 180_000);

test("requests: who asked for what, the newest last, one of them whole", async () => {
  const one = project();
  expect(await one.run("requests")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("does not run"),
  });
  await one.start();
  await one.rest("notes?select=id&id=eq.1");
  await one.rest("nowhere");
  const lines = (await one.run("requests", "--json")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      path: "/rest/v1/notes",
      query: "select=id&id=eq.1",
      status: 200,
      rows: 1,
    },
    { path: "/rest/v1/nowhere", status: 404, code: "PGRST205" },
  ]);
  expect((await one.run("requests", "--failed")).stdout).toMatch(/GET +\/rest\/v1\/nowhere 404 PGRST205 /);
  const whole = ["requests", "--id", lines[0].id.slice(0, 8)];
  const { statement } = JSON.parse((await one.run(...whole, "--json")).stdout);
  expect(statement.values).toEqual(["1"]);
  expect((await one.run(...whole)).stdout).toContain(statement.text);
  expect(await one.run("requests", "--id", "x")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("begins with x"),
  });
});

test("psql and an ORM reach the database by its address, with the password and only with it", async () => {
  const one = project();
  await one.start();
  const client = new pg.Client({ connectionString: one.database });
  await client.connect();
  expect((await client.query("select body from notes")).rows).toEqual([{ body: "seeded" }]);
  await client.end();
  const wrong = new pg.Client({ connectionString: one.database.replace(":postgres@", ":guess@") });
  await expect(wrong.connect()).rejects.toThrow("password authentication failed");
});

test("a kill of the whole tree during writes loses no acknowledged row or file, and the next start works", async () => {
  const one = project({
    ...NOTES,
    "config.toml": 'project_id = "cli"\n[storage.buckets.files]\npublic = true\n',
  });
  await one.start();
  const client = createClient(one.url, one.secret, { auth: { persistSession: false } });
  const rows: number[] = [];
  const files: string[] = [];
  let writing = true;
  const writer = async (lane: number) => {
    for (let count = 0; writing; count += 1) {
      const id = 1_000 * (lane + 1) + count;
      const { error } = await client.from("notes").insert({ id, body: "acknowledged" });
      if (!error) rows.push(id);
      const upload = await client.storage.from("files").upload(`${id}.txt`, `file ${id}`);
      if (upload.data) files.push(`${id}.txt`);
    }
  };
  const writers = [0, 1, 2].map((lane) => writer(lane).catch(() => undefined));
  await expect
    .poll(() => Math.min(rows.length, files.length), { timeout: 30_000, interval: 20 })
    .toBeGreaterThan(10);
  await one.killTree();
  writing = false;
  await Promise.all(writers);
  expect(rows.length).toBeGreaterThan(10);
  expect(files.length).toBeGreaterThan(10);

  await one.start();
  const kept = new Set(((await bodies(one)) as { id: number }[]).map((row) => row.id));
  expect(rows.filter((id) => !kept.has(id))).toEqual([]);
  for (const name of files) {
    const { data } = await client.storage.from("files").download(name);
    expect(await data?.text(), name).toBe(`file ${name.replace(".txt", "")}`);
  }
}, 240_000);

test("a killed parent takes Postgres down with it, and blocks no next start", async () => {
  const one = project();
  await one.start();
  const tree = descendants(one.pid);
  process.kill(one.pid, "SIGKILL");
  await one.ended();
  await expect
    .poll(() => tree.filter((pid) => descendants(1).includes(pid)), { timeout: 10_000 })
    .toEqual([]);
  await one.start();
  expect(await bodies(one)).toHaveLength(1);
}, 180_000);

test("Postgres that ends by itself is started again, and requests are served again", async () => {
  const one = project();
  await one.start();
  const client = new pg.Client({ connectionString: one.database });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query("select pg_backend_pid() as pid");
  process.kill((rows[0] as { pid: number }).pid, "SIGKILL");
  await expect
    .poll(async () => (await one.rest("notes").catch(() => undefined))?.status, { timeout: 15_000 })
    .toBe(200);
  await client.end().catch(() => undefined);
}, 180_000);

test("a taken port is named with what holds it and how to change it", async () => {
  const one = project();
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(54_321 + one.offset, "127.0.0.1", resolve));
  const { code, stderr } = await one.run("start");
  holder.close();
  expect(code).toBe(1);
  expect(stderr).toContain(`Port ${54_321 + one.offset} (API) is already in use by node`);
  expect(stderr).toContain(`(pid ${process.pid})`);
  expect(stderr).toContain("--port-offset");
});

test("two projects run side by side", async () => {
  const [one, two] = [project(), project()];
  await Promise.all([one.start(), two.start()]);
  await two.rest("notes?id=eq.1", { method: "PATCH", body: '{"body":"the other one"}' });
  expect([await bodies(one), await bodies(two)]).toEqual([
    [{ id: 1, body: "seeded" }],
    [{ id: 1, body: "the other one" }],
  ]);
}, 180_000);

test("a migration is applied on save and seen at once; one that fails is named with line and hint, and changes nothing", async () => {
  const one = project();
  await one.start();
  one.write("migrations/20260102000000_tags.sql", "create table public.tags (name text primary key);\n");
  await one.says(/Applied .*20260102000000_tags\.sql/);
  expect((await one.rest("tags")).status).toBe(200);

  one.write(
    "migrations/20260103000000_broken.sql",
    "alter table public.tags add column colour text;\n\ninsert into public.notes (id, boddy) values (2, 'x');\n",
  );
  await one.says(/20260103000000_broken\.sql:3:\d+: column "boddy" of relation "notes" does not exist/);
  expect(one.output).toContain("| insert into public.notes (id, boddy)");
  expect(await (await one.rest("tags?select=colour")).json()).toMatchObject({ code: "42703" });
  expect(await bodies(one)).toHaveLength(1);

  one.write("migrations/20260103000000_broken.sql", "alter table public.tags add column colour text;\n");
  await one.says(/Applied .*20260103000000_broken\.sql/);
  expect((await one.rest("tags?select=colour")).status).toBe(200);
}, 180_000);

test("migrate tells what it did, and ends with 1 and the reason when a file fails", async () => {
  const one = project();
  // The files exist before the watcher, so the command applies them.
  await one.start();
  expect(await one.run("migrate")).toMatchObject({ code: 0, stdout: "Nothing was pending.\n" });
  one.write("migrations/20260107000000_bad.sql", "create table public.half (id int);\nselekt 1;\n");
  const failed = await one.run("migrate");
  expect(failed.code).toBe(1);
  expect(failed.stdout).not.toContain("Done");
  expect(failed.stderr).toContain("20260107000000_bad.sql:2:1");
  const json = await one.run("migrate", "--json");
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    migrated: false,
    failed: expect.stringContaining("syntax error"),
  });
  expect((await one.rest("half")).status).toBe(404);

  await one.run("stop");
  await one.ended();
  await one.start();
  expect(one.output).toMatch(/Homebase is ready.*but .*20260107000000_bad\.sql is not applied/);
  one.write("migrations/20260107000000_bad.sql", "create table public.half (id int);\n");
  await expect.poll(async () => (await one.rest("half")).status, { timeout: 10_000 }).toBe(200);
  expect((await one.run("migrate")).code).toBe(0);
}, 180_000);

test("a migration that cannot be read is a notice, in a running stack and at a start", async () => {
  const one = project();
  await one.start();
  const link = join(one.folder, "supabase", "migrations", "20260108000000_link.sql");
  symlinkSync("missing.sql", link);
  await one.says(
    /Not applied\n.*20260108000000_link\.sql: It cannot be read: it is a link that leads nowhere/,
  );
  expect((await one.rest("notes")).status).toBe(200);
  const told = await one.run("migrate");
  expect([told.code, told.stderr]).toEqual([1, expect.stringContaining("20260108000000_link.sql")]);
  const reset = await one.run("reset");
  expect([reset.code, reset.stderr]).toEqual([
    1,
    expect.stringMatching(/Nothing was changed.*20260108000000_link\.sql/s),
  ]);
  await one.run("stop");
  await one.ended();
  await one.start();
  expect(one.output).toContain("20260108000000_link.sql");
  rmSync(link);
  expect((await one.run("migrate")).code).toBe(0);
}, 180_000);

test("an applied migration that was edited or removed is pointed out with the ways on", async () => {
  const one = project();
  await one.start();
  one.write("migrations/20260101000000_notes.sql", "create table public.notes (id int primary key);\n");
  await one.says(/Edited after it was applied: .*20260101000000_notes\.sql[\s\S]*homebase reset/);
});

test("reset rebuilds from the files while serving, and changes nothing when a file fails", async () => {
  const one = project();
  await one.start();
  await one.rest("notes?id=eq.1", { method: "PATCH", body: '{"body":"mine"}' });
  one.write("migrations/20260104000000_bad.sql", "selekt 1;\n");
  await one.says(/Not applied/);
  const refused = await one.run("reset");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("20260104000000_bad.sql:1:1")]);
  expect(await bodies(one)).toEqual([{ id: 1, body: "mine" }]);
  one.write("migrations/20260104000000_bad.sql", "create table public.fine (id int primary key);\n");
  await one.says(/Applied .*20260104000000_bad\.sql/);
  expect((await one.run("reset", "--json")).code).toBe(0);
  expect(await bodies(one)).toEqual([{ id: 1, body: "seeded" }]);
  expect((await one.rest("fine")).status).toBe(200);
}, 180_000);

test("every command explains itself, and a wrong one says how to go on", async () => {
  const one = project();
  for (const command of ["start", "stop", "status", "reset", "migrate", "logs"]) {
    const { code, stdout } = await one.run(command, "--help");
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: homebase ${command}`)]);
  }
  const unknown = await one.run("dance");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("homebase --help")]);
  const option = await one.run("start", "--dance");
  expect([option.code, option.stderr]).toEqual([2, expect.stringContaining("--help")]);
});
