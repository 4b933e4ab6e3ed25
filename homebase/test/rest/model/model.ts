/**
 * Owns a model of PostgREST's documented rules for tests: the response to a read, computed over rows in
 * memory.
 */

/** A value in JSON, except ranges and numbers that JSON lacks. */
export type Value = null | boolean | number | string | readonly number[] | Range | Doc;
export interface Range {
  from: number;
  to: number;
}
export interface Doc {
  a?: string | number | null;
  b?: { c: string };
}
export type Row = Record<string, Value>;

/** A Postgres type: its column, some values, and the operators that the model supports for it. */
export interface Kind {
  sql: string;
  values: readonly Exclude<Value, null>[];
  /** The comparison key, if it is not the value itself. */
  rank?: readonly string[];
  has: "order" | "words" | "array" | "range" | "doc" | "lexemes" | "nothing";
}

const ORDER = ["eq", "neq", "gt", "gte", "lt", "lte", "isdistinct", "in"] as const;
/** The operators of each group of types; `is` applies to all. */
export const OPERATORS: Record<Kind["has"], readonly string[]> = {
  order: ORDER,
  words: [...ORDER, "like", "ilike", "match", "imatch", "fts(simple)", "plfts(simple)"],
  array: ["eq", "neq", "cs", "cd", "ov"],
  range: ["eq", "neq", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj"],
  doc: ["eq", "neq", "cs", "cd"],
  lexemes: ["fts(simple)", "plfts(simple)"],
  nothing: [],
};
/** The operators that also accept a list. */
export const QUANTIFIED = ["eq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch"] as const;

const MOODS = ["sad", "fine", "glad"];
/** Every column of the compared table but its key. */
export const KINDS: Record<string, Kind> = {
  n2: { sql: "int2", values: [-3, 0, 5, 9], has: "order" },
  n4: { sql: "int4", values: [-70_000, 0, 1, 2, 80_000], has: "order" },
  n8: { sql: "int8", values: [-5_000_000_000, 0, 9_007_199_254_740_991], has: "order" },
  num: { sql: "numeric", values: [-1.5, 0, 0.25, 99.125], has: "order" },
  f4: { sql: "float4", values: [-0.5, 0.25, 3], has: "order" },
  f8: { sql: "float8", values: [-2.5, 0.125, 7, Infinity, -Infinity, NaN], has: "order" },
  positive: { sql: "positive", values: [1, 2, 3], has: "order" },
  flag: { sql: "boolean", values: [true, false], has: "order" },
  word: {
    sql: 'text collate "C"',
    values: [
      "",
      "ant",
      "Ant",
      "bee 7",
      "a,b",
      'say "hi"',
      "50%",
      "x_y",
      "back\\slash",
      "Über",
      "😀",
      "(c)",
      "null",
    ],
    has: "words",
  },
  short: { sql: 'varchar(9) collate "C"', values: ["ant", "bee", "cat 1"], has: "words" },
  fixed: { sql: 'char(3) collate "C"', values: ["abc", "abd", "xyz"], has: "order" },
  day: { sql: "date", values: ["1999-12-31", "2024-02-29", "2030-01-01"], has: "order" },
  hour: { sql: "time", values: ["00:00:00", "12:30:00", "23:59:59"], has: "order" },
  at: { sql: "timestamp", values: ["2024-01-02T03:04:05", "2025-06-07T08:09:10"], has: "order" },
  zoned: {
    sql: "timestamptz",
    values: ["2024-01-02T03:04:05+00:00", "2025-06-07T08:09:10+00:00"],
    has: "order",
  },
  lasting: { sql: "interval", values: ["01:00:00", "02:30:00"], has: "order" },
  key: {
    sql: "uuid",
    values: ["00000000-0000-0000-0000-00000000000a", "f0000000-0000-0000-0000-000000000000"],
    has: "order",
  },
  bytes: { sql: "bytea", values: ["\\x00", "\\x00ff", "\\xdead"], has: "order" },
  mood: { sql: "mood", values: MOODS, rank: MOODS, has: "order" },
  address: { sql: "inet", values: ["10.0.0.1", "10.0.0.2"], has: "order" },
  list: { sql: "int[]", values: [[], [1], [1, 2], [2, 3, 3]], has: "array" },
  span: {
    sql: "int4range",
    values: [
      { from: 1, to: 5 },
      { from: 5, to: 9 },
      { from: 3, to: 6 },
      { from: -4, to: 20 },
    ],
    has: "range",
  },
  doc: {
    sql: "jsonb",
    values: [{}, { a: "x" }, { a: 5 }, { a: null }, { a: "y", b: { c: "deep" } }],
    has: "doc",
  },
  plain: { sql: "json", values: [{ a: "x" }, { a: 5 }], has: "nothing" },
  lexemes: { sql: "tsvector", values: ["'ant' 'bee'", "'bee'"], has: "lexemes" },
};

/** A value in Postgres's text format. */
export function textOf(value: Exclude<Value, null>): string {
  if (Array.isArray(value)) return `{${value.join(",")}}`;
  if (typeof value === "object") {
    return "from" in value ? `[${value.from},${value.to})` : JSON.stringify(value);
  }
  return String(value);
}

/** A value in JSON. */
export function shown(value: Value): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value !== null && typeof value === "object" && "from" in value) return textOf(value);
  return value;
}

export interface Condition {
  column: string;
  path?: readonly string[];
  not: boolean;
  operator: string;
  quantifier?: "any" | "all";
  /** The compared value: several for `in` and with a quantifier. */
  values: readonly Exclude<Value, null>[];
  /** For `is`. */
  word?: string;
}
export interface Group {
  join: "and" | "or";
  not: boolean;
  of: readonly Filter[];
}
export type Filter = Condition | Group;

export interface Order {
  column: string;
  descending: boolean;
  nulls?: "first" | "last";
}
export interface Item {
  column: string;
  alias?: string;
  path?: readonly string[];
  /** To text. */
  cast?: boolean;
}
export interface Embed {
  to: "kinds" | "parts";
  alias?: string;
  inner: boolean;
  spread: boolean;
  read: Read;
  /** The parent's requirement on it. */
  demand?: "is.null" | "not.is.null";
}
export interface Read {
  table: "kinds" | "parts";
  items: readonly Item[];
  embeds: readonly Embed[];
  filters: readonly Filter[];
  /** Ends with the key, so that the order is unique. */
  order: readonly Order[];
  limit?: number;
  offset?: number;
}
export type Tables = Record<"kinds" | "parts", readonly Row[]>;

type Truth = boolean | null;
const negate = (truth: Truth): Truth => (truth === null ? null : !truth);
const anyOf = (list: readonly Truth[]): Truth => list.includes(true) || (list.includes(null) ? null : false);
const allOf = (list: readonly Truth[]): Truth => negate(anyOf(list.map(negate)));

function compare(kind: Kind | undefined, one: Exclude<Value, null>, other: Exclude<Value, null>): number {
  if (kind?.rank) return kind.rank.indexOf(String(one)) - kind.rank.indexOf(String(other));
  if (typeof one === "number" && typeof other === "number") {
    // NaN is equal to itself and greater than all.
    if (Number.isNaN(one) || Number.isNaN(other))
      return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
    return one === other ? 0 : one < other ? -1 : 1;
  }
  if (typeof one === "boolean") return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(textOf(one)), Buffer.from(textOf(other)));
}

function same(one: Value | undefined, other: Value | undefined): boolean {
  const sorted = (value: unknown): unknown =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, sorted(inner)])
      : value;
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Whether a document has all that another has. */
function contains(one: unknown, other: unknown): boolean {
  if (other === null || typeof other !== "object") return one === other;
  if (one === null || typeof one !== "object") return false;
  return Object.entries(other).every(
    ([key, value]) => key in one && contains((one as Record<string, unknown>)[key], value),
  );
}

const lower = (text: string) => text.replace(/[A-Z]/g, (one) => one.toLowerCase());

function like(text: string, pattern: string): boolean {
  const source = pattern
    .replaceAll("*", "%")
    .replace(/\\(.)|([%_])|([^\\%_])/gsu, (_, escaped?: string, wild?: string, plain?: string) =>
      wild
        ? wild === "%"
          ? "[\\s\\S]*"
          : "[\\s\\S]"
        : (escaped ?? plain ?? "").replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"),
    );
  return new RegExp(`^${source}$`, "u").test(text);
}

const words = (text: string): string[] => lower(text).match(/[a-z0-9]+/g) ?? [];

function holds(
  kind: Kind | undefined,
  operator: string,
  one: Exclude<Value, null>,
  other: Exclude<Value, null>,
): boolean {
  const [left, right] = [one, other] as [Range, Range];
  const lists = () => [one, other] as [number[], number[]];
  const structured = kind?.has === "array" || kind?.has === "range" || kind?.has === "doc";
  const order = () => (structured ? Number(!same(one, other)) : compare(kind, one, other));
  switch (operator) {
    case "eq":
      return order() === 0;
    case "neq":
      return order() !== 0;
    case "gt":
      return order() > 0;
    case "gte":
      return order() >= 0;
    case "lt":
      return order() < 0;
    case "lte":
      return order() <= 0;
    case "like":
      return like(String(one), String(other));
    case "ilike":
      return like(lower(String(one)), lower(String(other)));
    case "match":
      return new RegExp(String(other), "u").test(String(one));
    case "imatch":
      return new RegExp(lower(String(other)), "u").test(lower(String(one)));
    case "fts(simple)":
    case "plfts(simple)":
      return words(String(other)).every((word) => words(String(one)).includes(word));
    case "cs":
      if (kind?.has === "range") return left.from <= right.from && left.to >= right.to;
      if (kind?.has === "doc") return contains(one, other);
      return lists()[1].every((member) => lists()[0].includes(member));
    case "cd":
      return holds(kind, "cs", other, one);
    case "ov":
      if (kind?.has === "range") return left.from < right.to && right.from < left.to;
      return lists()[1].some((member) => lists()[0].includes(member));
    case "sl":
      return left.to <= right.from;
    case "sr":
      return left.from >= right.to;
    case "nxr":
      return left.to <= right.to;
    case "nxl":
      return left.from >= right.from;
    case "adj":
      return left.to === right.from || right.to === left.from;
    default:
      throw new Error(`the model has no ${operator}`);
  }
}

/** The value at a column's path: with `->>` last, the text. */
export function reach(row: Row, { column, path }: { column: string; path?: readonly string[] }): Value {
  let value: unknown = row[column] ?? null;
  for (const step of path ?? []) {
    value = value !== null && typeof value === "object" ? (value as Record<string, unknown>)[step] : null;
  }
  if (value === undefined || value === null) return null;
  return path ? String(value) : (value as Value);
}

function judge(filter: Filter, row: Row): Truth {
  if ("join" in filter) {
    const all = filter.of.map((one) => judge(one, row));
    const truth = filter.join === "and" ? allOf(all) : anyOf(all);
    return filter.not ? negate(truth) : truth;
  }
  const kind = filter.path ? undefined : KINDS[filter.column];
  const value = reach(row, filter);
  const [first] = filter.values;
  const each = (operator: string) =>
    filter.values.map((other) => (value === null ? null : holds(kind, operator, value, other)));
  let truth: Truth;
  if (filter.operator === "is") {
    truth =
      { null: value === null, not_null: value !== null, true: value === true, false: value === false }[
        filter.word ?? ""
      ] ?? value === null;
  } else if (filter.operator === "isdistinct") {
    truth = value === null || first === undefined || !holds(kind, "eq", value, first);
  } else if (filter.operator === "in") truth = anyOf(each("eq"));
  else truth = (filter.quantifier === "all" ? allOf : anyOf)(each(filter.operator));
  return filter.not ? negate(truth) : truth;
}

function sorted(rows: readonly Row[], order: readonly Order[]): Row[] {
  return [...rows].sort((one, other) => {
    for (const { column, descending, nulls } of order) {
      const [left, right] = [one[column] ?? null, other[column] ?? null];
      const nullsFirst = nulls ? nulls === "first" : descending;
      if (left === null || right === null) {
        if (left === right) continue;
        return (left === null) === nullsFirst ? -1 : 1;
      }
      const difference = compare(KINDS[column], left, right);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
}

/** An embed's rows for a parent's row, without its limit. */
function related(tables: Tables, embed: Embed, parent: Row): Row[] {
  const of = embed.to === "parts" ? ["kind_id", "id"] : ["id", "kind_id"];
  const value = parent[of[1] ?? ""] ?? null;
  if (value === null) return [];
  return matching(tables, embed.read).filter((row) => row[of[0] ?? ""] === value);
}

/** All rows of a read, in their order. */
export function matching(tables: Tables, read: Read): Row[] {
  const kept = tables[read.table].filter(
    (row) =>
      read.filters.every((filter) => judge(filter, row) === true) &&
      read.embeds.every((embed) => {
        const count = embed.inner || embed.demand ? related(tables, embed, row).length : 0;
        return (
          !(embed.inner && count === 0) && !(embed.demand && (count === 0) !== (embed.demand === "is.null"))
        );
      }),
  );
  return sorted(kept, read.order);
}

/** One row in a read's output. */
function project(tables: Tables, read: Read, row: Row): Record<string, unknown> {
  const one: Record<string, unknown> = {};
  for (const item of read.items) {
    const value = reach(row, item);
    const name = item.alias ?? item.path?.at(-1) ?? item.column;
    one[name] = item.cast && value !== null ? textOf(value) : shown(value);
  }
  for (const embed of read.embeds) {
    const found = range(related(tables, embed, row), embed.read).map((child) =>
      project(tables, embed.read, child),
    );
    if (embed.spread) {
      const empty = Object.fromEntries(embed.read.items.map(({ alias, column }) => [alias ?? column, null]));
      Object.assign(one, found[0] ?? empty);
    } else one[embed.alias ?? embed.to] = embed.to === "parts" ? found : (found[0] ?? null);
  }
  return one;
}

/** The first position and the one after the last. A negative offset begins before the first row. */
function window({ limit, offset = 0 }: Read): { from: number; to: number } {
  return { from: Math.max(0, offset), to: limit === undefined ? Infinity : offset + limit };
}

function range<T>(rows: readonly T[], read: Read): T[] {
  const { from, to } = window(read);
  return rows.slice(from, Math.max(from, to));
}

export interface Expected {
  status: number;
  code?: string;
  body?: unknown;
  contentRange?: string;
}

/** The response to a valid read. */
export function answer(
  tables: Tables,
  read: Read,
  { count, single }: { count: boolean; single: boolean },
): Expected {
  const { from, to } = window(read);
  // A range may be empty only by ending before the first row: `limit=0` beyond an offset is an error.
  const none = to === 0;
  if (to <= from && !none) return { status: 416, code: "PGRST103" };
  const all = matching(tables, read);
  const found = range(all, read).map((row) => project(tables, read, row));
  const offset = none ? 0 : from;
  if (single && found.length !== 1) return { status: 406, code: "PGRST116" };
  if (count && offset > all.length) return { status: 416, code: "PGRST103" };
  const part = found.length === 0 ? "*" : `${offset}-${offset + found.length - 1}`;
  return {
    status: count && found.length < all.length ? 206 : 200,
    body: single ? found[0] : found,
    contentRange: `${part}/${count ? all.length : "*"}`,
  };
}
