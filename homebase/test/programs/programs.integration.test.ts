/**
 * What Homebase's commands start and open in a repository that tries everything: only the programs and places of
 * named.ts. Counted with strace, where the machine has it, or with fakes of the programs on PATH; the tests' names say
 * which. HOMEBASE_PROGRAMS=whole runs every command in every repository.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { userCache } from "../../src/core/user-folders.ts";
import { removeServerFolder } from "../cli/project.ts";
import { snapshot } from "../cli/snapshot.ts";
import { leasePorts } from "../port-lease.ts";
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

/** What a finished command did beyond what is named: nothing, as each test expects. */
function beyond(
  at: HostileRepository,
  { trace, output, took }: Traced,
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
  if (took > LONGEST_MS) unnamed.push(`took ${took} ms`);
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
  return { ...traced, beyond: beyond(at, traced, writable) };
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
    console.log(words, done.code, Math.round(done.took), done.output.slice(0, 600), done.beyond);
    if (done.beyond.length > 0) found[words] = done.beyond;
  }
  const headers = { apikey: KEY, "content-type": "application/json" };
  for (const name of ["reads", "imports", "mapped", "entry"]) {
    const answer = await fetch(`${url}/functions/v1/${name}`, { headers });
    const text = await answer.text();
    console.log(name, answer.status, text);
    expect(text).not.toContain(SECRET);
  }
  for (const path of ["rest/v1/things?select=*", "rest/v1/rpc/leave", "storage/v1/bucket"]) {
    const answer = await fetch(`${url}/${path}`, { headers });
    expect(await answer.text()).not.toContain(SECRET);
  }
  const stopped = await run(at, "stop", []);
  if (stopped.beyond.length > 0) found.stop = stopped.beyond;
  const ended = await stack.ended;
  console.log(ended.output.slice(0, 3000));
  const own = beyond(at, ended);
  if (own.length > 0) found.start = own;
  expect(found).toEqual({});
  expect(snapshot(at.outside)).toEqual(outside);
}, 300_000);
