/** Tests splitting SQL files into statements. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  firstWord,
  positionOf,
  recordedStatements,
  runsAlone,
  splitStatements,
} from "../../src/postgres/statements/split.ts";

const texts = (sql: string) => splitStatements(sql).map((statement) => statement.text);

test("statements are split at semicolons and lose them", () => {
  expect(texts("select 1; select 2 ;\n\n")).toEqual(["select 1", "select 2"]);
});

test.each([
  ["a string", "select ';'"],
  ["a doubled quote", "select 'it''s; fine'"],
  ["an escape string", "select E'\\';'"],
  ["an identifier", 'select 1 as ";"'],
  ["a line comment", "select 1 -- ; not here\n + 1"],
  ["a nested comment", "select /* ; /* ; */ ; */ 1"],
  ["a dollar quote", "do $$ begin perform 1; end $$"],
  ["a tagged dollar quote", "do $body$ select '$$;'; $body$"],
  [
    "parentheses",
    "create rule r as on insert to t do also (insert into a values (1); insert into b values (2))",
  ],
  [
    "an SQL body",
    "create function f() returns int begin atomic select case when true then 1 end; select 2; end",
  ],
])("a semicolon inside %s does not split", (_name, sql) => {
  expect(texts(`${sql}; select 2`)).toEqual([sql, "select 2"]);
});

test("a backslash in a plain string is only a backslash", () => {
  expect(texts("select '\\'; select 2")).toEqual(["select '\\'", "select 2"]);
});

test("comments alone are no statement, and a comment before one belongs to it", () => {
  expect(texts("-- nothing\n;/* nor here */")).toEqual([]);
  const sql = "-- why\nselect 1;";
  const [statement] = splitStatements(sql);
  expect(statement?.text).toBe("-- why\nselect 1");
  expect(statement && positionOf(sql, firstWord(statement))).toEqual({ line: 2, column: 1 });
});

test("what cannot share a transaction is recognised behind comments", () => {
  const alone = (sql: string) => splitStatements(sql).map(runsAlone)[0];
  expect(alone("/* slow */ create index concurrently i on t (a)")).toBe(true);
  expect(alone("vacuum analyze t")).toBe(true);
  expect(alone("begin")).toBe(true);
  expect(alone("create index i on t (a)")).toBe(false);
});

test("splitting never throws, and every statement stands in the file where it says", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("'", '"', "$", "a", ";", "-", "/", "*", "(", ")", " ", "\n", "E", "\\"),
      }),
      (sql) => {
        for (const { text, offset } of splitStatements(sql))
          expect(sql.slice(offset, offset + text.length)).toBe(text);
      },
    ),
  );
});

test("the rows of a COPY are its data, up to \\. or the end of the file", () => {
  const sql =
    "select 1;\ncopy t (a) from stdin; -- rows\n1;2\n'\n\\.\nselect 2; copy u from stdin with csv;\nx\n";
  const statements = splitStatements(sql);
  expect(statements.map(({ text, data }) => [text, data?.text])).toEqual([
    ["select 1", undefined],
    ["copy t (a) from stdin", "1;2\n'\n"],
    ["select 2", undefined],
    ["copy u from stdin with csv", "x\n"],
  ]);
  expect(statements.map(({ data }) => data && sql.slice(data.offset, data.offset + 2))).toEqual([
    undefined,
    "1;",
    undefined,
    "x\n",
  ]);
  expect(splitStatements("copy t from stdin;\r\n1\r\n\\.\r\nselect 1;").map(({ text }) => text)).toEqual([
    "copy t from stdin",
    "select 1",
  ]);
});

test("a COPY of a file, of a query or with more in its line has no data", () => {
  for (const sql of [
    "copy t from '/x'; select 1;",
    "copy (select 'from stdin') to stdout; select 1;",
    "copy t to stdout; select 1;",
  ])
    expect(splitStatements(sql).map(({ data }) => data)).toEqual([undefined, undefined]);
  expect(
    splitStatements("copy t from stdin; select 1;\n").map(({ text, data }) => [text, data?.text]),
  ).toEqual([
    ["copy t from stdin", ""],
    ["select 1", undefined],
  ]);
});

test("what the history records of a COPY is split to the same again", () => {
  const recorded = recordedStatements("copy t from stdin;\n1\n\\.\nselect 1;");
  expect(recorded).toEqual(["copy t from stdin;\n1\n\\.", "select 1"]);
  expect(recorded.flatMap((text) => recordedStatements(text))).toEqual(recorded);
});

test("a line that begins with a backslash between statements is one", () => {
  expect(texts("\\i one.sql\nselect '\\\\i two.sql',\n\\n\n;\n  \\copy t from 'x;y'\nselect 1;")).toEqual([
    "\\i one.sql",
    "select '\\\\i two.sql',\n\\n",
    "\\copy t from 'x;y'",
    "select 1",
  ]);
});
