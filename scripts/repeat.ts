/**
 * `npm run repeat`: runs test files many times, in random order and beside busy processes, and goes on where an earlier run
 * was stopped. A test that fails once in many runs is found here before it stops a release.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { againInMemory } from "./in-memory.ts";
import { binary, endWithParent, exitWithHelp, node, root, run } from "./process.ts";

const HELP = `Usage: npm run repeat -- [options] [part of a path ...]

Runs each integration and end-to-end file, or those whose path has one of the parts, several times beside busy processes.
Its log is test-results/repeat.jsonl: the next call goes on from there.

Options:
  --times N      how often each file runs (default 20)
  --busy N       processes that keep the cores busy meanwhile (default 3)
  --since REV    files that have changed since then come first
  --minutes N    end after the file that runs then
  --fresh        forget the log of earlier calls
  -h, --help     this text`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: "string", default: "20" },
    busy: { type: "string", default: "3" },
    since: { type: "string" },
    minutes: { type: "string" },
    fresh: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) exitWithHelp(HELP);

/** One run of one file. */
interface Run {
  file: string;
  round: number;
  passed: boolean;
  seconds: number;
}

/** By project of Vitest; none for Playwright. */
const GROUPS: readonly (readonly [project: string | undefined, pattern: string])[] = [
  ["homebase", "homebase/{test,wings}/**/*.integration.test.ts"],
  ["integration", "tests/integration/**/*.test.ts"],
  [undefined, "tests/e2e/**/*.spec.ts"],
];
const FOLDER = join(root, "test-results");
const LOG = join(FOLDER, "repeat.jsonl");

const files = new Map(
  GROUPS.flatMap(([project, pattern]) =>
    globSync(pattern, { cwd: root })
      .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
      .map((file) => [file, project] as const),
  ),
);
if (files.size === 0) exitWithHelp(`No test file has one of these in its path.\n\n${HELP}`);
const touched = new Set(
  values.since === undefined
    ? []
    : execFileSync("git", ["diff", "--name-only", values.since], { cwd: root, encoding: "utf8" }).split("\n"),
);

mkdirSync(FOLDER, { recursive: true });
if (values.fresh) rmSync(LOG, { force: true });
const done: Run[] = existsSync(LOG)
  ? readFileSync(LOG, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Run)
  : [];
const known = new Set(done.map(({ file, round }) => `${round} ${file}`));

endWithParent();
const ended = await againInMemory();
if (ended !== undefined) process.exit(ended);
const loops: ChildProcess[] = Array.from({ length: Number(values.busy) }, () =>
  spawn(node, ["-e", "for (;;) {}"], { stdio: "ignore" }),
);
process.on("exit", () => {
  for (const loop of loops) loop.kill("SIGKILL");
});

const ends =
  values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;
for (let round = 1; round <= Number(values.times); round += 1) {
  for (const file of shuffled([...files.keys()])) {
    if (known.has(`${round} ${file}`)) continue;
    if (Date.now() > ends) finish();
    const project = files.get(file);
    const began = performance.now();
    const command =
      project === undefined
        ? [binary("playwright"), ["test", file, "--reporter=dot"]]
        : [binary("vitest"), ["run", file, "--project", project, "--reporter=dot", "--silent=passed-only"]];
    const code = await run(command[0] as string, command[1] as string[]);
    const one: Run = {
      file,
      round,
      passed: code === 0,
      seconds: Math.round((performance.now() - began) / 1000),
    };
    done.push(one);
    appendFileSync(LOG, `${JSON.stringify(one)}\n`);
  }
}
finish();

/** In random order, those that have changed first. */
function shuffled(names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, at: Math.random() - (touched.has(name) ? 1 : 0) }))
    .sort((one, other) => one.at - other.at)
    .map(({ name }) => name);
}

function finish(): never {
  const failed = done.filter(({ file, passed }) => files.has(file) && !passed);
  for (const { file, round } of failed) console.log(`failed in round ${round}: ${file}`);
  const counted = done.filter(({ file }) => files.has(file));
  console.log(
    `${counted.length} of ${files.size * Number(values.times)} runs of ${files.size} files, ${failed.length} failed`,
  );
  process.exit(failed.length === 0 ? 0 : 1);
}
