/**
 * Broken, missing and misplaced files of `.homebase/`: each is recreated or refused with a message; rows and
 * files are kept.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { NOTES_PROJECT } from "./notes-project.ts";
import { Project } from "./project.ts";

let project: Project;
let home: string;
let data: string;

beforeAll(async () => {
  project = new Project({
    ...NOTES_PROJECT,
    "config.toml": 'project_id = "data"\n[storage.buckets.files]\npublic = true\n',
    "migrations/20260101000001_vault.sql": "create extension if not exists supabase_vault;\n",
  });
  await project.start();
  await project.rest("notes", { method: "POST", body: '{"id":2,"body":"kept"}' });
  const client = createClient(project.url, project.secret, { auth: { persistSession: false } });
  expect((await client.storage.from("files").upload("a.txt", "bytes")).error).toBeNull();
  await fetch(`${project.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: project.key, "content-type": "application/json" },
    body: JSON.stringify({ email: "ana@example.com", password: "correct horse" }),
  });
  await project.stop();
  home = join(project.folder, ".homebase");
  data = Cluster.dataFolder(project.folder);
}, 300_000);
afterAll(() => project.remove(), 120_000);

/** What must work after any successful start. */
async function expectEverything(): Promise<void> {
  expect(await (await project.rest("notes?select=id,body&order=id")).json()).toEqual([
    { id: 1, body: "seeded" },
    { id: 2, body: "kept" },
  ]);
  const file = await fetch(`${project.url}/storage/v1/object/public/files/a.txt`);
  expect([file.status, await file.text()]).toEqual([200, "bytes"]);
}

/** Damages of a file. */
const harms: Record<string, (path: string) => void> = {
  emptied: (path) => truncateSync(path, 0),
  cut: (path) => truncateSync(path, Math.floor(lstatSync(path).size / 2)),
  deleted: (path) => rmSync(path, { recursive: true }),
  "a folder": (path) => {
    rmSync(path, { recursive: true });
    mkdirSync(path);
  },
};

const EVERY = Object.keys(harms);

/**
 * Files that a start reads or writes besides the tables: `refused` lists the damages after which it must stop
 * with a message; after the others it recreates the file.
 */
function stateFiles(): { path: string; refused: readonly string[] }[] {
  const of = (folder: string, files: Record<string, readonly string[]>) =>
    Object.entries(files).map(([name, refused]) => ({ path: join(folder, name), refused }));
  return [
    ...of(data, {
      "homebase.version": [],
      "../data.vault-key": ["a folder"],
      PG_VERSION: EVERY,
      // Outranked by the command line, and by rules outside of the folder.
      "postgresql.conf": [],
      "postgresql.auto.conf": ["a folder"],
      "pg_hba.conf": [],
      "global/pg_control": ["emptied", "deleted", "a folder"],
      "postmaster.pid": ["a folder"],
      "postmaster.opts": ["a folder"],
    }),
    ...of(home, {
      "made-here": EVERY,
      lock: ["a folder"],
      "state.json": [],
      "logs/homebase.jsonl": [],
      "inbox/23456789abcdefghijkmno.json": [],
      "storage/database-id": ["a folder"],
    }),
  ];
}

test("each state file emptied, cut, deleted or turned into a folder: rebuilt or refused in words, nothing lost", async () => {
  // What a kill leaves, and a mail.
  writeFileSync(join(data, "postmaster.pid"), "999999\n");
  writeFileSync(join(home, "state.json"), '{"pid":999999}');
  writeFileSync(join(home, "inbox", "23456789abcdefghijkmno.json"), '{"id":"23456789abcdefghijkmno"}', {
    mode: 0o600,
  });
  const files = stateFiles();
  const saved = files.map(({ path }) => save(path));
  for (const [harm, apply] of Object.entries(harms)) {
    for (const { path, refused } of files) {
      if (!refused.includes(harm)) continue;
      for (const restore of saved) restore();
      apply(path);
      const { ready, output } = await project.tryStart();
      expect(output, `${path} ${harm}`).toMatch(/^Error: [A-Z/].*\.\n$/s);
      expect(output, `${path} ${harm}`).not.toMatch(/^\s+at .*:\d+:\d+\)?$|node:internal|undefined/m);
      expect(ready, `${path} ${harm}`).toBe(false);
    }
    for (const restore of saved) restore();
    for (const { path, refused } of files) if (!refused.includes(harm)) apply(path);
    const { ready, output } = await project.tryStart();
    expect(ready, output).toBe(true);
    await expectEverything();
    await project.stop();
  }
  for (const restore of saved) restore();
}, 300_000);

/**
 * Saves a file.
 * @returns a function that restores it.
 */
function save(path: string): () => void {
  const { mode, uid, gid } = lstatSync(path);
  const bytes = readFileSync(path);
  return () => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    chmodSync(path, mode & 0o777);
    chownSync(path, uid, gid);
  };
}

test("files whose database is missing are kept, and the start is refused until either is put in order", async () => {
  renameSync(data, `${data}.away`);
  for (const command of ["first", "second"]) {
    const { ready, output } = await project.tryStart();
    expect(ready, command).toBe(false);
    expect(output).toMatch(
      /There are stored files in .*but the database that they belong to is not in .*Restore the database's folder/s,
    );
    expect(existsSync(data)).toBe(false);
  }
  renameSync(`${data}.away`, data);
  await project.start();
  await expectEverything();
  await project.stop();
}, 300_000);

test("a missing folder of stored files is said at the start, and nothing is removed", async () => {
  const objects = join(home, "storage", "objects");
  renameSync(objects, `${objects}.away`);
  await project.start();
  expect(project.output).toContain(`The stored files are missing: ${objects}`);
  expect(project.output).toContain("1 object has a row");
  await project.stop();
  rmSync(objects, { recursive: true, force: true });
  renameSync(`${objects}.away`, objects);
  await project.start();
  expect(project.output).not.toContain("missing");
  await expectEverything();
  await project.stop();
}, 300_000);

test("files of another database are refused, not swept", async () => {
  const storage = join(home, "storage");
  const id = join(storage, "database-id");
  const put = save(id);
  writeFileSync(id, "00000000-0000-4000-8000-000000000000\n");
  const before = readdirSync(storage, { recursive: true });
  const { ready, output } = await project.tryStart();
  expect(ready).toBe(false);
  expect(output).toMatch(/do not belong to this project's database/);
  expect((await project.run("storage", "check")).stderr).toMatch(/do not belong to this project's database/);
  expect(readdirSync(storage, { recursive: true })).toEqual(before);
  put();
}, 300_000);

test("a lost key of Vault is said while secrets need it, and never replaced then", async () => {
  await project.start();
  const client = new pg.Client({ connectionString: project.database });
  await client.connect();
  await client.query("select vault.create_secret('hush', 'a')");
  await client.end();
  await project.stop();
  const key = `${data}.vault-key`;
  const put = save(key);
  rmSync(key);
  await project.start();
  await project.says(/key of Vault is missing.*1 secret in vault.secrets cannot be read/s);
  expect(existsSync(key)).toBe(false);
  await expectEverything();
  await project.stop();
  put();
  await project.start();
  expect(project.output).not.toMatch(/key of Vault/);
  const again = new pg.Client({ connectionString: project.database });
  await again.connect();
  const { rows } = await again.query("select decrypted_secret as secret from vault.decrypted_secrets");
  expect(rows).toEqual([{ secret: "hush" }]);
  await again.end();
  await project.stop();
}, 300_000);

test("nobody else can read mails, files, log, or reach Postgres's socket", async () => {
  await project.start();
  const open = (path: string) => lstatSync(path).mode & 0o077;
  for (const name of ["storage", "inbox", "logs"]) {
    expect(open(join(home, name)), name).toBe(0);
    for (const entry of readdirSync(join(home, name), { recursive: true, encoding: "utf8" })) {
      expect(open(join(home, name, entry)), entry).toBe(0);
    }
  }
  const { controlSocket } = JSON.parse(readFileSync(join(home, "state.json"), "utf8")) as {
    controlSocket: string;
  };
  const sockets = dirname(controlSocket);
  // For root, Postgres's own user must be able to traverse it; nobody may list it.
  expect(open(sockets) & 0o066).toBe(0);
  for (const entry of readdirSync(sockets)) expect(open(join(sockets, entry)), entry).toBe(0);
  await project.stop();
}, 300_000);

test("a database that cannot be opened is kept aside by a reset, with its files", async () => {
  rmSync(join(data, "PG_VERSION"));
  const { code, stdout } = await project.run("reset");
  expect([code, stdout]).toEqual([0, expect.stringContaining("The previous data is in ")]);
  const aside = [...stdout.matchAll(/previous data is in (.*)$/gm)].map((match) => match[1] ?? "");
  const names = aside.flatMap((folder) => readdirSync(folder));
  expect(names.sort()).toEqual(["data", "data.vault-key", "storage"]);
  await project.start();
  expect(await (await project.rest("notes?select=id")).json()).toEqual([{ id: 1 }]);
}, 300_000);
