/**
 * Sentences of the docs for new users that were not true once: each stands where it is read, and has a test that runs
 * what it says; the wordings that were wrong are gone.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/process.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Claim {
  sentence: string;
  pages: readonly string[];
  tests: readonly (readonly [file: string, title: string])[];
}

const CLAIMS: readonly Claim[] = [
  {
    sentence: "A saved migration is applied immediately, a saved function reloads.",
    pages: ["README.md", "homebase/README.md"],
    tests: [
      [
        "homebase/test/package/walk.integration.test.ts",
        "a saved migration is applied, and the app reads its table by the variables of its example",
      ],
      [
        "homebase/test/package/walk.integration.test.ts",
        "the first function reloads: edited twice, broken, mended, and gone and back with a commit",
      ],
    ],
  },
  {
    sentence: "a value that would be sent and belongs to a development machine is refused",
    pages: ["homebase/README.md"],
    tests: [
      [
        "homebase/wings/deploy/test/refusals.test.ts",
        "what the template of %s has and a deploy does not send is not refused",
      ],
      ["homebase/wings/deploy/test/refusals.test.ts", "the same values are refused once they would be sent"],
      [
        "homebase/wings/deploy/test/supabase-init.integration.test.ts",
        "what the CLI's init writes is deployed, and a second time there is nothing to do",
      ],
    ],
  },
  {
    sentence:
      "Vitest 3 to 5, node:test, Jest, ts-jest, Bun or Playwright from 1.40 on, also under Yarn's Plug'n'Play",
    pages: ["homebase/README.md"],
    tests: [
      ["homebase/test/package/runners.integration.test.ts", "Node %s, %s"],
      [
        "homebase/test/package/runners.integration.test.ts",
        "Yarn's Plug'n'Play: a test with a function and a file, and a durable start",
      ],
    ],
  },
  {
    sentence: "git ignores by a `.gitignore` of its own; no other file of the project is changed",
    pages: ["homebase/README.md"],
    tests: [
      [
        "homebase/test/cli/first-minute.integration.test.ts",
        "a start and a stop leave git nothing to see, in a project that ignores nothing",
      ],
    ],
  },
  {
    sentence: "gets ports that are higher by the first of 100, 200 and so on at which all are free",
    pages: ["docs/move-from-supabase-start.md"],
    tests: [
      [
        "homebase/test/cli/first-minute.integration.test.ts",
        "ports that are taken move to the first hundred at which all are free",
      ],
    ],
  },
  {
    sentence: "the others are refused by name, those that a script may use with what to write instead",
    pages: ["docs/move-from-supabase-start.md"],
    tests: [["homebase/test/cli/flags.integration.test.ts", "%j is refused by name, with what to use"]],
  },
  {
    sentence:
      "under the names that .env.example and your sources read; a secret key only where .env.example names it and git ignores the file",
    pages: ["docs/commands.md"],
    tests: [
      [
        "homebase/test/package/walk.integration.test.ts",
        "the first start says what it did and where it is; the app's names are in .env.local",
      ],
      [
        "homebase/test/cli/env-file.test.ts",
        "the secret key is written where the example names it and git ignores the file",
      ],
      [
        "homebase/test/cli/env-file.test.ts",
        "the secret key is said and not written where git does not ignore the file, or knows it already",
      ],
    ],
  },
];

describe.each(CLAIMS)("$sentence", ({ sentence, pages, tests }) => {
  test.each(pages)("stands in %s", (page) => {
    expect(read(page)).toContain(sentence);
  });

  test.each(tests)("is held by a test of %s: %s", (file, title) => {
    expect(read(file)).toContain(`"${title}"`);
  });
});

test.each([
  /ports 100 higher from then on/,
  /refused by name, with what to use instead/,
  /Add `\.homebase\/?` to/,
])("no page says %s", (wording) => {
  const pages = globSync("{README.md,docs/**/*.md,homebase/*.md}", { cwd: root });
  expect(pages.filter((page) => wording.test(read(page)))).toEqual([]);
});
