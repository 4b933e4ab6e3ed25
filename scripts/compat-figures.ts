/**
 * Owns the last line of each page of docs/compat: how many of its test cases passed and when, by which command they
 * run, and which command measures the service. Runs the tests of the pages named as arguments (all without one), or
 * with `--last` takes them from the last `npm test`, and writes their lines. A page whose run has a failure gets its
 * line all the same, and the exit code is 1.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

interface Page {
  /** Folders or files below homebase/test. */
  tests: string[];
  /** The argument of `npm run bench --`, and what it measures. */
  bench: [name: string, what: string];
}

const PAGES: Record<string, Page> = {
  auth: { tests: ["auth"], bench: ["auth", "sign-ins and refreshes a second"] },
  extensions: { tests: ["postgres/extensions"], bench: ["vector", "searches of 10,000 rows"] },
  functions: { tests: ["functions"], bench: ["functions", "first and warm calls, memory, reload"] },
  platform: {
    tests: [
      "http",
      "cli",
      "mail",
      "background",
      "postgres",
      "backend",
      "hosted",
      "deploy",
      "meta",
      "surprises",
    ],
    bench: ["boot clone", "start, memory, copies of a database"],
  },
  realtime: { tests: ["realtime"], bench: ["realtime", "from insert to event, broadcasts, joins"] },
  rest: { tests: ["rest"], bench: ["rest", "compared with the bare driver"] },
  storage: { tests: ["storage"], bench: ["storage", "compared with a plain file server"] },
};

/** The part of Vitest's JSON report that the figures need. */
interface Report {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** What the last `npm test` wrote of these folders or files. @throws Error when it wrote no report. */
function lastRun(paths: readonly string[]): Report {
  const all = ["unit", "integration"].flatMap((check) => {
    const text = readFileSync(join(ROOT, "test-results", `${check}.json`), "utf8");
    return (JSON.parse(text) as Report).testResults;
  });
  const isOf = (name: string, path: string) =>
    name.includes(`/${path}/`) || name.includes(`/${path}.integration.test.ts`);
  return { testResults: all.filter(({ name }) => paths.some((path) => isOf(name, path))) };
}

/** Runs these folders or files. @throws Error when Vitest wrote no report. */
function run(paths: readonly string[]): Report {
  const folder = mkdtempSync(join(tmpdir(), "compat-figures-"));
  const outputFile = join(folder, "report.json");
  try {
    spawnSync(
      process.execPath,
      [
        join(ROOT, "node_modules/vitest/vitest.mjs"),
        "run",
        ...paths,
        "--reporter=json",
        `--outputFile=${outputFile}`,
      ],
      { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] },
    );
    return JSON.parse(readFileSync(outputFile, "utf8")) as Report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The line of figures: each case of a table counts, and cases that this machine cannot run are named as not run.
 * @throws Error when a file failed before its tests.
 */
function figures({ tests, bench: [name, what] }: Page, { testResults }: Report) {
  const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  if (broken.length > 0)
    throw new Error(`These files did not load: ${broken.map((file) => file.name).join(", ")}`);
  const paths = tests.map((path) => `homebase/test/${path}`).join(" ");
  const cases = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (wanted: string) => cases.filter(({ status }) => status === wanted).length;
  const [total, passed, failed] = [cases.length, count("passed"), count("failed")];
  const left = total - passed - failed;
  const date = new Date().toISOString().slice(0, 10);
  return `Figures: ${passed} of ${total} cases passed on ${date}, ${failed} failed, ${left} not run (\`npx vitest run ${paths}\`); speed by \`npm run bench -- ${name}\` (${what}).`;
}

const last = process.argv.includes("--last");
const named = process.argv.slice(2).filter((name) => name !== "--last");
const unknown = named.filter((name) => !(name in PAGES));
if (named.includes("--help"))
  console.log(`Usage: npm run compat-figures -- [--last] [${Object.keys(PAGES).join("|")}]...`);
else if (unknown.length > 0) {
  console.error(`No page has this name: ${unknown.join(", ")}. Pages: ${Object.keys(PAGES).join(", ")}.`);
  process.exitCode = 1;
} else {
  for (const [name, page] of Object.entries(PAGES)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const path = join(ROOT, "docs", "compat", `${name}.md`);
    const report = (last ? lastRun : run)(page.tests.map((test) => `homebase/test/${test}`));
    const line = figures(page, report);
    const rest = readFileSync(path, "utf8")
      .replace(/^Figures: .*\n\n?/gm, "")
      .trimEnd();
    writeFileSync(path, `${rest}\n\n${line}\n`);
    console.log(`${name}: ${line}`);
    for (const { assertionResults } of report.testResults)
      for (const { status, fullName } of assertionResults)
        if (status === "failed") {
          console.error(`  failed: ${fullName}`);
          process.exitCode = 1;
        }
  }
}
