/**
 * Owns the last line of each page of docs/compat: how many of its test cases passed and when, by which command they
 * run, and which command measures the service. Runs the tests of the pages named as arguments (all without one) and
 * writes their lines. A page whose run has a failure gets its line all the same, and the exit code is 1.
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

/** The parts of Vitest's JSON report that the figures need. */
interface Report {
  numTotalTests: number;
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** Runs these folders or files. @throws Error when Vitest wrote no report, or a file failed before its tests. */
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
    const report = JSON.parse(readFileSync(outputFile, "utf8")) as Report;
    const broken = report.testResults.filter(
      (file) => file.status === "failed" && file.assertionResults.length === 0,
    );
    if (broken.length > 0) {
      throw new Error(`These files did not load: ${broken.map((file) => file.name).join(", ")}`);
    }
    return report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The line of figures: each case of a table counts, and cases that this machine cannot run are named as not run. */
function figures(
  { tests, bench: [name, what] }: Page,
  { numTotalTests: total, numPassedTests: passed, numFailedTests: failed }: Report,
) {
  const paths = tests.map((path) => `homebase/test/${path}`).join(" ");
  const left = total - passed - failed;
  const date = new Date().toISOString().slice(0, 10);
  return `Figures: ${passed} of ${total} cases passed on ${date}, ${failed} failed, ${left} not run (\`npx vitest run ${paths}\`); speed by \`npm run bench -- ${name}\` (${what}).`;
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in PAGES));
if (named.includes("--help"))
  console.log(`Usage: node scripts/compat-figures.ts [${Object.keys(PAGES).join("|")}]...`);
else if (unknown.length > 0) {
  console.error(`No page has this name: ${unknown.join(", ")}. Pages: ${Object.keys(PAGES).join(", ")}.`);
  process.exitCode = 1;
} else {
  for (const [name, page] of Object.entries(PAGES)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const path = join(ROOT, "docs", "compat", `${name}.md`);
    const report = run(page.tests.map((test) => `homebase/test/${test}`));
    const line = figures(page, report);
    const rest = readFileSync(path, "utf8")
      .replace(/^Figures: .*\n\n?/gm, "")
      .trimEnd();
    writeFileSync(path, `${rest}\n\n${line}\n`);
    console.log(`${name}: ${line}`);
    for (const { assertionResults } of report.testResults)
      for (const { status, fullName } of assertionResults)
        if (status === "failed") console.error(`  failed: ${fullName}`);
    if (report.numFailedTests > 0) process.exitCode = 1;
  }
}
