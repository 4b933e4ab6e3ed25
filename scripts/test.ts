/**
 * `npm test`: runs every check, fastest first, and counts the results. Thin: each check is a tool's own
 * command.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { ensureBrowser } from "./browser.ts";
import { againInMemory } from "./in-memory.ts";
import { binary, capture, endWithParent, exitWithHelp, node, nodeFlags, root, run } from "./process.ts";
import { ensureSupabase } from "./supabase-cli.ts";

const HELP = `Usage: npm test -- [check ...]

Runs every check, or only those named: types, lint, unit, sql, integration, e2e.
quick stands for types, lint and unit: what needs neither a database nor a browser.
core, which is not part of the whole, runs the tests of Homebase's core in a copy without any wing.
Installs what is missing, the browser and the Supabase CLI included. Exits with 1 when any check fails.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h" } },
});
if (values.help) exitWithHelp(HELP);

interface Outcome {
  passed: number;
  failed: number;
  /** Names of flaky tests, which failed first and then passed. */
  again?: string[];
  /** Why some tests were skipped. */
  skipped?: string;
  /** Each failed test with its file, and what it said. */
  failures?: { name: string; message: string }[];
}

endWithParent();
const ended = await againInMemory();
if (ended !== undefined) process.exit(ended);
const results = join(root, "test-results");
mkdirSync(results, { recursive: true });

const checks: Record<string, () => Promise<Outcome>> = {
  types: async () => {
    const projects = [
      ".",
      "web",
      "tests/e2e",
      ...globSync("homebase/wings/*/*/tsconfig.json", { cwd: root }).map(dirname),
    ];
    const kept = (project: string) =>
      join(root, "node_modules", ".cache", "types", `${project.replaceAll("/", "-")}.json`);
    const codes = await Promise.all([
      ...projects.map((project) =>
        // Files that have not changed since the last run are not checked again.
        run(binary("tsc"), ["--noEmit", "-p", project, "--incremental", "--tsBuildInfoFile", kept(project)]),
      ),
      checkFunctions(),
    ]);
    return one(codes.every((code) => code === 0));
  },
  lint: async () =>
    one(
      (await run(binary("biome"), ["check", "--error-on-warnings", "."])) === 0 &&
        (await run(node, [...nodeFlags, join(root, "scripts", "import-rules.ts")])) === 0,
    ),
  unit: () => vitest("unit", ["unit", "web"]),
  sql: () => vitest("sql", ["sql"]),
  integration,
  e2e,
};
/** Run only when they are named. */
const named: typeof checks = {
  core: async () => {
    const { coreTests, copyWithoutWings } = await import("./core-copy.ts");
    await using copy = copyWithoutWings();
    return await vitest("core", ["unit", "homebase"], { cwd: copy.folder, files: coreTests() });
  },
};

const QUICK = ["types", "lint", "unit"];
const wanted =
  positionals.length > 0
    ? [...new Set(positionals.flatMap((name) => (name === "quick" ? QUICK : [name])))]
    : Object.keys(checks);
const unknown = wanted.filter((name) => !checks[name] && !named[name]);
if (unknown.length > 0) {
  console.error(`There is no check ${unknown.join(", ")}. ${HELP}`);
  process.exit(2);
}

const total: Outcome = { passed: 0, failed: 0 };
const lines: string[] = [];
const failures: string[] = [];
for (const name of wanted) {
  console.log(`\n== ${name}`);
  const began = performance.now();
  const outcome = (await (checks[name] ?? named[name])?.()) ?? { passed: 0, failed: 1 };
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  lines.push(`  ${name.padEnd(12)} ${outcome.passed} passed, ${outcome.failed} failed, ${seconds} s`);
  for (const test of outcome.again ?? []) lines.push(`               passed at the second try only: ${test}`);
  if (outcome.skipped) lines.push(`               skipped: ${outcome.skipped}`);
  for (const failure of outcome.failures ?? [])
    failures.push(`  ✗ ${failure.name}\n${shortened(failure.message)}`);
}
// Last, so that a log of which only the end is kept still names them.
if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}`);
console.log(`\n${lines.join("\n")}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
await notePassed();
process.exit(total.failed === 0 ? 0 : 1);

/** For `npm run deploy`: records that every check has passed for a commit, without uncommitted changes. */
async function notePassed(): Promise<void> {
  const whole = Object.keys(checks).every((name) => wanted.includes(name));
  if (!whole || total.failed > 0) return;
  const [{ stdout: head }, { stdout: changed }] = await Promise.all([
    capture("git", ["rev-parse", "HEAD"]),
    capture("git", ["status", "--porcelain"]),
  ]);
  if (changed.trim() !== "") return;
  writeFileSync(join(results, "passed.json"), JSON.stringify({ commit: head.trim() }));
}

/** The first lines of a failure, indented and without colors. */
function shortened(message: string): string {
  const lines = stripVTControlCharacters(message).split("\n");
  return lines
    .slice(0, 12)
    .map((line) => `      ${line}`)
    .join("\n");
}

/** The types of the edge functions, by their own runtime, which finds their packages by the versions in their imports. */
function checkFunctions(): Promise<number> {
  const files = globSync("supabase/functions/*/index.ts", { cwd: root });
  return run(binary("deno"), ["check", "--quiet", "--no-lock", "--node-modules-dir=none", ...files], {
    env: { ...process.env, DENO_NO_PACKAGE_JSON: "1" },
  });
}

function one(passed: boolean): Outcome {
  return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function vitest(
  name: string,
  projects: string[],
  { cwd = root, files = [] as string[] } = {},
): Promise<Outcome> {
  const report = join(results, `${name}.json`);
  const args = ["run", ...files, ...projects.flatMap((project) => ["--project", project])];
  // One line a file; the output of a passing test is dropped.
  args.push("--reporter=default", "--silent=passed-only", "--reporter=json", `--outputFile.json=${report}`);
  const code = await run(node, [binary("vitest"), ...args], { cwd });
  return outcomeOf(report, code, (text) => {
    const report = JSON.parse(text) as VitestReport;
    const tests = report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map((test) => ({ ...test, file: relative(cwd, name) })),
    );
    // A flaky test keeps the output of its failure.
    const again = tests.filter(
      ({ status, failureMessages }) => status === "passed" && failureMessages.length > 0,
    );
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      again: again.map(({ fullName }) => fullName),
      failures: [
        ...tests
          .filter(({ status }) => status === "failed")
          .map(({ file, fullName, failureMessages }) => ({
            name: `${file}: ${fullName}`,
            message: failureMessages.join("\n"),
          })),
        // A file that could not be read, or whose setup failed, has no failed test of its own.
        ...report.testResults
          .filter(({ status, message }) => status === "failed" && message)
          .map(({ name, message = "" }) => ({ name: relative(root, name), message })),
      ],
    };
  });
}

/** Where the Supabase CLI cannot be installed its tests are skipped, which the summary says. */
async function integration(): Promise<Outcome> {
  let missing: string | undefined;
  try {
    process.env.SUPABASE_CLI = await ensureSupabase();
  } catch (error) {
    missing = error instanceof Error ? error.message : String(error);
    process.env.SUPABASE_CLI_MISSING = missing;
  }
  const { buildForTests } = await import("../homebase/build/for-tests.ts");
  process.env.HOMEBASE_TEST_COMMAND = await buildForTests();
  const outcome = await vitest("integration", ["homebase", "integration"]);
  return missing === undefined ? outcome : { ...outcome, skipped: `the Supabase CLI's tests. ${missing}` };
}

async function e2e(): Promise<Outcome> {
  for (const build of ["shell", "whole"] as const) await ensureBrowser(build);
  const report = join(results, "e2e.json");
  const code = await run(node, [binary("playwright"), "test", "--reporter=list,json"], {
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
  });
  return outcomeOf(report, code, (text) => {
    const { stats, suites } = JSON.parse(text) as PlaywrightReport;
    const specs = (suite: PlaywrightSuite): PlaywrightSpec[] => [
      ...(suite.specs ?? []),
      ...(suite.suites ?? []).flatMap(specs),
    ];
    const all = suites.flatMap(specs);
    const withStatus = (wanted: string) =>
      all.filter(({ tests }) => tests.some(({ status }) => status === wanted));
    return {
      passed: stats.expected + stats.flaky,
      failed: stats.unexpected,
      again: withStatus("flaky").map(({ title }) => title),
      failures: withStatus("unexpected").map(({ file, title, tests }) => ({
        name: `${file}: ${title}`,
        message: tests.flatMap(({ results }) => results.map(({ error }) => error?.message ?? "")).join("\n"),
      })),
    };
  });
}

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

interface PlaywrightSpec {
  file: string;
  title: string;
  tests: { status: string; results: { error?: { message?: string } }[] }[];
}

interface PlaywrightSuite {
  specs?: PlaywrightSpec[];
  suites?: PlaywrightSuite[];
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: PlaywrightSuite[];
}

/** A tool that fails without a failed test (e.g. a broken setup) counts as one failure. */
function outcomeOf(report: string, code: number, read: (text: string) => Outcome): Outcome {
  const outcome = existsSync(report) ? read(readFileSync(report, "utf8")) : { passed: 0, failed: 0 };
  if (code === 0 || outcome.failed > 0) return outcome;
  const message = `No test failed, but the runner ended with code ${code}: see "Unhandled Errors" or the end of its output.`;
  return { ...outcome, failed: 1, failures: [...(outcome.failures ?? []), { name: report, message }] };
}
