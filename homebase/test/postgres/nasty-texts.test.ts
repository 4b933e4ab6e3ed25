/** Every reader of SQL text takes the same texts for strings, names and comments as Postgres does. */
import { describe, expect, test } from "vitest";
import { blankOptions, statementToSend } from "../../src/postgres/extensions/file-statements.ts";
import { masked, tokenize } from "../../src/postgres/statements/lexer.ts";
import { splitStatements } from "../../src/postgres/statements/split.ts";

/** A text that is one string, name or comment, though another rule would end it earlier or later. */
const NASTY: readonly (readonly [what: string, kind: "string" | "quoted" | "comment", text: string])[] = [
  ["a backslash before the end", "string", String.raw`'C:\'`],
  ["two backslashes", "string", String.raw`'\\'`],
  ["a doubled quote", "string", "'it''s; /* not */ -- a comment'"],
  ["a doubled quote at the end", "string", "'a'''"],
  ["an escaped quote in an E string", "string", String.raw`E'it\'s; drop'`],
  ["an escaped backslash in an E string", "string", String.raw`e'\\'`],
  ["a newline", "string", "'a\n;b'"],
  ["a dollar quote", "string", "$$ ; ' \" -- /* $$"],
  ["a tagged dollar quote with another inside", "string", "$a$ $$ ' $b$ $a$"],
  ["a tag with letters beyond ASCII", "string", "$été$ ; $$ $été$"],
  ["an empty string", "string", "''"],
  ["a quoted name with a semicolon", "quoted", '"a;b"'],
  ["a quoted name with a doubled quote", "quoted", '"a""; drop"'],
  ["a quoted name with a quote", "quoted", `"it's"`],
  ["a quoted name that looks like a comment", "quoted", '"-- /*"'],
  ["a quoted name with a backslash", "quoted", String.raw`"a\"`],
  ["a nested comment", "comment", "/* a /* ; ' */ still */"],
  ["a comment with a quote", "comment", "/* it's; \" $$ */"],
  ["a line comment with a quote", "comment", "-- it's; $$ \" /*\n"],
  ["a line comment with a dollar sign", "comment", "-- $a$\n"],
];

describe.each(NASTY)("%s", (_what, kind, text) => {
  const before = kind === "quoted" ? "alter table t rename to " : "select ";
  const first = kind === "comment" ? `select 1 ${text}` : before + text;
  const sql = `${first}; alter table t drop column b`;

  test("does not hide the statement after it", () => {
    expect(splitStatements(sql).map((statement) => statement.text)).toEqual([
      first.trim(),
      "alter table t drop column b",
    ]);
    expect(masked(sql)).toMatch(/; alter table t drop column b$/);
    expect(masked(sql)).toHaveLength(sql.length);
    expect(
      tokenize(sql)
        .slice(-6)
        .map(({ value }) => value),
    ).toEqual(["alter", "table", "t", "drop", "column", "b"]);
  });

  test("is hidden whole, and only where it is asked for", () => {
    expect(masked(text).trim()).toBe("");
    const others = (["comment", "string", "quoted"] as const).filter((one) => one !== kind);
    expect(masked(text, others)).toBe(text);
  });

  test("keeps the options of an index that stand after it, and no others", () => {
    if (kind === "comment") return;
    const index = "create index i on t using hnsw (e)";
    const comment = `comment on index i is ${kind === "string" ? text : "null"}`;
    expect(blankOptions(`${comment} with (m = 1)`)).toBe(`${comment} with (m = 1)`);
    expect(blankOptions(`${index} with (m = 16) where a = ${text}`)).toBe(
      `${index}               where a = ${text}`,
    );
  });
});

test("a comment in a string of an extension's version is not cut out", () => {
  const statement = "create extension if not exists made_up version '1--2'";
  expect(statementToSend(statement)).toContain("1--2");
});
