/**
 * What Homebase's commands, its wings' too, start and open in a repository that tries everything: only the programs and places of
 * named.ts. Counted with strace, where the machine has it, or with fakes of the programs on PATH; the tests' names say
 * which. HOMEBASE_PROGRAMS=whole runs every command in every repository.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { userCache } from "../../src/core/user-folders.ts";
import { removeServerFolder } from "../cli/project.ts";
import { snapshot } from "../cli/snapshot.ts";
import { leaseHostedPorts, leasePorts } from "../port-lease.ts";
import { places, programs } from "./named.ts";
import { HostileRepository, SECRET } from "./repository.ts";
import { allCommands, apart, runs } from "./runs.ts";
import { means, type Running, startTraced, type Traced } from "./trace.ts";

const WHOLE = process.env.HOMEBASE_PROGRAMS === "whole";
const LONGEST_MS = 60_000;
const KEY = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";

const repositories: HostileRepository[] = [];
const running: Running[] = [];
const offset = leasePorts();
const url = `http://127.0.0.1:${54_321 + offset}`;
const database = `postgresql://postgres:postgres@127.0.0.1:${54_322 + offset}/postgres`;
let count = 0;

afterEach(() => {
  for (const one of running.splice(0)) one.kill();
});
afterAll(() => {
  for (const one of repositories) {
    removeServerFolder(one.folder);
    one.remove();
  }
});

function repository(): HostileRepository {
  const made = new HostileRepository();
  repositories.push(made);
  return made;
}

/** Starts a command in a repository, with this user's folders outside of it. */
function begin(
  at: HostileRepository,
  words: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Running {
  count += 1;

  const env = {
    ...process.env,
    HOME: at.home,
    HOMEBASE_STATE: at.state,
    HOMEBASE_CACHE: userCache(),
    HOMEBASE_PORT_OFFSET: String(offset),
    ...more,
  };
  const one = startTraced([...words.split(" "), ...args], join(at.root, `notes-${count}`), {
    cwd: at.folder,
    env,
  });
  running.push(one);
  return one;
}

/** Resolves when the command has printed a text. */
async function says(one: Running, pattern: RegExp): Promise<void> {
  let over: Traced | undefined;
  void one.ended.then((traced) => {
    over = traced;
  });
  const deadline = Date.now() + LONGEST_MS;
  while (!pattern.test(one.output())) {
    if (over || Date.now() > deadline) throw new Error(`It did not say ${pattern}:\n${one.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The end of a server that was told to stop. @throws Error when it takes too long */
async function ends(one: Running): Promise<Traced> {
  const impatience = setTimeout(() => one.kill(), LONGEST_MS);
  const began = performance.now();
  const traced = await one.ended;
  clearTimeout(impatience);
  if (performance.now() - began >= LONGEST_MS) throw new Error(`It did not stop:\n${traced.output}`);
  return traced;
}

/** What a finished command did beyond what is named: nothing, as each test expects. */
function beyond(
  at: HostileRepository,
  { trace, output }: Traced,
  writable: readonly string[] = [],
): string[] {
  const { folder } = at;
  const known = Object.values(places(at, writable));
  const unnamed = [
    ...trace.programs
      .filter((words) => !Object.values(programs).some(({ is }) => is(words, folder)))
      .map((words) => `started ${words.join(" ").slice(0, 300)}`),
    ...[...trace.read]
      .filter((path) => !known.some(({ is }) => is(path, folder)))
      .map((path) => `read ${path}`),
    ...[...trace.written]
      .filter((path) => !known.some(({ write, is }) => write && is(path, folder)))
      .map((path) => `wrote ${path}`),
    ...readdirSync(at.marks).map((name) => `a payload ran: ${name}`),
  ];
  if (output.includes(SECRET)) unnamed.push(`printed a file outside:\n${output}`);
  return [...new Set(unnamed)].sort();
}

/** Runs a command until it and its descendants end. */
async function run(
  at: HostileRepository,
  words: string,
  args: readonly string[],
  writable?: readonly string[],
) {
  const one = begin(at, words, args);
  const impatience = setTimeout(() => one.kill(), LONGEST_MS);
  const traced = await one.ended;
  clearTimeout(impatience);
  const late = traced.took >= LONGEST_MS ? ["it did not end within 60 s"] : [];
  return { ...traced, beyond: [...beyond(at, traced, writable), ...late] };
}

test("every command has a row among the runs", async () => {
  expect((await allCommands()).sort()).toEqual([...Object.keys(runs), ...Object.keys(apart)].sort());
});

test(`beside a running stack, no command starts or opens more than is named (counted with ${means})`, async () => {
  const at = repository();
  at.fill();
  const outside = snapshot(at.outside);
  const stack = begin(at, "start", []);
  await says(stack, /Homebase is ready/);
  const found: Record<string, string[]> = {};
  for (const [words, { args, writes = [], whole }] of Object.entries(runs)) {
    if (whole && !WHOLE) continue;
    const done = await run(
      at,
      words,
      args.map((one) => one.replace("{url}", database)),
      writes,
    );
    found[words] = done.beyond;
  }
  const headers = { apikey: KEY, "content-type": "application/json" };
  for (const [path, body] of [
    ...["reads", "imports", "mapped", "entry", "config", "npm"].map((name) => [`functions/v1/${name}`]),
    ["rest/v1/things?select=*"],
    ["rest/v1/things", '{"id":"one"}'],
    ["rest/v1/rpc/leave", "{}"],
    ["auth/v1/admin/generate_link", '{"type":"magiclink","email":"one@example.com"}'],
    ["auth/v1/recover", '{"email":"one@example.com"}'],
    ["storage/v1/object/list-v2/b", '{"prefix":""}'],
    ["pg/query", `{"query":"copy (select 1) to program '${at.touch("query")}'"}`],
  ]) {
    const answer = await fetch(`${url}/${path}`, { headers, ...(body ? { method: "POST", body } : {}) });
    expect(await answer.text(), path).not.toContain(SECRET);
  }
  const rest = begin(at, "rest", [], {
    PGRST_DB_URI: database,
    PGRST_DB_ANON_ROLE: "anon",
    PGRST_SERVER_PORT: String(54_329 + offset),
  });
  await says(rest, /API server listening on/);
  expect((await fetch(`http://127.0.0.1:${54_329 + offset}/`)).status).toBe(200);
  rest.interrupt();
  found.rest = beyond(at, await ends(rest));
  found.stop = (await run(at, "stop", [])).beyond;
  const ended = await ends(stack);
  expect(ended.output).not.toContain("Not applied");
  // The count itself: what a start is known to start.
  const names = ended.trace.programs.map(([program = ""]) => basename(program));
  expect(names).toEqual(
    expect.arrayContaining(means === "strace" ? ["sh", "postgres", "cat", "initdb", "deno"] : ["cat"]),
  );
  found.start = beyond(at, ended);
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((words) => [words, []])));
  expect(snapshot(at.outside)).toEqual(outside);
}, 300_000);

test(`a deploy to the stand-in starts and opens no more than is named (counted with ${means})`, async () => {
  const at = repository();
  at.fill('[remotes.production]\nproject_id = "abcdefghijklmnopqrst"\n');
  at.hostileGit();
  const outside = snapshot(at.outside);
  const hosted = begin(at, "hosted", [
    ...["--json", "--ref", "abcdefghijklmnopqrst"],
    ...["--port-offset", String(leaseHostedPorts())],
  ]);
  await says(hosted, /"kind":"ready".*\n/);
  const ready = JSON.parse(/^.*"kind":"ready".*$/m.exec(hosted.output())?.[0] ?? "{}");
  const deploy = begin(
    at,
    "deploy",
    [
      ...["--project-ref", ready.ref, "--api-url", ready.managementUrl, "--project-url", ready.url],
      ...["--db-url", ready.databaseUrl, "--allow-dirty", "--dry-run"],
    ],
    { SUPABASE_ACCESS_TOKEN: ready.accessToken },
  );
  const ended: Record<string, string[]> = { deploy: beyond(at, await ends(deploy)) };
  hosted.interrupt();
  ended.hosted = beyond(at, await ends(hosted));
  expect(ended).toEqual({ deploy: [], hosted: [] });
  expect(snapshot(at.outside)).toEqual(outside);
}, 300_000);

test(`a repair starts and opens no more than is named (counted with ${means})`, async () => {
  const at = repository();
  at.fill();
  at.write(
    "supabase/migrations/20990101000000_missing.sql",
    "alter table public.missing add column a int;\n",
  );
  at.commit();
  at.hostileGit();
  const outside = snapshot(at.outside);
  const done = await run(at, "doctor", ["--write", "--yes"], ["supabase/migrations"]);
  expect(done.beyond).toEqual([]);
  expect(done.output).toMatch(/ {2}wrote supabase\/migrations\/\d+_base\.sql/);
  expect(snapshot(at.outside)).toEqual(outside);
}, 300_000);

/** Commands that use `.homebase/`; the quick pass runs these only. */
const USING_STATE = [
  ...["start", "doctor", "trust", "storage check", "db diff", "test db", "reset"],
  ...["snapshot save", "snapshot list", "snapshot restore"],
];

test(`a committed .homebase is left as it is, and nothing in it runs (counted with ${means})`, async () => {
  const at = repository();
  at.fill();
  at.bringState();
  const before = snapshot(join(at.folder, ".homebase"));
  const found: Record<string, unknown> = {};
  for (const words of WHOLE ? ["start", ...Object.keys(runs)] : USING_STATE) {
    const { args = [], writes = [] } = runs[words] ?? {};
    const done = await run(
      at,
      words,
      args.map((one) => one.replace("{url}", database)),
      writes,
    );
    if (done.beyond.length > 0) found[words] = done.beyond;
    if (["start", "reset", "storage check", "doctor"].includes(words) || words.startsWith("snapshot ")) {
      expect([words, done.code, done.output]).toEqual([words, 1, expect.stringContaining("homebase trust")]);
    }
  }
  expect(found).toEqual({});
  expect(snapshot(join(at.folder, ".homebase"))).toEqual(before);
}, 300_000);

/** Files and folders of a project that are links to outside, and what refuses each. */
const linked: Record<string, (at: HostileRepository) => void> = {
  "supabase/migrations": (at) => at.link("supabase/migrations", "migrations"),
  "supabase/migrations/20200101000000_outside.sql": (at) =>
    at.link("supabase/migrations/20200101000000_outside.sql", "migrations/20200101000000_outside.sql"),
  "supabase/functions": (at) => at.link("supabase/functions", "functions"),
  "supabase/functions/linked": (at) => at.link("supabase/functions/linked", "functions/linked"),
  "supabase/functions/.env": (at) => at.link("supabase/functions/.env", "secret.env"),
  "supabase/tests": (at) => at.link("supabase/tests", "tests"),
  "supabase/tests/one.sql": (at) => at.link("supabase/tests/one.sql", "tests/one.sql"),
  "supabase/schemas": (at) => at.link("supabase/schemas", "migrations"),
  "supabase/seed.sql": (at) => at.link("supabase/seed.sql", "secret.sql"),
  "supabase/roles.sql": (at) => at.link("supabase/roles.sql", "secret.sql"),
  "supabase/config.toml": (at) => at.link("supabase/config.toml", "secret.env"),
  "supabase/templates": (at) => {
    at.link("supabase/templates", ".");
    at.write(
      "supabase/config.toml",
      '[auth.email.template.recovery]\ncontent_path = "./supabase/templates/secret"\n',
    );
  },
  supabase: (at) => at.link("supabase", "."),
  ".env": (at) => at.link(".env", "secret.env"),
  ".env.local": (at) => at.link(".env.local", "secret.env"),
};

test(`links out of a repository are not followed (counted with ${means})`, async () => {
  const found: Record<string, string[]> = {};
  for (const [name, link] of Object.entries(linked)) {
    const at = repository();
    link(at);
    for (const words of WHOLE ? ["doctor", "test db", "db diff"] : ["doctor"]) {
      const done = await run(at, words, []);
      if (done.beyond.length > 0) found[`${name}: ${words}`] = done.beyond;
    }
  }
  expect(found).toEqual({});
}, 300_000);
