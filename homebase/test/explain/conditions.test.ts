/** Finding the conditions of functions' statements, and the list of verdicts that cannot be. */
import { describe, expect, test } from "vitest";
import { type Condition, writeConditions } from "../../src/explain/expression/conditions.ts";
import { readUntested } from "../../src/explain/untested.ts";

function conditionsOf(text: string): [Condition["path"], string, boolean][] {
  const found: [string, string, boolean][] = [];
  writeConditions(text, ({ path, text: condition, neutral }, written) => {
    found.push([path, condition, neutral]);
    return written;
  });
  return found;
}

describe("conditions", () => {
  test.each<[string, string, [string, string, boolean][]]>([
    [
      "of one WHERE",
      "SELECT m.id FROM m WHERE ((m.a = 1) AND (m.b OR (NOT m.c)))",
      [
        ["1.1", "m.a = 1", true],
        ["1.2.1", "m.b", false],
        ["1.2.2.1", "m.c", true],
      ],
    ],
    ["that end at ORDER BY", "SELECT id FROM m WHERE a ORDER BY b LIMIT 1", [["1", "a", true]]],
    [
      "of both sides of UNION",
      "SELECT id FROM m WHERE a UNION SELECT id FROM n WHERE (b)",
      [
        ["1", "a", true],
        ["2", "b", true],
      ],
    ],
    [
      "inside and around a subquery, the inner ones first",
      "SELECT 1 FROM m WHERE (a AND (EXISTS ( SELECT 1 FROM n WHERE (n.x = m.x))))",
      [
        ["1.1", "a", true],
        ["2", "n.x = m.x", true],
        ["1.2", "EXISTS ( SELECT 1 FROM n WHERE (n.x = m.x))", true],
      ],
    ],
    [
      "of a returned truth value",
      "SELECT ((f.a IS NOT NULL) AND f.b) AS ok",
      [
        ["1.1", "f.a IS NOT NULL", true],
        ["1.2", "f.b", true],
      ],
    ],
    [
      "of RETURN",
      "(a OR b)",
      [
        ["1.1", "a", false],
        ["1.2", "b", false],
      ],
    ],
    [
      "of joins, in the order of the text",
      "SELECT DISTINCT ON (m.id) m.id FROM ((m JOIN n ON ((m.a = n.a))) LEFT JOIN o ON (((o.b = n.b) AND o.c))) WHERE m.d",
      [
        ["1", "m.a = n.a", true],
        ["2.1", "o.b = n.b", true],
        ["2.2", "o.c", true],
        ["3", "m.d", true],
      ],
    ],
    [
      "of what is returned from a table, and its WHERE",
      "SELECT ((m.a IS DISTINCT FROM 1) AND m.b) AS ok FROM m WHERE m.c",
      [
        ["1.1", "m.a IS DISTINCT FROM 1", true],
        ["1.2", "m.b", true],
        ["2", "m.c", true],
      ],
    ],
    ["of an aggregate's FILTER", "SELECT count(*) FILTER (WHERE a) AS n FROM m", [["1", "a", true]]],
    ["none in a value", "SELECT f.a + 1", []],
    ["none in strings and quoted names", `SELECT ' where x ' AS "where y" FROM m`, []],
  ])("%s", (_, text, expected) => expect(conditionsOf(text)).toEqual(expected));

  test("are replaced where they stand", () => {
    expect(
      writeConditions("SELECT id FROM m WHERE (a AND b) LIMIT 1", ({ path }) => `c${path}`).replace(
        /\s+/g,
        " ",
      ),
    ).toBe("SELECT id FROM m WHERE ((c1.1) AND (c1.2)) LIMIT 1");
  });
});

test("the list of what no test can decide is read, and a line that is none is named", () => {
  expect(
    readUntested(
      "# why\n\npublic.t/own rows/using/1 false: all have one\npublic.t/own rows/using/1/out: the same\n",
    ),
  ).toEqual({
    verdicts: [{ id: "public.t/own rows/using/1", verdict: "false", reason: "all have one" }],
    changes: [{ id: "public.t/own rows/using/1/out", reason: "the same" }],
  });
  for (const wrong of ["public.t/own rows maybe: no", "public.t/own rows true:", "public.t/own rows/out:"]) {
    expect(() => readUntested(`# why\n${wrong}`)).toThrow("Line 2 is neither");
  }
});
