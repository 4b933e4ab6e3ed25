/** Every page, section and decision cited in code, tests and docs exists in the repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/process.ts";
import { citingFiles, deadCitations, type Library, readHeadings, readLibrary } from "./citations.ts";

const page = `# Auth
## 0. Wire
### User object
## 2. Flows
### Tokens in links and mail
## 3. Database
### 3.1 Tables
\`\`\`
## 9. Inside code
\`\`\`
`;
const library: Library = {
  headings: (path) => (path === "docs/compat/auth.md" ? readHeadings(page) : undefined),
  exists: (path) => path === "docs/compat/auth.md",
  decisions: new Set([1, 9]),
};
const dead = (text: string, file = "homebase/src/x.ts") => deadCitations(file, text, library);

describe("the check of citations", () => {
  it.each([
    "(docs/compat/auth.md)",
    "(docs/compat/auth.md 2)",
    "(docs/compat/auth.md 0 to 3)",
    '(docs/compat/auth.md 2, "Tokens in links and mail", 3.1)',
    '/**\n * Owns what (docs/compat/auth.md 2,\n * "Tokens in links\n * and mail").\n */',
    '-- See docs/compat/auth.md\n-- 0, "User object".',
    "Sent twice (docs/compat/auth.md 2), 30 s apart; decision 9, Decisions 1 and 9.",
  ])("passes %j", (text) => {
    expect(dead(text)).toEqual([]);
  });

  it.each([
    ["(docs/compat/other.md 2)", "no page docs/compat/other.md"],
    ["(docs/decisions/0007-nothing.md)", "no page docs/decisions/0007-nothing.md"],
    ["(compat/auth.md 2)", "no page compat/auth.md"],
    ["(PostgREST documentation; compat: result name)", "no page for compat: result name"],
    ["(docs/compat/auth.md 2, auth.md 3)", "no page auth.md"],
    ["(docs/compat/auth.md 4)", "no section 4 in docs/compat/auth.md"],
    ["(docs/compat/auth.md 2 and 3.2)", "no section 3.2 in docs/compat/auth.md"],
    ["(docs/compat/auth.md 9)", "no section 9 in docs/compat/auth.md"],
    ["(docs/compat/auth.md, section 8)", "no section 8 in docs/compat/auth.md"],
    ['(docs/compat/auth.md 2, "User object")', 'no "User object" in section 2 in docs/compat/auth.md'],
    ['(docs/compat/auth.md 2,\n * "Tokens")', 'no "Tokens" in section 2 in docs/compat/auth.md'],
    ["so said decision 4", "no decision 4"],
    ["so said decisions 1 and 4", "no decisions 1 and 4"],
  ])("finds the dead one in %j", (text, finding) => {
    expect(dead(text)).toEqual([`homebase/src/x.ts: ${finding}`]);
  });

  it("follows the links of a page from where it stands", () => {
    const file = "docs/compat/storage.md";
    expect(dead("[a](auth.md), [b](auth.md#2-flows), [c](https://example.com/none.md)", file)).toEqual([]);
    expect(dead("`[a](none.md)`\n```\n[b](none.md)\n```\n", file)).toEqual([]);
    expect(dead("[a](none.md), [b](auth.md#4-none)", file)).toEqual([
      `${file}: no docs/compat/none.md`,
      `${file}: no #4-none in docs/compat/auth.md`,
    ]);
  });
});

it("no citation is dead", () => {
  const pages = readLibrary(root);
  // This file contains made-up citations.
  const files = citingFiles(root).filter((file) => file !== "tests/unit/citations.test.ts");
  const cited = files.filter((file) =>
    readFileSync(join(root, file), "utf8").includes(["docs", "compat"].join("/")),
  );
  expect(cited.length).toBeGreaterThan(0);
  expect(files.flatMap((file) => deadCitations(file, readFileSync(join(root, file), "utf8"), pages))).toEqual(
    [],
  );
});
