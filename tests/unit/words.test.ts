/**
 * Tests the sentences of comments and docstrings: forms that make a reader guess the subject are rare.
 */
import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/process.ts";
import { commentSign, sourceLines } from "../../scripts/source-lines.ts";

/** Of the comment lines of a folder, at most this share. */
const ALLOWED = 0.02;
/** In smaller folders one line would be more than the share. */
const FEWEST_LINES = 50;

const RIDDLES = [
  // A clause without a noun as the subject: "What is there stays", "Who joins later sees them".
  /(?:^|[.:;] )(?:what|who|whoever|whom|whose|whatever) (?!(?:else|happens|a|an|the|this|these|each|every|it|to)\b)[^?]*$/i,
  // "one" as a person.
  /\b(?:when|while|if|that|where|whom|what|until|before) one (?!(?:of|or|and|per|is|was|has|in|for|at|by|to|with|from|that|which|can|may|does|could|fails|[a-z]+s?[,.)])\b)/,
  /\banew\b/,
  /\bby (?:itself|themselves|oneself)\b/,
  /\bwhat (?:is|was|are) (?:so|not so|it|there|left|meant|said|seen|known|asked)\b/,
  /\b(?:that|which) (?:is|are) none\b/,
  /\bis as good as\b/,
  /\b(?:goes|go|comes|come) (?:its|their) (?:own )?way\b/,
];

const FOLDERS = [
  "homebase/src/*",
  "homebase/wings/*",
  "web/src/features/*",
  "web/src/app",
  "web/src/lib",
  "web/src/ui",
  "supabase/functions",
  "supabase/rows",
  "supabase/schemas",
  "scripts",
];

test.each(FOLDERS.flatMap((pattern) => globSync(pattern, { cwd: root }).sort()))(
  "%s: comments say their subject",
  (folder) => {
    const files = globSync("**/*.{ts,tsx,sql,mjs}", { cwd: join(root, folder), exclude: ["test/**"] });
    const lines = files.flatMap((file) =>
      sourceLines(readFileSync(join(root, folder, file), "utf8"), commentSign(extname(file))).comments.map(
        (line) => `${file}: ${line}`,
      ),
    );
    const riddles = lines.filter((line) =>
      RIDDLES.some((riddle) => riddle.test(line.slice(line.indexOf(": ") + 2))),
    );
    const allowed = Math.max(lines.length, FEWEST_LINES) * ALLOWED;
    expect(riddles.length > allowed ? riddles : []).toEqual([]);
  },
);
