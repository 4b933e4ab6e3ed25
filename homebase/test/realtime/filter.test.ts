/** The grammar of a subscription's filter, and Elixir's format of its values. */
import { expect, test } from "vitest";
import { inspectTerm } from "../../src/realtime/changes/elixir-inspect.ts";
import { parseFilters } from "../../src/realtime/changes/subscription-filter.ts";
import { Rate } from "../../src/realtime/kit/rate.ts";
import { timeUuid } from "../../src/realtime/kit/time-uuid.ts";

const parsed = (text: string) =>
  parseFilters(text).map(({ column, operator, value, negate }) => [column, operator, value, negate]);

test.each([
  ["", []],
  [" \t ", []],
  ["dish=eq.soup", [["dish", "eq", "soup", false]]],
  ["dish=not.neq.o'brien", [["dish", "neq", "o'brien", true]]],
  [
    " seats=gt.2 , seats=lt.9 ",
    [
      ["seats", "gt", "2", false],
      ["seats", "lt", "9", false],
    ],
  ],
  [
    "dish=in.(soup,pie),seats=gte.1",
    [
      ["dish", "in", "{soup,pie}", false],
      ["seats", "gte", "1", false],
    ],
  ],
  ['dish=in.("a,b",c)', [["dish", "in", '{"a,b",c}', false]]],
  [
    "a=eq.x),b=eq.y),c=eq.z",
    [
      ["a", "eq", "x)", false],
      ["b", "eq", "y)", false],
      ["c", "eq", "z", false],
    ],
  ],
  [
    'dish=eq."a,b",seats=eq.1',
    [
      ["dish", "eq", "a,b", false],
      ["seats", "eq", "1", false],
    ],
  ],
  ['dish=eq."a \\"b\\" \\\\ \\n"', [["dish", "eq", 'a "b" \\ n', false]]],
  ['dish=eq.""', [["dish", "eq", "", false]]],
  ['dish=eq." a "', [["dish", "eq", " a ", false]]],
  ['dish=eq."open', [["dish", "eq", '"open', false]]],
  ['dish=eq."ab"cd', [["dish", "eq", '"ab"cd', false]]],
  [
    'size=eq.5" wide,seats=gt.0',
    [
      ["size", "eq", '5" wide', false],
      ["seats", "gt", "0", false],
    ],
  ],
  ["url=eq.a=b.c", [["url", "eq", "a=b.c", false]]],
])("%j is read", (text, expected) => {
  expect(parsed(text)).toEqual(expected);
});

test.each([
  ["dish", '["dish"]'],
  ["dish=eq", '["eq"]'],
  ["dish=not.eq", '["eq"]'],
  ["dish=has.soup", '["has", "soup"]'],
  ["dish=in.soup", "`in` filter value must be wrapped by parentheses"],
  ["dish=in.(", "`in` filter value must be wrapped by parentheses"],
  ["dish=eq.a,", "filter must not contain empty segments (check for extra commas)"],
  [",dish=eq.a", "filter must not contain empty segments (check for extra commas)"],
])("%j is refused", (text, reason) => {
  expect(() => parseFilters(text)).toThrow(`Error parsing \`filter\` params: ${reason}`);
});

test("the values of a list are read here only where the literal is plain", () => {
  const list = (text: string) => parseFilters(text)[0]?.list;
  expect(list('a=in.(x, y z ,"p,\\"q\\"")')).toEqual(["x", "y z", 'p,"q"']);
  expect(list("a=in.(x,NULL)")).toBeUndefined();
  expect(list("a=in.({x})")).toBeUndefined();
  expect(list('a=in.("NULL")')).toEqual(["NULL"]);
});

test("terms are printed as Elixir prints them, maps in order of their keys", () => {
  expect(inspectTerm({ b: [1, "x", null], a: { c: true }, d: 'say "#{x}"\n' })).toBe(
    '%{"a" => %{"c" => true}, "b" => [1, "x", nil], "d" => "say \\"\\#{x}\\"\\n"}',
  );
});

test("a rate is the average of a minute, or of the time since counting began", () => {
  const rate = new Rate(10);
  expect(rate.add(0, 10)).toBe(false);
  expect(rate.add(500, 1)).toBe(true);
  expect(rate.average(1_000)).toBe(5.5);
  expect(rate.average(59_000)).toBeCloseTo(11 / 60);
  expect(rate.average(60_000)).toBe(0);
  expect(new Rate(Number.POSITIVE_INFINITY).add(0, 1e9)).toBe(false);
});

test("UUIDs of version 1 differ and carry the time", () => {
  const some = new Set(Array.from({ length: 1_000 }, timeUuid));
  expect(some.size).toBe(1_000);
  for (const one of some)
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
