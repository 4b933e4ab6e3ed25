/** Tests that each decision has a number, a title, a date, a status and at most 120 lines, and that the index lists it. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/process.ts";

const folder = join(root, "docs/decisions");

test("the index lists every decision with the title that its page has, and what no longer holds with its status", () => {
  const rows = globSync("0*.md", { cwd: folder })
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const [, number, title] = /^# (\d+)\. (.+)\n/.exec(text) ?? [];
      const [, date, status] =
        /^Date: (\d{4}-\d{2}-\d{2})\. Status: (accepted|superseded by \d+)\.$/m.exec(text) ?? [];
      expect(Number(number), file).toBe(Number(basename(file).slice(0, 4)));
      expect(date, file).toBeDefined();
      expect(text.split("\n").length, file).toBeLessThanOrEqual(121);
      return `- ${number}: [${title}](${file})${status === "accepted" ? "" : `, ${status}`}`;
    });
  const index = readFileSync(join(folder, "README.md"), "utf8");
  expect(index.split("\n").filter((line) => /^- \d/.test(line))).toEqual(rows);
});
