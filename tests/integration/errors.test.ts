/** Completeness of the error catalogue: a test raises each code that the database can raise. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../target/integration.ts";

const root = join(import.meta.dirname, "..", "..");
const backend = await forThisFile(createBackend());

/** The text of all test files of a folder but this one. */
function sourceOf(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|sql)$/.test(name) && name !== "errors.test.ts")
    .map((name) => readFileSync(join(root, folder, name), "utf8"))
    .join("\n");
}

test("each code is raised by a test", async () => {
  const codes = await backend.sql<{ code: string; status: number }>(
    "select code, status from private.errors",
  );
  expect(codes.length).toBeGreaterThan(50);
  const [sql, integration] = [sourceOf("supabase/tests"), sourceOf("tests/integration")];
  const unraised = codes.filter(
    ({ code, status }) =>
      !sql.includes(`PT${status} ${code}'`) && !new RegExp(`["']${code}["']`).test(integration),
  );
  expect(unraised.map(({ code }) => code)).toEqual([]);
});
