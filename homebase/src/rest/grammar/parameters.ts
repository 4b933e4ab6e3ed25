/**
 * Owns parsing a raw query string into typed parameters, and the wording of PGRST100 (PostgREST
 * documentation, "URL grammar").
 */
import { restErrors } from "../errors.ts";
import { expectDelimiter, readLogic, readOperation } from "./filter.ts";
import { readName, readPath } from "./name.ts";
import { readOrder } from "./order.ts";
import { Mismatch, Scanner, TooDeep } from "./scanner.ts";
import { readSelect } from "./select.ts";
import type { Field, Filter, LogicTree, OrderTerm, SelectItem } from "./syntax.ts";

/** Path from the root to an embedded relation; empty for the root. */
export type EmbedPath = readonly string[];

/** A parsed query string. */
export interface Parameters {
  select: SelectItem[];
  /** Undefined when absent. */
  columns?: string[];
  onConflict?: string[];
  filters: { path: EmbedPath; filter: Filter }[];
  groups: { path: EmbedPath; group: LogicTree }[];
  orders: { path: EmbedPath; terms: OrderTerm[] }[];
  limits: { path: EmbedPath; limit: number }[];
  offsets: { path: EmbedPath; offset: number }[];
  /** Arguments of a function called by GET: names and values as received, in order. */
  args: [name: string, value: string][];
  /** All pairs, decoded, in order; a key without `=` has an empty value. */
  pairs: [name: string, value: string][];
}

/** Splits and decodes `a=b&c=d`, also with `;`: `+` is a space; a key without `=` gets undefined. */
export function decodeQuery(query: string): [string, string | undefined][] {
  if (query === "") return [];
  return query
    .split(/[&;]/)
    .filter((part) => part !== "")
    .map((part) => {
      const equals = part.indexOf("=");
      return equals < 0
        ? [formDecoded(part), undefined]
        : [formDecoded(part.slice(0, equals)), formDecoded(part.slice(equals + 1))];
    });
}

function formDecoded(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // An invalid percent sign is kept literally; valid sequences are still decoded.
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
      Buffer.from(run.replaceAll("%", ""), "hex").toString(),
    );
  }
}

/** Groups the query's pairs by purpose, before any is parsed. */
interface Sorted {
  select?: string;
  columns?: string;
  onConflict?: string;
  orders: [string, string][];
  limits: [string, string][];
  offsets: [string, string][];
  groups: [string, string][];
  filters: [string, string][];
}

const LAST_WORD = /(?:^|\.)(order|limit|offset|and|or)$/;

function sortPairs(pairs: readonly [string, string | undefined][]): Sorted {
  const sorted: Sorted = { orders: [], limits: [], offsets: [], groups: [], filters: [] };
  const named: Record<string, string | undefined> = {};
  for (const [key, value] of pairs) {
    if (key === "select" || key === "columns" || key === "on_conflict") {
      if (!(key in named)) named[key] = value;
      continue;
    }
    if (value === undefined) continue;
    listFor(sorted, LAST_WORD.exec(key)?.[1]).push([key, value]);
  }
  if (named.select !== undefined) sorted.select = named.select;
  if (named.columns !== undefined) sorted.columns = named.columns;
  if (named.on_conflict !== undefined) sorted.onConflict = named.on_conflict;
  return sorted;
}

function listFor(sorted: Sorted, word: string | undefined): [string, string][] {
  switch (word) {
    case "order":
      return sorted.orders;
    case "limit":
      return sorted.limits;
    case "offset":
      return sorted.offsets;
    case "and":
    case "or":
      return sorted.groups;
    default:
      return sorted.filters;
  }
}

/**
 * Parses all parameters.
 * @param callsByGet whether a value that is not a filter is an argument (RPC by GET or HEAD).
 * @throws RestError PGRST100, for the first invalid kind of parameter: order, logic, columns, select,
 * filters, on_conflict, limit and offset.
 */
export function parseParameters(query: string, callsByGet = false): Parameters {
  const decoded = decodeQuery(query);
  const sorted = sortPairs(decoded);
  const result: Parameters = {
    select: [{ kind: "star" }],
    filters: [],
    groups: [],
    orders: [],
    limits: [],
    offsets: [],
    args: [],
    pairs: decoded.map(([key, value]) => [key, value ?? ""]),
  };
  for (const [key, value] of sorted.orders) {
    const path = parsePath(key);
    const terms = parseOrder(value);
    // The first of several for one relation applies.
    if (!result.orders.some((one) => samePath(one.path, path))) result.orders.push({ path, terms });
  }
  for (const [key, value] of sorted.groups) result.groups.push(parseGroup(key, value));
  if (sorted.columns !== undefined) result.columns = parseNames("columns parameter", sorted.columns);
  if (sorted.select !== undefined) result.select = parseSelect(sorted.select);
  for (const [key, value] of sorted.filters) readFilterOrArgument(result, key, value, callsByGet);
  if (sorted.onConflict !== undefined) {
    result.onConflict = parseNames("on_conflict parameter", sorted.onConflict);
  }
  readRanges(result, sorted);
  return result;
}

function samePath(left: EmbedPath, right: EmbedPath): boolean {
  return left.length === right.length && left.every((word, at) => word === right[at]);
}

/**
 * The last of several values applies. A value that is not a number is ignored, unless the other parameter is
 * present.
 */
function readRanges(into: Parameters, { limits, offsets }: Sorted): void {
  for (const [key, value] of limits) {
    const path = parsePath(key);
    const limit =
      integer(value) ?? (offsets.some(([other]) => samePath(parsePath(other), path)) ? 0 : undefined);
    const at = into.limits.findIndex((one) => samePath(one.path, path));
    if (at >= 0) into.limits.splice(at, 1);
    if (limit !== undefined) into.limits.push({ path, limit });
  }
  for (const [key, value] of offsets) {
    const path = parsePath(key);
    const offset = integer(value);
    const at = into.offsets.findIndex((one) => samePath(one.path, path));
    if (at >= 0) into.offsets.splice(at, 1);
    if (offset !== undefined) into.offsets.push({ path, offset });
  }
}

/** Beyond Postgres's numbers of rows; it reports them. */
const MOST_ROWS = 1e30;

function integer(text: string): number | undefined {
  if (!/^\s*-?\d+\s*$/.test(text)) return undefined;
  return Math.max(-MOST_ROWS, Math.min(MOST_ROWS, Number(text)));
}

const PLAIN_PATH = /^[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$/;

/** The path of a key, ignoring what follows. */
function readWords(scanner: Scanner): string[] {
  return scanner.separated(
    () => readName(scanner),
    () => expectDelimiter(scanner),
  );
}

/** The path of a key that ends in a reserved word, without that word. */
function parsePath(key: string): string[] {
  if (PLAIN_PATH.test(key)) return key.split(".").slice(0, -1);
  return parse("tree path", key, key, (scanner) => {
    const words = readWords(scanner);
    readPath(scanner);
    return words.slice(0, -1);
  });
}

function parseField(key: string): { path: string[]; field: Field } {
  if (PLAIN_PATH.test(key)) {
    const words = key.split(".");
    return { field: { name: words.pop() ?? "", path: [] }, path: words };
  }
  return parse("tree path", key, key, (scanner) => {
    const words = readWords(scanner);
    return { field: { name: words.pop() ?? "", path: readPath(scanner) }, path: words };
  });
}

function readFilterOrArgument(into: Parameters, key: string, value: string, callsByGet: boolean): void {
  const { path, field } = parseField(key);
  const expression = parse("filter", value, value, (scanner) =>
    // A value that begins like a filter must parse completely; any other is an argument.
    callsByGet ? scanner.option(() => readOperation(scanner)) : readOperation(scanner),
  );
  if (expression === undefined) into.args.push([field.name, value]);
  else into.filters.push({ path, filter: { kind: "filter", field, ...expression } });
}

function parseGroup(key: string, value: string): { path: string[]; group: LogicTree } {
  const words = parse("logic path", key, key, readWords);
  const operator = words.at(-1) ?? "";
  const path = words.slice(0, -1).filter((word) => word !== "not");
  // Positions are relative to the operator, as PostgREST parses "or(...)".
  const text = `${words.includes("not") ? "not." : ""}${operator}${value}`;
  return { path, group: parse("logic tree", value, text, readLogic) };
}

export function parseSelect(value: string): SelectItem[] {
  const items = parse("select parameter", value, value, readSelect);
  return items.length === 0 ? [{ kind: "star" }] : items;
}

export function parseOrder(value: string): OrderTerm[] {
  return parse("order", value, value, readOrder);
}

function parseNames(what: string, value: string): string[] {
  return parse(what, value, value, (scanner) =>
    scanner.separated(
      () => readName(scanner),
      () => scanner.lexeme(() => scanner.expect(",")),
    ),
  );
}

/** Parses only a group's text, e.g. `(a.eq.1,b.is.null)`; tests use it too. */
export function parseLogic(operator: "and" | "or", value: string): LogicTree {
  return parseGroup(operator, value).group;
}

function parse<T>(what: string, input: string, text: string, read: (scanner: Scanner) => T): T {
  const scanner = new Scanner(text);
  try {
    return read(scanner);
  } catch (error) {
    if (error instanceof TooDeep) throw restErrors.tooDeep(what);
    if (!(error instanceof Mismatch)) throw error;
    const { position, details } = scanner.failure();
    throw restErrors.unparsable(what, input, position, details);
  }
}
