/** Tests the import map that a package.json beside a function is turned into. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { packageMap } from "../../../src/functions/modules/package-map.ts";

const folder = mkdtempSync(join(tmpdir(), "homebase-package-"));
const path = join(folder, "package.json");
afterAll(() => rmSync(folder, { recursive: true }));

function mapOf(content: unknown) {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return packageMap(path).imports;
}

test("packages by range, tag, alias and registry, and what is below them", () => {
  expect(
    mapOf({
      dependencies: { a: "^1.2.3", "@s/b": "latest", c: "npm:other@~2", d: "jsr:@s/d@1", e: "" },
      devDependencies: { f: "1 || 2", a: "0.1" },
    }),
  ).toEqual({
    a: "npm:a@^1.2.3",
    "a/": "npm:/a@^1.2.3/",
    "@s/b": "npm:@s/b@latest",
    "@s/b/": "npm:/@s/b@latest/",
    c: "npm:other@~2",
    "c/": "npm:/other@~2/",
    d: "jsr:@s/d@1",
    "d/": "jsr:/@s/d@1/",
    e: "npm:e@*",
    "e/": "npm:/e@*/",
    f: "npm:f@1 || 2",
    "f/": "npm:/f@1 || 2/",
  });
});

test("folders, archives and repositories are no packages", () => {
  const dependencies = {
    a: "file:../a",
    b: "workspace:*",
    c: "github:o/r",
    d: "o/r",
    e: "https://x.test/e.tgz",
  };
  expect(mapOf({ dependencies })).toEqual({});
});

test("what holds no dependencies is empty, what is no JSON does not start", () => {
  for (const content of ["[]", "null", '{"dependencies": 5}', "{}"]) expect(mapOf(content)).toEqual({});
  expect(() => mapOf("{ not json")).toThrow(
    expect.objectContaining({ details: expect.stringContaining(path) }),
  );
});
