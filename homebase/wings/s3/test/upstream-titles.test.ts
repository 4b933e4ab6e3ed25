/** Tests that each title of upstream's suites points to a test that exists. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UPSTREAM_TITLES } from "./upstream-titles.ts";

test.each(UPSTREAM_TITLES)("%s: %s", (_upstream, file, title) => {
  const source = readFileSync(join(import.meta.dirname, `${file}.integration.test.ts`), "utf8");
  expect(source).toContain(`test("${title}"`);
});
