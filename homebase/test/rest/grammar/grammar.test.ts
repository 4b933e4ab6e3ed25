/** The query grammar: accepted and rejected texts, and error positions; printing and parsing are inverse. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RestError } from "../../../src/rest/errors.ts";
import {
  decodeQuery,
  parseLogic,
  parseOrder,
  parseParameters,
  parseSelect,
} from "../../../src/rest/grammar/parameters.ts";
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
} from "../../../src/rest/grammar/syntax.ts";
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
        expect(parseLogic("or", `(${members.map(printLogic).join(",")})`)).toMatchObject({ members });
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
    const { select: items, limits } = parseParameters("select=a&select=b&limit=1&limit=2");
    expect(items).toMatchObject([{ field: { name: "a" } }]);
    expect(limits).toEqual([{ path: [], limit: 2 }]);
  });
  it("ignore a limit that is no number, which beside an offset means none at all", () => {
    expect(parseParameters("limit=1&limit=x").limits).toEqual([]);
    expect(parseParameters("limit=x&offset=2").limits).toEqual([{ path: [], limit: 0 }]);
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

/** The parse error: its position and reason, as Parsec words it. */
function failure(query: string, callsByGet = false): [position: string, details: unknown] {
  try {
    parseParameters(query, callsByGet);
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    return [error.message.slice(error.message.lastIndexOf("(line")), error.details];
  }
  throw new Error(`${query} was read`);
}

describe("errors say what and where", () => {
  const select = (text: string) => `select=${encodeURIComponent(text)}`;
  const order = (text: string) => `order=${encodeURIComponent(text)}`;
  const filter = (text: string) => `a=${encodeURIComponent(text)}`;
  const or = (text: string) => `or=${encodeURIComponent(text)}`;
  const name = "field name (* or [a..z0..9_$])";
  const operator = "operator (eq, gt, ...)";
  const operators = "field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)";

  it.each<[string, number, string]>([
    [
      select("id,pets(name[])"),
      13,
      `unexpected '[' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input`,
    ],
    [select("data->>-78xy"), 11, `unexpected 'x' expecting digit, "->", "::", ".", "," or end of input`],
    [
      select("name!hint"),
      5,
      `unexpected '!' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input`,
    ],
    [select("name::"), 7, "unexpected end of input expecting letter or digit"],
    [select("a->>--3"), 6, 'unexpected "-" expecting digit'],
    [
      order("pets(name,id)"),
      5,
      `unexpected '(' expecting letter, digit, "-", "->>", "->", delimiter (.), "," or end of input`,
    ],
    [order("id.ac"), 4, 'unexpected "c" expecting "asc", "desc", "nullsfirst" or "nullslast"'],
    [order("id.descc"), 8, `unexpected 'c' expecting delimiter (.), "," or end of input`],
    [order("id.asc.nlsfst"), 8, 'unexpected "l" expecting "nullsfirst" or "nullslast"'],
    [order("id.nullslasttt"), 13, `unexpected 't' expecting "," or end of input`],
    [filter("val"), 1, `unexpected "v" expecting "not" or ${operator}`],
    [filter("fts().value"), 5, `unexpected ")" expecting ${operator}`],
    [filter("eq().value"), 4, `unexpected ")" expecting ${operator}`],
    [filter("is().value"), 3, `unexpected "(" expecting ${operator}`],
    [filter("in().value"), 3, `unexpected "(" expecting ${operator}`],
    [filter("in.1,2"), 4, 'unexpected "1" expecting "("'],
    [filter("is.nope"), 6, 'unexpected "p" expecting isVal: (null, not_null, true, false, unknown)'],
    [or("()"), 4, `unexpected ")" expecting ${operators}`],
    [or(")("), 3, 'unexpected ")" expecting "("'],
    [or("(id.in.1,2,id.eq.3)"), 10, 'unexpected "1" expecting "("'],
    ["and=(ord(id.eq.1,id.eq.1),id.eq.2)", 7, 'unexpected "d" expecting "("'],
    [or("(id.eq.1,not.xor(id.eq.2,id.eq.3))"), 16, 'unexpected "x" expecting logic operator (and, or)'],
    ["columns=", 1, `unexpected end of input expecting ${name}`],
    ["on_conflict=:", 1, `unexpected ":" expecting ${name}`],
    [select("a\tb"), 2, `unexpected 'b' expecting "::", ".", ")", "," or end of input`],
  ])("%s", (query, column, details) => {
    const [position, why] = failure(query);
    expect(why).toBe(details);
    if (!query.includes("%09")) expect(position).toBe(`(line 1, column ${column})`);
  });
  it("with the text that failed", () => {
    expect(() => parseParameters("select=a,,b")).toThrow(
      '"failed to parse select parameter (a,,b)" (line 1, column 3)',
    );
    expect(() => parseParameters("or=(a.eq.1")).toThrow(
      '"failed to parse logic tree ((a.eq.1)" (line 1, column 10)',
    );
  });
  it("counting lines and tab stops", () => {
    expect(failure(select("a,\t:"))[0]).toBe("(line 1, column 9)");
  });
  it("the first of order, logic, columns, select, filters, on_conflict", () => {
    const wrong = ["on_conflict=:", "a=x", "select=a,", "columns=:", "or=x", "order=:"];
    const told = wrong.map((_, at) => {
      try {
        parseParameters(wrong.slice(0, wrong.length - at).join("&"));
      } catch (error) {
        return /parse (\w+)/.exec(String(error))?.[1];
      }
      return undefined;
    });
    expect(told).toEqual(["order", "logic", "columns", "select", "filter", "on_conflict"]);
  });
  it("but take what follows a complete text as nothing", () => {
    expect(parseSelect("*!hint")).toEqual([{ kind: "star" }]);
    expect(parseSelect("pets(name)!")).toMatchObject([{ name: "pets" }]);
    expect(parseParameters("id)=eq.1").filters[0]?.filter.field.name).toBe("id");
    expect(parseParameters("a=is.nullish").filters[0]?.filter.operation).toEqual({
      kind: "is",
      value: "null",
    });
  });
  it("in calls by GET only where a value begins like a filter", () => {
    expect(parseParameters("a=eq&b=isdistinct&c=like(any)x&d=plfts", true).args).toHaveLength(4);
    expect(failure("a=not.x", true)[1]).toBe(`unexpected "x" expecting ${operator}`);
    expect(failure("a=in.x", true)[1]).toBe('unexpected "x" expecting "("');
  });
});
