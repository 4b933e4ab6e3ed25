/** The tables of icons in docs/specification.md are those of the code: names, meanings, and the components that show them. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const specification = readFileSync(join(root, "docs", "specification.md"), "utf8");

/** The cells of a table, by the heading of its first column. */
function tableOf(heading: string): string[][] {
  const [, body = ""] =
    new RegExp(`^\\| ${heading} +\\|[^\\n]*\\n\\|[-| ]+\\n((?:\\|[^\\n]*\\n)+)`, "m").exec(specification) ??
    [];
  return body
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const components = globSync("web/src/**/*.tsx", { cwd: root })
  .filter((file) => !file.endsWith(".test.tsx"))
  .map((file) => ({ name: basename(file, ".tsx"), text: readFileSync(join(root, file), "utf8") }));
const using = (pattern: RegExp) =>
  [...new Set(components.filter(({ text }) => pattern.test(text)).map(({ name }) => name))].toSorted();

test("each icon has its one meaning, and is shown where the table says", () => {
  const exported = [
    ...readFileSync(join(root, "web/src/ui/icons.ts"), "utf8").matchAll(/\/\*\* (.*?) \*\/\s+\w+ as (\w+),/g),
  ].map(([, meaning = "", name = ""]) => [
    `\`${name}\``,
    meaning,
    using(new RegExp(`\\b${name}\\b`)).join(", "),
  ]);
  expect(exported).toHaveLength(14);
  expect(tableOf("Icon")).toEqual(exported.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
});

test("each drawing of the app's own has its meaning", () => {
  const drawings = [...new Set(tableOf("Own glyph").map(([, , where = ""]) => where))];
  expect(using(/<svg\b/)).toEqual(drawings.toSorted());
});

test("an answer is drawn with its own mark only: no check marks a no", () => {
  for (const { name, text } of components)
    if (/\bdata-\[selected\]:bg-no\b/.test(text))
      expect([name, text]).toEqual([name, expect.not.stringContaining("CheckIcon")]);
});
