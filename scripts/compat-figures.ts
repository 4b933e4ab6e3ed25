/**
 * Owns the last line of each page of docs/compat: how many tests it has, by which command they run, and which command
 * measures the service. Writes the lines; with --check it only reports pages that differ.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
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

/** The number of tests in these folders or files; one with a table of cases counts once. */
function testsOf(paths: readonly string[]): number {
  const listed = execFileSync(
    process.execPath,
    [join(ROOT, "node_modules/vitest/vitest.mjs"), "list", ...paths, "--json"],
    { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "ignore"] },
  );
  return (JSON.parse(listed.slice(listed.indexOf("["))) as unknown[]).length;
}

/** A page's text with its line of figures at the end. */
function withFigures(text: string, { tests, bench: [name, what] }: Page): string {
  const paths = tests.map((path) => `homebase/test/${path}`);
  const line = `Figures: ${testsOf(paths)} tests, a table of cases counted once (\`npx vitest run ${paths.join(" ")}\`); speed by \`npm run bench -- ${name}\` (${what}).`;
  const rest = text.replace(/^Figures: .*\n\n?/gm, "").trimEnd();
  return `${rest}\n\n${line}\n`;
}

if (process.argv.includes("--help")) console.log("Usage: node scripts/compat-figures.ts [--check]");
else {
  for (const [name, page] of Object.entries(PAGES)) {
    const path = join(ROOT, "docs", "compat", `${name}.md`);
    const text = readFileSync(path, "utf8");
    const made = withFigures(text, page);
    if (made === text) continue;
    if (process.argv.includes("--check")) {
      console.error(`docs/compat/${name}.md has other figures. Run: node scripts/compat-figures.ts`);
      process.exitCode = 1;
    } else writeFileSync(path, made);
  }
}
