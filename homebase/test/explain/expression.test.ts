/** Tests of splitting a policy's condition, with texts as Postgres prints them and with hostile ones. */

import { expect, test } from "vitest";
import {
  type Expression,
  leavesOf,
  splitExpression,
  writeExpression,
} from "../../src/explain/expression/expression.ts";
import { operandsOf, tablesOf } from "../../src/explain/expression/references.ts";
import { questionOf, readQuery } from "../../src/explain/expression/subquery.ts";
import { flipsFor, verdictOf } from "../../src/explain/expression/verdict.ts";
import { denied, plain } from "../../src/explain/plain.ts";

const leaves = (text: string) => leavesOf(splitExpression(text)).map(({ path, text }) => [path, text]);

test("a condition is split at AND, OR and NOT, with the way to each leaf", () => {
  expect(leaves("((a = 1) AND ((b = 2) OR (NOT (c = 3))))")).toEqual([
    ["1", "a = 1"],
    ["2.1", "b = 2"],
    ["2.2.1", "c = 3"],
  ]);
  expect(leaves("true")).toEqual([["", "true"]]);
  expect(leaves("(NOT is_admin())")).toEqual([["1", "is_admin()"]]);
});

test.each([
  ["a string with AND and parentheses", "(name = ') AND (x OR '::text)"],
  ["a string with a doubled quote", "(name = 'it''s AND '' OR'::text)"],
  ["a string with backslashes", "(name = E'\\\\ AND '::text)"],
  ["a quoted name", '("a AND b" = 1)'],
  ["a quoted name with quotes", '("a"" OR ""b" = 1)'],
  ["CASE", "CASE WHEN (a AND b) THEN c ELSE d END"],
  ["a nested CASE", "CASE WHEN a AND b THEN CASE WHEN c OR d THEN true END ELSE e AND f END"],
  ["CASE compared", "(CASE WHEN a AND b THEN 1 ELSE 2 END = 1)"],
  [
    "a frame in a subquery",
    "(x = ( SELECT max(y) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM s.t))",
  ],
  ["a subquery with AND", "(EXISTS ( SELECT 1 FROM s.t WHERE ((t.a = 1) AND (t.b = 2))))"],
  ["an array with AND in it", "(ARRAY[(a AND b), c] = d)"],
  ["IS NOT NULL", "(a IS NOT NULL)"],
  ["a cast of a cast", "((id)::text)::uuid = other"],
  ["a field of a row", "(r).is_admin"],
])("%s is one leaf", (_, text) => {
  expect(leaves(text)).toHaveLength(1);
});

test("parentheses that do not belong together stay", () => {
  expect(leaves("((id)::text)::uuid")).toEqual([["", "((id)::text)::uuid"]]);
  expect(leaves("(a) = (b)")).toEqual([["", "(a) = (b)"]]);
});

test("line breaks are taken out of a leaf, but not out of its strings", () => {
  expect(leaves("(EXISTS ( SELECT 1\n   FROM s.t\n  WHERE (t.a = 'x\n  y'::text)))")).toEqual([
    ["", "EXISTS ( SELECT 1 FROM s.t WHERE (t.a = 'x\n  y'::text))"],
  ]);
});

test("a condition is written back with leaves replaced", () => {
  const expression = splitExpression("((a = 1) AND ((b = 2) OR (NOT (c = 3))))");
  expect(writeExpression(expression)).toBe("((a = 1) AND ((b = 2) OR (NOT (c = 3))))");
  expect(writeExpression(expression, ({ path }) => (path === "2.1" ? "true" : "x"))).toBe(
    "((x) AND ((true) OR (NOT (x))))",
  );
});

test("in every case of three leaves the named ones are a smallest reason", () => {
  const texts = [
    "((a AND b) OR c)",
    "(a AND (b OR c))",
    "(a AND (NOT (b AND c)))",
    "((NOT a) OR (NOT (b OR c)))",
  ];
  const values = [true, false, null];
  for (const text of texts) {
    const expression = splitExpression(text);
    for (const a of values)
      for (const b of values) for (const c of values) checkReason(expression, { a, b, c });
  }
});

function checkReason(expression: Expression, values: Record<string, boolean | null>) {
  const shown = (now: typeof values) => verdictOf(expression, ({ text }) => now[text] ?? null) === true;
  const before = shown(values);
  const sets = flipsFor(expression, before ? "not true" : "true", ({ text }) => values[text] ?? null);
  const change = (some: (typeof sets)[number]) =>
    shown({ ...values, ...Object.fromEntries(some.map(({ leaf, wanted }) => [leaf.text, wanted])) });
  expect(sets.length).toBeGreaterThan(0);
  for (const flips of sets) {
    expect(change(flips)).toBe(!before);
    for (const left of flips) expect(change(flips.filter((one) => one !== left))).toBe(before);
  }
}

test("what a leaf asks of other rows is read", () => {
  expect(questionOf("EXISTS ( SELECT 1 FROM public.m WHERE (m.a = t.a))")).toEqual({
    kind: "rows",
    query: { output: "1", from: "public.m", where: "(m.a = t.a)" },
    values: [],
  });
  expect(questionOf("id = ANY (ARRAY( SELECT private.mine() AS mine))")).toEqual({
    kind: "rows",
    values: ["id"],
    query: { output: "private.mine()", from: undefined, where: undefined },
  });
  expect(
    questionOf("plan_id IN ( SELECT DISTINCT m.plan_id FROM public.m ORDER BY m.plan_id)"),
  ).toMatchObject({
    values: ["plan_id"],
    query: { output: "m.plan_id", from: "public.m" },
  });
  expect(questionOf("(a, auth.uid()) IN ( SELECT m.a, m.b AS c FROM public.m)")).toMatchObject({
    values: ["a", "auth.uid()"],
    query: { output: "m.a, m.b", from: "public.m" },
  });
  expect(questionOf("(a, b) IN ( SELECT m.c FROM public.m)")).toBeUndefined();
  expect(questionOf("( SELECT private.may(id, 'a,b'::text) AS may)")).toEqual({
    kind: "call",
    name: "private.may",
    args: ["id", "'a,b'::text"],
  });
  expect(questionOf("auth.uid() = user_id")).toBeUndefined();
  expect(questionOf("COALESCE(a, b)")).toBeUndefined();
});

test("IS DISTINCT FROM begins no list of tables, and grouped queries are not read", () => {
  expect(readQuery("SELECT m.a FROM public.m WHERE (m.b IS DISTINCT FROM 1)")?.from).toBe("public.m");
  expect(readQuery("SELECT (a IS DISTINCT FROM b) AS x")?.from).toBeUndefined();
  expect(readQuery("SELECT m.a FROM public.m GROUP BY m.a")).toBeUndefined();
  expect(readQuery("SELECT m.a FROM public.m ORDER BY m.b LIMIT 1")).toBeUndefined();
});

test("the tables of a FROM are found, and nothing else that has a dot", () => {
  const from = `(public.m JOIN public."N x" o ON (((o.who = m.who) AND f(m.a, o.b)))), LATERAL s.f(m.a) g(a), s.t u`;
  expect(tablesOf(from).map(({ table, alias }) => [table.schema, table.name, alias])).toEqual([
    ["public", "m", "m"],
    ["public", "N x", "o"],
    ["s", "t", "u"],
  ]);
});

test("a comparison has two operands, IS one, and any other text is its own", () => {
  expect(operandsOf("(m.a = ( SELECT auth.uid() AS uid))")).toEqual(["m.a", "( SELECT auth.uid() AS uid)"]);
  expect(operandsOf("a <> '='::text")).toEqual(["a", "'='::text"]);
  expect(operandsOf("a OPERATOR(extensions.=) b")).toEqual(["a", "b"]);
  expect(operandsOf("a ->> 'b' = c")).toEqual(["a", "'b' = c"]);
  expect(operandsOf("a IS NOT NULL")).toEqual(["a"]);
  expect(operandsOf("is_admin")).toEqual(["is_admin"]);
});

test("what does not hold is said by its operator, and only where there is one", () => {
  const words: [string, string | undefined][] = [
    ["during IS NULL", "during is not null"],
    ["deleted_at IS NOT NULL", "deleted_at is null"],
    ["during @> now()", "during does not contain now()"],
    ["state = 'a = b'", "state is not 'a = b'"],
    ["(a + b) = 3", "(a + b) is not 3"],
    ["tags && $1", "tags has nothing in common with $1"],
    ["doc in a query of docs", "doc is not in a query of docs"],
    ["lower(a) IN ('x', 'y')", "lower(a) is not in ('x', 'y')"],
    ["a > b", "a is not > b"],
    ["status NOT IN ('a', 'b')", "status is in ('a', 'b')"],
    ["a <> ALL (b)", undefined],
    ["a -> 'x' = 'y'", undefined],
    ["is_public", undefined],
  ];
  for (const [text, expected] of words) expect(denied(text), text).toBe(expected);
});

test("a grouped query is told by what it wants of its groups", () => {
  const groups =
    "FROM app.members m WHERE (m.org = things.org) GROUP BY m.org HAVING (count(*) > 1) ORDER BY m.org";
  expect(plain(`(EXISTS ( SELECT 1 ${groups}))`)).toBe("a group of members with count(*) > 1");
  expect(plain(`(org IN ( SELECT m.org ${groups}))`)).toBe(
    "org in a query of members in groups with count(*) > 1",
  );
  expect(plain("(EXISTS ( SELECT 1 FROM app.members m GROUP BY m.org))")).toBe("a row of members");
});
