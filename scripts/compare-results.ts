/**
 * Compares the results of the same tests on two backends: `npm run compare-results -- A.json B.json`, reports
 * of Vitest or Playwright in JSON. Prints each test with another result, and exits with 1 when there is one. Tests
 * that only one of them ran are counted, not compared.
 */
import { readFileSync } from "node:fs";
import { exitWithHelp } from "./process.ts";

type Status = "passed" | "failed" | "skipped";

/** A test's result, and the first line of its error. */
export interface Result {
  status: Status;
  message: string;
}

interface VitestReport {
  testResults: {
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}

interface PlaywrightSuite {
  title: string;
  specs?: {
    title: string;
    tests: { status: string; results: { error?: { message?: string } }[] }[];
  }[];
  suites?: PlaywrightSuite[];
}

/** Results of a report by the test's full name. @throws for another format */
export function resultsOf(report: unknown): Map<string, Result> {
  if (typeof report !== "object" || report === null) throw new Error("The report is not an object.");
  if ("testResults" in report) return ofVitest(report as VitestReport);
  if ("suites" in report) return ofPlaywright((report as { suites: PlaywrightSuite[] }).suites);
  throw new Error("This is neither a report of Vitest nor of Playwright.");
}

function ofVitest({ testResults }: VitestReport): Map<string, Result> {
  return new Map(
    testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .map(({ fullName, status, failureMessages }) => [
        fullName,
        {
          status: status === "passed" || status === "failed" ? status : "skipped",
          message: firstLine(failureMessages?.[0]),
        },
      ]),
  );
}

const PLAYWRIGHT: Readonly<Record<string, Status>> = {
  expected: "passed",
  flaky: "passed",
  unexpected: "failed",
  skipped: "skipped",
};

function ofPlaywright(suites: readonly PlaywrightSuite[], above = ""): Map<string, Result> {
  const found = new Map<string, Result>();
  for (const { title, specs = [], suites: inner = [] } of suites) {
    const path = `${above}${title} > `;
    for (const spec of specs) {
      const [test] = spec.tests;
      found.set(path + spec.title, {
        status: PLAYWRIGHT[test?.status ?? ""] ?? "failed",
        message: firstLine(test?.results.find(({ error }) => error)?.error?.message),
      });
    }
    for (const [name, result] of ofPlaywright(inner, path)) found.set(name, result);
  }
  return found;
}

function firstLine(text = ""): string {
  return text.split("\n", 1)[0]?.trim() ?? "";
}

/** The tests with another result, in words; how many were compared, and how many only one of them ran. */
export function differences(
  left: ReadonlyMap<string, Result>,
  right: ReadonlyMap<string, Result>,
): { differing: string[]; compared: number; onlyOnOne: number } {
  const ran = (results: ReadonlyMap<string, Result>) =>
    new Map([...results].filter(([, { status }]) => status !== "skipped"));
  const [there, here] = [ran(left), ran(right)];
  const both = [...there].filter(([name]) => here.has(name));
  const differing = both.flatMap(([name, one]) => {
    const other = here.get(name);
    if (!other || other.status === one.status) return [];
    return [`${name}\n  ${one.status}, then ${other.status}: ${one.message || other.message}`];
  });
  return {
    differing,
    compared: both.length,
    onlyOnOne: there.size + here.size - 2 * both.length,
  };
}

const HELP = "Usage: npm run compare-results -- A.json B.json";

if (import.meta.main) {
  if (process.argv.includes("--help")) exitWithHelp(HELP);
  const [left, right] = process.argv
    .slice(2)
    .map((path) => resultsOf(JSON.parse(readFileSync(path, "utf8"))));
  if (!left || !right) {
    console.error(HELP);
    process.exit(2);
  }
  const { differing, compared, onlyOnOne } = differences(left, right);
  for (const line of differing) console.log(line);
  console.log(`${compared} tests compared, ${differing.length} differ, ${onlyOnOne} ran on only one of them`);
  process.exit(differing.length === 0 ? 0 : 1);
}
