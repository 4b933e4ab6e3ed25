/**
 * Runs the project's pgTAP files, each in a database cloned from the project's template, on one connection as
 * role postgres (as `supabase test db` does). Each assertion is a test here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createBackend } from "homebase-stack/testing";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { parseTap, type TapReport } from "./tap.ts";

const folder = join(process.cwd(), "supabase", "tests");
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort();

/** The first column of every row that the file's statements return, in order. */
async function runFile(path: string): Promise<TapReport> {
  const text = readFileSync(path, "utf8");
  await using backend = await createBackend({ coverage: !/^-- coverage: off$/m.test(text) });
  await backend.sql("create extension if not exists pgtap with schema extensions");
  const client = new pg.Client(backend.databaseUrl);
  await client.connect();
  try {
    const results = (await client.query({
      text,
      rowMode: "array",
    })) as unknown as pg.QueryArrayResult[];
    const lines = results.flatMap((result) => result.rows.map(([first]) => String(first)));
    return parseTap(lines);
  } finally {
    await client.end();
  }
}

test("there are pgTAP files", () => {
  expect(files.length).toBeGreaterThan(0);
});

/** Files that run at once: each holds several of the cluster's connections. */
const AT_ONCE = 4;

const reports: [name: string, outcome: TapReport | Error][] = [];
const remaining = files.values();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const name of remaining) {
      const outcome = await runFile(join(folder, name)).catch((error: Error) => error);
      reports.push([basename(name, ".sql"), outcome]);
    }
  }),
);

for (const [name, outcome] of reports) {
  describe(name, () => {
    test("runs to its end", () => {
      if (outcome instanceof Error) throw outcome;
    });
    if (outcome instanceof Error) return;

    test("keeps its plan", () => {
      expect(outcome.planned).toBeGreaterThan(0);
      expect(outcome.assertions.length).toBe(outcome.planned);
      // "Looks like you failed" is redundant: the assertions report it themselves.
      expect(outcome.complaints.filter((line) => !/^Looks like you failed/.test(line))).toEqual([]);
    });
    for (const { number, passed, description, diagnostics } of outcome.assertions) {
      test(`${number} ${description}`, () => {
        expect(passed, diagnostics.join("\n")).toBe(true);
      });
    }
  });
}
