/**
 * Owns the way from a raw query string to typed parameters, and the wording of PGRST100
 * (PostgREST documentation, "URL grammar").
 */
import { restErrors } from "../errors.ts";
import { readGroup, readOperation } from "./filter.ts";
import { readField, readName } from "./name.ts";
import { Mismatch, Scanner } from "./scanner.ts";
import { readSelect } from "./select.ts";
import type { Field, Filter, LogicGroup, OrderTerm, SelectItem } from "./syntax.ts";

/** Words that lead from the root to an embedded relation; empty for the root. */
export type EmbedPath = readonly string[];

/** What a query string says. */
export interface Parameters {
  select: SelectItem[];
  /** Undefined when not given. */
  columns?: string[];
  onConflict?: string[];
  filters: { path: EmbedPath; filter: Filter }[];
  groups: { path: EmbedPath; group: LogicGroup }[];
  orders: { path: EmbedPath; terms: OrderTerm[] }[];
  limits: { path: EmbedPath; limit: number }[];
  offsets: { path: EmbedPath; offset: number }[];
  /** Arguments of a function called by GET: names and values as received, in order. */
  args: [name: string, value: string][];
  /** All pairs, decoded, in order. */
  pairs: [name: string, value: string][];
}

/** Splits and decodes `a=b&c=d`: `+` is a space; a key without `=` gets undefined. */
export function decodeQuery(query: string): [string, string | undefined][] {
  if (query === "") return [];
  return query
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const equals = part.indexOf("=");
      return equals < 0
        ? [decode(part), undefined]
        : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
    });
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // A stray percent sign stands for itself; sequences that are valid are still decoded.
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
      Buffer.from(run.replaceAll("%", ""), "hex").toString(),
    );
  }
}

/**
 * @param callsByGet whether a value that is no filter is an argument (RPC by GET or HEAD).
 * @throws RestError PGRST100.
 */
export function parseParameters(query: string, callsByGet = false): Parameters {
  const pairs = decodeQuery(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const result: Parameters = {
    select: [{ kind: "star" }],
    filters: [],
    groups: [],
    orders: [],
    limits: [],
    offsets: [],
    args: [],
    pairs,
  };
  const seen = new Set<string>();
  for (const [key, value] of pairs) {
    switch (key) {
      case "select":
        if (!seen.has(key)) result.select = parseSelect(value);
        break;
      case "columns":
        if (!seen.has(key)) result.columns = parseNames("columns parameter", value);
        break;
      case "on_conflict":
        if (!seen.has(key)) result.onConflict = parseNames("on_conflict parameter", value);
        break;
      default:
        readPair(result, key, value, callsByGet, seen);
    }
    seen.add(key);
  }
  return result;
}

const LAST_WORD = /(?:^|\.)(order|limit|offset|and|or)$/;

function readPair(
  into: Parameters,
  key: string,
  value: string,
  callsByGet: boolean,
  seen: Set<string>,
): void {
  switch (LAST_WORD.exec(key)?.[1]) {
    case "order": {
      if (!seen.has(key)) into.orders.push({ path: parsePath(key), terms: parseOrder(value) });
      return;
    }
    case "limit": {
      const limit = integer(value);
      if (limit !== undefined) replace(into.limits, { path: parsePath(key), limit });
      return;
    }
    case "offset": {
      const offset = integer(value);
      if (offset !== undefined) replace(into.offsets, { path: parsePath(key), offset });
      return;
    }
    case "and":
    case "or":
      into.groups.push(parseGroup(key, value));
      return;
    default:
      readFilterOrArgument(into, key, value, callsByGet);
  }
}

function replace<T extends { path: EmbedPath }>(list: T[], entry: T): void {
  const name = entry.path.join(".");
  const at = list.findIndex((one) => one.path.join(".") === name);
  if (at < 0) list.push(entry);
  else list[at] = entry;
}

function integer(text: string): number | undefined {
  return /^-?\d{1,18}$/.test(text) ? Number(text) : undefined;
}

/** The words of a key that ends in a reserved one, without that one. */
function parsePath(key: string): string[] {
  return parse("tree path", key, key, 0, (scanner) => {
    const words = [readName(scanner)];
    while (scanner.take(".")) words.push(readName(scanner));
    scanner.expectEnd();
    return words.slice(0, -1);
  });
}

const OPERATOR_START =
  /^(?:not\.)?(?:in\.|is\.|isdistinct\.|(?:eq|gte?|lte?|i?like|i?match)(?:\((?:any|all)\))?\.|(?:neq|cs|cd|ov|sl|sr|nxr|nxl|adj)\.|(?:pl|ph|w)?fts(?:\([^)]*\))?\.)/;

function readFilterOrArgument(into: Parameters, key: string, value: string, callsByGet: boolean): void {
  if (callsByGet && !OPERATOR_START.test(value)) {
    // PostgREST reads "not.…", "in.…", "is.…" as the beginning of a filter, even when it then fails.
    if (!/^(?:not\.|in\.|is\.)/.test(value)) {
      into.args.push([key, value]);
      return;
    }
  }
  const { path, field } = parse("tree path", key, key, 0, (scanner) => {
    const words: string[] = [];
    let last: Field = readField(scanner);
    while (last.path.length === 0 && scanner.take(".")) {
      words.push(last.name);
      last = readField(scanner);
    }
    scanner.expectEnd();
    return { path: words, field: last };
  });
  const expression = parse("filter", value, value, 0, readOperation);
  into.filters.push({ path, filter: { kind: "filter", field, ...expression } });
}

function parseGroup(key: string, value: string): { path: string[]; group: LogicGroup } {
  const words = parsePathWords("logic path", key);
  const operator = words.pop() === "or" ? "or" : "and";
  const negated = words.at(-1) === "not";
  if (negated) words.pop();
  // Positions count from the operator, as PostgREST parses "or(...)".
  const text = operator + value;
  const group = parse("logic tree", value, text, operator.length, (scanner) => {
    const read = readGroup(scanner, operator, negated);
    scanner.expectEnd();
    return read;
  });
  return { path: words, group };
}

function parsePathWords(what: string, key: string): string[] {
  return parse(what, key, key, 0, (scanner) => {
    const words = [readName(scanner)];
    while (scanner.take(".")) words.push(readName(scanner));
    scanner.expectEnd();
    return words;
  });
}

export function parseSelect(value: string): SelectItem[] {
  const items = parse("select parameter", value, value, 0, (scanner) => {
    const read = readSelect(scanner);
    scanner.expectEnd();
    return read;
  });
  return items.length === 0 ? [{ kind: "star" }] : items;
}

export function parseOrder(value: string): OrderTerm[] {
  return parse("order", value, value, 0, (scanner) => {
    const terms = [readOrderTerm(scanner)];
    while (scanner.take(",")) terms.push(readOrderTerm(scanner));
    scanner.expectEnd();
    return terms;
  });
}

function readOrderTerm(scanner: Scanner): OrderTerm {
  const relation = scanner.attempt(() => {
    const name = readName(scanner);
    scanner.expect("(");
    return name;
  });
  const field = readField(scanner);
  if (relation !== undefined) scanner.expect(")");
  const term: OrderTerm = { field, ...(relation === undefined ? {} : { relation }) };
  if (scanner.take(".asc")) term.direction = "asc";
  else if (scanner.take(".desc")) term.direction = "desc";
  if (scanner.take(".nullsfirst")) term.nulls = "first";
  else if (scanner.take(".nullslast")) term.nulls = "last";
  if (!scanner.done && !scanner.startsWith(",")) {
    scanner.fail(scanner.startsWith(".") ? "asc, desc, nullsfirst or nullslast" : '"," or end of input');
  }
  return term;
}

function parseNames(what: string, value: string): string[] {
  return parse(what, value, value, 0, (scanner) => {
    const names = [readName(scanner)];
    while (scanner.take(",")) names.push(readName(scanner));
    scanner.expectEnd();
    return names;
  });
}

/** Parses a group's text alone, e.g. `(a.eq.1,b.is.null)`; also what tests parse by. */
export function parseLogic(operator: "and" | "or", value: string): LogicGroup {
  return parseGroup(operator, value).group;
}

function parse<T>(what: string, input: string, text: string, from: number, read: (scanner: Scanner) => T): T {
  const scanner = new Scanner(text);
  scanner.at = from;
  try {
    return read(scanner);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const { column, details } = scanner.failure();
    throw restErrors.unparsable(what, input, column, details);
  }
}
