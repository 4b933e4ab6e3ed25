/** The query grammar: what it reads, what it refuses and where; printing and reading are inverse. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RestError } from "../../src/rest/errors.ts";
import {
  decodeQuery,
  parseLogic,
  parseOrder,
  parseParameters,
  parseSelect,
} from "../../src/rest/grammar/parameters.ts";
import {
  AGGREGATES,
  type Field,
  IS_VALUES,
  type LogicTree,
  type Operation,
  type OrderTerm,
  PLAIN,
  QUANTIFIABLE,
  type SelectItem,
  TEXT_SEARCH,
} from "../../src/rest/grammar/syntax.ts";
import { printLogic, printOrder, printSelect } from "./print.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);
const optional = <T>(one: fc.Arbitrary<T>, key: string) =>
  fc.option(one).map((value) => (value === null ? {} : { [key]: value }));
const merged = <T>(...parts: fc.Arbitrary<object>[]) =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as T);

const step = fc.record({
  arrow: fc.constantFrom("->" as const, "->>" as const),
  key: text,
  index: fc.constant(false),
});
const field: fc.Arbitrary<Field> = fc.record({ name: text, path: fc.array(step, { maxLength: 2 }) });

const fieldItem = merged<SelectItem>(
  fc.constant({ kind: "field" }),
  fc.record({ field }),
  optional(text, "alias"),
  optional(word, "cast"),
  fc
    .option(fc.tuple(fc.constantFrom(...AGGREGATES), optional(word, "aggregateCast")))
    .map((one) => (one ? { aggregate: one[0], ...one[1] } : {})),
);
const { select } = fc.letrec<{ select: SelectItem[]; item: SelectItem; relation: SelectItem }>((tie) => ({
  select: fc.array(tie("item"), { maxLength: 3 }),
  item: fc.oneof({ depthSize: "small" }, fc.constant({ kind: "star" as const }), fieldItem, tie("relation")),
  relation: fc
    .tuple(
      fc.record({ kind: fc.constant("relation" as const), name: text, select: tie("select") }),
      optional(text, "hint"),
      optional(fc.constantFrom("inner", "left"), "join"),
      fc.oneof(
        fc.constant({ spread: true }),
        optional(text, "alias").map((one) => ({ ...one, spread: false })),
      ),
    )
    .map((parts) => Object.assign({}, ...parts) as SelectItem),
}));

const operation = fc.oneof(
  merged<Operation>(
    fc.record({ kind: fc.constant("compare"), operator: fc.constantFrom(...QUANTIFIABLE), value: text }),
    optional(fc.constantFrom("any", "all"), "quantifier"),
  ),
  fc.record({ kind: fc.constant("plain" as const), operator: fc.constantFrom(...PLAIN), value: text }),
  fc.record({ kind: fc.constant("in" as const), values: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant("is" as const), value: fc.constantFrom(...IS_VALUES) }),
  fc.record({ kind: fc.constant("distinct" as const), value: text }),
  merged<Operation>(
    fc.record({ kind: fc.constant("search"), operator: fc.constantFrom(...TEXT_SEARCH), value: text }),
    optional(word, "language"),
  ),
);
const { tree } = fc.letrec<{ tree: LogicTree; filter: LogicTree; group: LogicTree }>((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, tie("filter"), tie("group")),
  filter: fc.record({ kind: fc.constant("filter" as const), field, negated: fc.boolean(), operation }),
  group: fc.record({
    kind: fc.constant("group" as const),
    operator: fc.constantFrom("and" as const, "or" as const),
    negated: fc.boolean(),
    members: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
  }),
}));
const order = fc.array(
  merged<OrderTerm>(
    fc.record({ field }),
    optional(text, "relation"),
    optional(fc.constantFrom("asc", "desc"), "direction"),
    optional(fc.constantFrom("first", "last"), "nulls"),
  ),
  { minLength: 1, maxLength: 3 },
);

describe("printing and reading are inverse", () => {
  it("for select", () => {
    fc.assert(
      fc.property(select, (items) => {
        expect(parseSelect(printSelect(items))).toEqual(items.length === 0 ? [{ kind: "star" }] : items);
      }),
    );
  });
  it("for logic trees", () => {
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 3 }), (members) => {
        expect(parseLogic("or", `(${members.map(printLogic).join(",")})`).members).toEqual(members);
      }),
    );
  });
  it("for order", () => {
    fc.assert(
      fc.property(order, (terms) => {
        expect(parseOrder(printOrder(terms))).toEqual(terms);
      }),
    );
  });
});

it("never fails but with PGRST100, whatever it is given", () => {
  const key = fc.constantFrom(
    "select",
    "order",
    "or",
    "and",
    "a",
    "columns",
    "on_conflict",
    "x.order",
    "not.and",
  );
  fc.assert(
    fc.property(key, fc.string({ unit: "grapheme" }), (name, value) => {
      try {
        parseParameters(`${name}=${encodeURIComponent(value)}`);
      } catch (error) {
        expect(error).toBeInstanceOf(RestError);
        expect((error as RestError).code).toBe("PGRST100");
      }
    }),
    { numRuns: 500 },
  );
});

describe("names", () => {
  it("may have dashes, blanks, dollars and letters of any script, and are trimmed", () => {
    expect(parseSelect(" a-b ,größe, $1 x ")).toMatchObject(
      ["a-b", "größe", "$1 x"].map((name) => ({ field: { name, path: [] } })),
    );
  });
  it("read a number in a JSON path as an index only where the step ends", () => {
    expect(parseSelect("d->1->2x->-1::int")).toEqual([
      {
        kind: "field",
        cast: "int",
        field: {
          name: "d",
          path: [
            { arrow: "->", key: "1", index: true },
            { arrow: "->", key: "2x", index: false },
            { arrow: "->", key: "-1", index: true },
          ],
        },
      },
    ]);
  });
  it("take inner and left before a hint, in either order", () => {
    expect(parseSelect("a!inner!fk(id),b!fk!left(id)")).toMatchObject([
      { name: "a", join: "inner", hint: "fk" },
      { name: "b", join: "left", hint: "fk" },
    ]);
  });
});

describe("parameters", () => {
  it("decode plus and percent, and ignore keys without a value", () => {
    expect(decodeQuery("a=b+c%20d&e&f=%C3%A4")).toEqual([
      ["a", "b c d"],
      ["e", undefined],
      ["f", "ä"],
    ]);
    expect(parseParameters("select").select).toEqual([{ kind: "star" }]);
  });
  it("take the first select and the last limit", () => {
    const { select: items, limits } = parseParameters("select=a&select=b&limit=1&limit=2&limit=x");
    expect(items).toMatchObject([{ field: { name: "a" } }]);
    expect(limits).toEqual([{ path: [], limit: 2 }]);
  });
  it("attach to embedded relations by their path", () => {
    const { filters, orders, groups } = parseParameters("a.b.c->>d=eq.1&a.order=x&a.not.or=(b.eq.1)");
    expect(filters[0]).toMatchObject({
      path: ["a", "b"],
      filter: { field: { name: "c", path: [{ key: "d" }] } },
    });
    expect(orders[0]?.path).toEqual(["a"]);
    expect(groups[0]).toMatchObject({ path: ["a"], group: { operator: "or", negated: true } });
  });
  it("quote a column that bears a reserved name", () => {
    expect(parseParameters('"order"=eq.1').filters[0]).toMatchObject({
      filter: { field: { name: "order" } },
    });
  });
  it("tell filters from arguments in calls by GET", () => {
    const { args, filters } = parseParameters("a=1&b=eq.2&c=hello.world", true);
    expect(args).toEqual([
      ["a", "1"],
      ["c", "hello.world"],
    ]);
    expect(filters).toHaveLength(1);
  });
});

describe("lists", () => {
  it.each([
    ["in.(a,b c,)", ["a", "b c", ""]],
    ['in.("a,b","c\\"d")', ["a,b", 'c"d']],
    ['in.("a"b)', ['"a"b']],
    ["in.()", [""]],
    ["in.(1,2)x", ["1", "2"]],
  ])("%s", (value, values) => {
    expect(parseParameters(`a=${encodeURIComponent(value)}`).filters[0]?.filter.operation).toEqual({
      kind: "in",
      values,
    });
  });
});

describe("errors say what and where", () => {
  it.each([
    ["select=a,,b", '"failed to parse select parameter (a,,b)" (line 1, column 3)'],
    ["select=a(b", '"failed to parse select parameter (a(b)" (line 1, column 4)'],
    ["order=a.up", '"failed to parse order (a.up)" (line 1, column 2)'],
    ["a=in.(1", '"failed to parse filter (in.(1)" (line 1, column 6)'],
    ["or=(a.eq.1", '"failed to parse logic tree ((a.eq.1)" (line 1, column 10)'],
  ])("%s", (query, message) => {
    expect(() => parseParameters(query)).toThrow(message);
  });
});
