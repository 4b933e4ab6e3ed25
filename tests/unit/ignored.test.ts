/** Holds that git ignores no file that the project is made of: such a file runs here, and is missing in every clone. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const folders = [
  "homebase/build",
  "homebase/src",
  "homebase/test",
  "homebase/wings",
  "scripts",
  "supabase",
  "tests",
  "web",
];

test("no file of the sources is ignored by git", () => {
  const listed = execFileSync(
    "git",
    ["ls-files", "--others", "--ignored", "--exclude-standard", "--", ...folders],
    { encoding: "utf8", cwd: new URL("../..", import.meta.url) },
  );
  const sources = listed.split("\n").filter((file) => /\.(?:tsx?|sql|css|html|md)$/.test(file));
  expect(sources.filter((file) => !/(?:^|\/)(?:node_modules|dist)\//.test(file))).toEqual([]);
});
