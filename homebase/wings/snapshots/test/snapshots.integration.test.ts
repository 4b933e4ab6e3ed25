/** `homebase snapshot`: everything that a stack holds is saved and restored together, in a running stack and without one. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { Project } from "../../../test/cli/project.ts";
import { change, clientOf, SNAPSHOTS_PROJECT, stateOf } from "./state.ts";

const project = new Project(SNAPSHOTS_PROJECT);
const home = join(project.folder, ".homebase");
const saved: Record<string, Record<string, unknown>> = {};

const snapshot = async (...args: string[]) => {
  const { code, stdout, stderr } = await project.run("snapshot", ...args, "--json");
  return { code, stderr, result: code === 0 ? JSON.parse(stdout) : undefined };
};
const done = async (...args: string[]) => {
  const { code, stderr, result } = await snapshot(...args);
  expect([code, stderr]).toEqual([0, ""]);
  return result;
};

beforeAll(async () => {
  await project.start();
  await change(project, "n2");
  saved.two = await stateOf(project);
}, 120_000);
afterAll(() => project.remove(), 60_000);

test("a running stack's state is saved, and restored after every part of it has changed", async () => {
  expect(saved.two).toMatchObject({
    notes: ["seeded", "n2"],
    files: ["n2.txt: n2", "same.txt: n2"],
    mails: ["n2@example.com"],
    secrets: ["n2"],
    roles: ["n2 statement_timeout=7s"],
  });
  expect(await done("save", "two")).toMatchObject({ saved: "two", waited: expect.any(Number) });
  expect(lstatSync(join(home, "snapshots")).mode & 0o777).toBe(0o700);
  await change(project, "n3");
  saved.three = await stateOf(project);
  expect(saved.three).toMatchObject({ files: ["n2.txt: n2", "n3.txt: n3", "same.txt: n3"] });
  expect(await done("restore", "two")).toMatchObject({ restored: "two", applied: [] });
  expect(await stateOf(project)).toEqual(saved.two);
  expect((await project.run("storage", "check")).stdout).toContain("No faults");
}, 120_000);

test("what a restore has replaced is there as before-restore, and a restore of it takes the last one back", async () => {
  await done("restore", "before-restore");
  expect(await stateOf(project)).toEqual(saved.three);
  await done("restore", "before-restore");
  expect(await stateOf(project)).toEqual(saved.two);
  const names = (await done("list")).map((one: { name: string }) => one.name);
  expect(names).toEqual(["before-restore", "two"]);
  expect(readdirSync(home).filter((name) => /restoring|replac/.test(name))).toEqual([]);
}, 120_000);

test("the list has name, date, size and the newest migration", async () => {
  expect(await done("list")).toEqual([
    expect.objectContaining({ name: "before-restore" }),
    {
      name: "two",
      made: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      bytes: expect.any(Number),
      migration: "20260101000001",
      unfit: null,
    },
  ]);
  const { stdout } = await project.run("snapshot", "list");
  expect(stdout).toMatch(/^two +\| \S+ \S+ \| \d+ MB \| 20260101000001/m);
});

test("requests and uploads wait while a snapshot is saved or restored, and none fails", async () => {
  let running = true;
  const failures: string[] = [];
  const counts: number[] = [];
  const files = clientOf(project).storage.from("files");
  const load = async (ask: (round: number) => Promise<string | undefined>) => {
    const at = counts.push(0) - 1;
    for (let round = 1; running; round += 1) {
      const failure = await ask(round);
      if (failure !== undefined) failures.push(failure);
      counts[at] = round;
    }
  };
  const row = async (method: string, query: string, body: unknown) => {
    const answer = await project.rest(`notes${query}`, { method, body: JSON.stringify(body) });
    return answer.ok ? undefined : `${method} ${answer.status} ${await answer.text()}`;
  };
  const loads = [
    load(async () => {
      const { status } = await project.rest("notes?select=id");
      return status === 200 ? undefined : `GET ${status}`;
    }),
    load((round) => row("POST", "", { id: 1000 + round, body: "busy" })),
    load((round) => row("PATCH", "?id=eq.1", { body: `busy ${round}` })),
    load(async (round) => (await files.upload(`busy/${round}.txt`, "x".repeat(500_000))).error?.message),
  ];
  const moved = async () => {
    const before = [...counts];
    await expect.poll(() => counts.every((count, at) => count > (before[at] ?? 0))).toBe(true);
  };
  await moved();
  await done("save", "busy");
  await moved();
  running = false;
  await Promise.all(loads);
  expect(failures).toEqual([]);
  // The rows of the restored state and its files agree.
  await done("restore", "busy");
  expect((await project.run("storage", "check")).stdout).toContain("No faults");
  await done("restore", "two");
  await done("delete", "busy");
}, 120_000);

test("sockets are closed with the reason, and sessions that the snapshot does not know have ended", async () => {
  const address = `${project.url.replace("http", "ws")}/realtime/v1/websocket?vsn=1.0.0&apikey=${project.key}`;
  const socket = new WebSocket(address);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const closed = new Promise<[number, string]>((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => resolve([code, reason])),
  );
  const admin = clientOf(project).auth.admin;
  const credentials = { email: "both@example.com", password: "correct horse" };
  expect((await admin.createUser({ ...credentials, email_confirm: true })).error).toBeNull();
  const signIn = async () => {
    const { auth } = createClient(project.url, project.key, { auth: { persistSession: false } });
    const { data } = await auth.signInWithPassword(credentials);
    return data.session?.access_token ?? "";
  };
  const early = await signIn();
  await done("save", "session");
  expect(await closed).toEqual([1012, "A snapshot is saved. Connect again."]);
  const late = await signIn();
  await done("restore", "session");
  const userOf = async (token: string) => {
    const headers = { apikey: project.key, authorization: `Bearer ${token}` };
    return (await fetch(`${project.url}/auth/v1/user`, { headers })).json();
  };
  expect(await userOf(early)).toMatchObject({ email: credentials.email });
  expect(await userOf(late)).toMatchObject({ error_code: "session_not_found" });
  // The keys are the stack's: the same as before.
  expect((await project.rest("notes?select=id")).status).toBe(200);
  await done("restore", "two");
  await done("delete", "session");
}, 120_000);

test("migrations that are newer than the snapshot are applied, and one that fails is named", async () => {
  project.write("migrations/20260301000000_later.sql", "create table public.later (id int);\n");
  await expect.poll(async () => (await project.rest("later")).status).toBe(200);
  expect(await done("restore", "two")).toMatchObject({
    applied: ["supabase/migrations/20260301000000_later.sql"],
  });
  await expect.poll(async () => (await project.rest("later")).status).toBe(200);
  project.write("migrations/20260302000000_bad.sql", "selekt 1;\n");
  await project.says(/20260302000000_bad\.sql/);
  const { code, stderr } = await project.run("snapshot", "restore", "two");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/restored, but without.*20260302000000_bad\.sql/s),
  ]);
  project.write("migrations/20260302000000_bad.sql", "");
  expect((await project.run("migrate")).code).toBe(0);
}, 120_000);

test("names that are not plain, taken or missing are refused, and links are not followed", async () => {
  const refused = async (...args: string[]) => (await snapshot(...args)).stderr;
  for (const name of ["../two", "a/b", "a.b", "", "ä", "x".repeat(65)])
    expect(await refused("save", name), name).toContain("letters, digits, - and _");
  expect(await refused("save", "two")).toContain("There is a snapshot two already.");
  expect(await refused("save", "TWO")).toContain("There is a snapshot two already.");
  expect(await refused("save", "before-restore")).toContain("Choose another one.");
  expect(await refused("restore", "none")).toContain("There is no snapshot none. There are: ");
  expect(await refused("save")).toContain("takes one name");
  symlinkSync(join(home, "snapshots", "two"), join(home, "snapshots", "linked"));
  for (const command of ["restore", "delete"])
    expect(await refused(command, "linked")).toContain("There is no snapshot linked.");
  mkdirSync(join(home, "snapshots", "empty"));
  expect((await done("list")).map((one: { name: string }) => one.name)).toEqual(["before-restore", "two"]);
  symlinkSync("/etc/hostname", join(home, "storage", "link"));
  expect(await refused("save", "with-link")).toContain("neither a file nor a folder");
  expect(existsSync(join(home, "snapshots", "with-link.making"))).toBe(false);
  rmSync(join(home, "storage", "link"));
  expect((await project.rest("notes?select=id")).status).toBe(200);
}, 120_000);

test("a snapshot of other versions is refused in words, and nothing is changed", async () => {
  const file = join(home, "snapshots", "two", "snapshot.json");
  const own = JSON.parse(readFileSync(file, "utf8"));
  const before = await stateOf(project);
  for (const [versions, words] of [
    [{ postgres: "18.1" }, "it was saved with Postgres 18.1"],
    [{ release: "999" }, "it was saved with a newer Homebase (its release is 999"],
    [{ base: "other" }, "a development version of Homebase"],
    [{ machine: "plan9-vax" }, "it was saved on plan9-vax"],
    [
      { extensions: { postgis: "real" } },
      "it has the extension postgis as the real one, and here it is emulated",
    ],
  ] as const) {
    writeFileSync(file, JSON.stringify({ ...own, versions: { ...own.versions, ...versions } }));
    const { code, stderr } = await snapshot("restore", "two");
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect((await done("list")).find((one: { name: string }) => one.name === "two").unfit).toContain(words);
  }
  writeFileSync(file, JSON.stringify(own));
  expect(await stateOf(project)).toEqual(before);
}, 120_000);

test("a restore that fails once it has begun is undone, in a running stack and without one", async () => {
  await change(project, "n4");
  const before = await stateOf(project);
  await done("save", "broken");
  writeFileSync(join(home, "snapshots", "broken", "data", "global", "pg_control"), "broken");
  const held = await snapshot("restore", "broken");
  expect([held.code, held.stderr]).toEqual([
    1,
    expect.stringMatching(/The restore failed; everything is as it was before it\..*pg_control/s),
  ]);
  expect(await stateOf(project)).toEqual(before);
  await project.stop();
  const alone = await snapshot("restore", "broken");
  expect([alone.code, alone.stderr]).toEqual([
    1,
    expect.stringMatching(
      /The restore failed; everything is as it was before it\..*Postgres does not start/s,
    ),
  ]);
  await project.start();
  expect(await stateOf(project)).toEqual(before);
  expect(readdirSync(home).filter((name) => /restoring|replac/.test(name))).toEqual([]);
  await done("delete", "broken");
  await done("restore", "two");
}, 240_000);

test("without a running stack it is saved and restored too, also where the database cannot be opened", async () => {
  await change(project, "n5");
  const state = await stateOf(project);
  await project.stop();
  const { waited } = await done("save", "alone");
  expect(waited).toBeUndefined();
  expect(await done("restore", "two")).toMatchObject({
    applied: expect.arrayContaining(["supabase/migrations/20260301000000_later.sql"]),
  });
  await project.start();
  expect(await stateOf(project)).toEqual(saved.two);
  await project.stop();
  writeFileSync(join(Cluster.dataFolder(project.folder), "PG_VERSION"), "broken");
  await done("restore", "alone");
  await project.start();
  expect(await stateOf(project)).toEqual(state);
  await done("delete", "alone");
  await done("delete", "two");
}, 240_000);

test("in a project without data nothing is saved, restored or made", async () => {
  const empty = new Project();
  for (const [command, words] of [
    ["save", "This project has no data yet."],
    ["restore", "There is no snapshot one."],
    ["delete", "There is no snapshot one."],
  ] as const) {
    const { code, stderr } = await empty.run("snapshot", command, "one");
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
  }
  expect((await empty.run("snapshot", "list", "--json")).stdout).toBe("[]\n");
  expect(existsSync(join(empty.folder, ".homebase"))).toBe(false);
  await empty.remove();
});
