/** Nosh's migrations pass the linter. */
import { join } from "node:path";
import { lintProject } from "homebase-stack/deploy";
import { expect, test } from "vitest";

test("no migration locks, destroys, or leaves out row security, search_path or an index", () => {
  const found = lintProject(join(import.meta.dirname, "..", ".."));
  expect(found.map(({ path, line, message }) => `${path}:${line}: ${message}`)).toEqual([]);
});
