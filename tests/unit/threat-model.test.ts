/** Each promise of the page on threats names the tests that hold it, and these exist. */
import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/process.ts";

const page = readFileSync(join(root, "docs/threat-model.md"), "utf8");
const LINK = /\[((?:[^[\]]|\[[^\]]*\])+)\]\((\.\.\/[^)]+\.test\.ts)\)/g;

/** Whether a file has a test of this title: its text is followed by the test's function or its options. */
function hasTest(source: string, title: string): boolean {
  const literal = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll('"', '\\\\?"');
  return new RegExp(`["'\`]${literal}["'\`],\\s*(?:async\\b|\\(|\\{|function\\b)`).test(source);
}

/** The lines of the page's tables, without their heads. */
const promises = page
  .split("\n")
  .filter(
    (line, index, lines) =>
      line.startsWith("| ") && !/^[| -]+$/.test(line) && !lines[index + 1]?.startsWith("| ---"),
  );

test("there are promises to look at", () => {
  expect(promises.length).toBeGreaterThan(30);
});

test.each(promises)("%s", (line) => {
  const links = [...line.matchAll(LINK)];
  expect(links.length, "a line without a test").toBeGreaterThan(0);
  for (const [, title = "", link = ""] of links) {
    const path = normalize(join(root, "docs", link));
    expect(existsSync(path), path).toBe(true);
    expect(hasTest(readFileSync(path, "utf8"), title), `no test "${title}" in ${link}`).toBe(true);
  }
});

test("a title is found where it names a test, and not in a comment", () => {
  expect(hasTest('test("a b", () => {})', "a b")).toBe(true);
  expect(hasTest('test.each(rows)(\n  "%s is (so)",\n  { timeout: 1 },\n  () => {})', "%s is (so)")).toBe(
    true,
  );
  expect(hasTest('// "a b", as said\nexpect("a b")', "a b")).toBe(false);
});
