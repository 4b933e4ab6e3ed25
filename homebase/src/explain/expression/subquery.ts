/**
 * Owns reading what a leaf asks of other rows: EXISTS, IN and = ANY with a subquery, and a call of a function.
 * The text is Postgres's deparse; a form that is not known is undefined, and then shown but not gone into.
 */
import type { Token } from "../../postgres/statements/lexer.ts";
import { tokenize } from "../../postgres/statements/lexer.ts";
import { atDepthZero, isSymbol, isWord, oneLine, splitAt, withoutParentheses } from "./expression.ts";
import { equalSides } from "./references.ts";

/** A query over rows: `with SELECT output FROM from WHERE where`. */
export interface Query {
  /** Its WITH with the named queries, where FROM may name one of them. */
  with?: string;
  output: string;
  from: string | undefined;
  where: string | undefined;
}

/** What a leaf asks. */
export type Question =
  /** Whether the query has a row; with `values`, one whose outputs equal them. */
  | { kind: "rows"; query: Query; values: string[] }
  /** The value of a function. */
  | { kind: "call"; name: string; args: string[] };

/** The words that end the conditions of a query. */
export const ENDS = [
  "group",
  "having",
  "window",
  "order",
  "limit",
  "offset",
  "fetch",
  "for",
  "union",
  "intersect",
  "except",
];

/** An aggregate gives one row, whatever the query finds. */
const AGGREGATE =
  /\b(count|sum|min|max|avg|every|bool_and|bool_or|(array|string|jsonb?|jsonb?_object|range|xml)_agg)\(/;
/** Counts that are true where there is a row at all; the first group is what is counted. */
const ANY_ROW = /^\(?count\((\*|[^()]+)\)(?: AS "?count"?)?\)* (?:>=? ?[01]|<> 0)\)*$/;

/** The parts of a query without grouping, aggregates or set operations; undefined for others. */
export function readQuery(text: string): Query | undefined {
  const query = readParts(text);
  return query && (/\bselect\b/i.test(query.output) || !AGGREGATE.test(query.output)) ? query : undefined;
}

/** `SELECT count(*) > 0 FROM …` and `( SELECT count(*) FROM …) > 0` as the query whose rows are counted. */
function countedRows(bare: string, tokens: readonly Token[]): Query | undefined {
  const [first] = tokens;
  const inner = first && isSymbol(first, "(") ? tokens[1] : undefined;
  const query = readParts(inner ? bare.slice(0, inner.to) : bare);
  if (query?.from === undefined) return undefined;
  const compared = inner ? `${query.output} ${oneLine(bare.slice(inner.to))}` : query.output;
  const counted = ANY_ROW.exec(compared)?.[1];
  if (counted === undefined || / >= ?0| > ?1/.test(compared)) return undefined;
  if (counted === "*" || counted === "1") return { ...query, output: "1" };
  const there = `(${counted} IS NOT NULL)`;
  return {
    ...query,
    output: "1",
    where: query.where === undefined ? there : `(${query.where} AND ${there})`,
  };
}

/** As `readQuery`, with aggregates. */
export function readParts(text: string): Query | undefined {
  const bare = withoutParentheses(text);
  const tokens = atDepthZero(bare);
  const [select] = tokens;
  if (select && isWord(select, "with")) return withNamed(bare, tokens);
  if (!select || !isWord(select, "select")) return undefined;
  const [, distinct, on] = tokens;
  if (distinct && isWord(distinct, "distinct") && on && isWord(on, "on")) return undefined;
  const find = (word: string) => tokens.find((one) => isWord(one, word) && !isDistinctFrom(tokens, one));
  // "FOR UPDATE" and ORDER BY without LIMIT change nothing about which rows there are.
  const end = tokens.find((one) => ENDS.some((word) => isWord(one, word)));
  if (
    end &&
    !(isWord(end, "order") && !tokens.some((one) => isWord(one, "limit") || isWord(one, "offset")))
  ) {
    return undefined;
  }
  const stop = end?.from ?? bare.length;
  const from = find("from");
  const where = find("where");
  const output = bare.slice(select.to, from?.from ?? where?.from ?? stop);
  return {
    output: commaSeparated(output).map(withoutAlias).join(", "),
    from: from && oneLine(bare.slice(from.to, where?.from ?? stop)),
    where: where && bare.slice(where.to, stop).trim(),
  };
}

/** The query after a WITH; where it only gives a value, the WITH belongs to the query inside that value. */
function withNamed(bare: string, tokens: readonly Token[]): Query | undefined {
  const select = tokens.find((one) => isWord(one, "select"));
  const query = select && readParts(bare.slice(select.from));
  if (!select || !query || tokens.some((one) => isWord(one, "union"))) return undefined;
  const named = oneLine(bare.slice(0, select.from));
  if (query.from !== undefined) return { ...query, with: named };
  const [before = "", inner, ...more] = query.output.split(/\( ?(?=SELECT\b)/i);
  return inner === undefined || more.length > 0
    ? undefined
    : { ...query, output: `${before}(${named} ${inner}` };
}

/** The queries that UNION joins, or the only one; undefined when one of them cannot be read. */
export function readUnion(text: string): Query[] | undefined {
  const queries = splitAt(withoutParentheses(text), (token) => isWord(token, "union")).map((one) =>
    readQuery(one.replace(/^\s*ALL\b/i, "")),
  );
  return queries.every((one) => one !== undefined) ? queries : undefined;
}

/** `a IS DISTINCT FROM b` has a FROM that begins no list of tables. */
function isDistinctFrom(tokens: readonly Token[], token: Token): boolean {
  const before = tokens[tokens.indexOf(token) - 1];
  return before !== undefined && isWord(before, "distinct") && tokens.indexOf(token) > 1;
}

/** The column's expression without `AS name` and DISTINCT. */
function withoutAlias(output: string): string {
  const tokens = atDepthZero(output);
  const as = tokens.findLast((one) => isWord(one, "as"));
  const first = tokens[0];
  const from = first && isWord(first, "distinct") ? first.to : 0;
  return oneLine(output.slice(from, as?.from ?? output.length));
}

/** What a leaf asks of other rows or functions; undefined for other leaves. */
export function questionOf(leaf: string): Question | undefined {
  const bare = withoutParentheses(leaf);
  const tokens = atDepthZero(bare);
  const [first, second] = tokens;
  if (!first) return undefined;
  if (isWord(first, "exists") && second) return rowsOf(bare.slice(second.from));
  const counted = countedRows(bare, tokens);
  if (counted) return { kind: "rows", query: counted, values: [] };
  // A scalar subquery around a call is how policies avoid calling it for each row.
  if (isWord(first, "select")) {
    const query = readQuery(bare);
    return query && query.from === undefined && query.where === undefined
      ? questionOf(query.output)
      : undefined;
  }
  const inside = tokens.find((one, at) => at > 0 && isWord(one, "in"));
  if (inside) return valueIn(bare.slice(0, inside.from), bare.slice(inside.to));
  const any = tokens.find((one, at) => at > 1 && isWord(one, "any"));
  const equals = any && tokens[tokens.indexOf(any) - 1];
  if (any && equals && isSymbol(equals, "=")) return valueIn(bare.slice(0, equals.from), bare.slice(any.to));
  return comparedRows(bare) ?? callOf(bare);
}

/** `a = ( SELECT b FROM …)` is true for the same rows as `a IN ( SELECT b FROM …)`; so it is the other way round. */
function comparedRows(bare: string): Question | undefined {
  for (const [side, other] of equalSides(bare)) {
    const query = side.startsWith("(") ? readQuery(side) : undefined;
    if (query?.from !== undefined) return { kind: "rows", query, values: [other] };
  }
  return undefined;
}

function rowsOf(text: string): Question | undefined {
  const query = readQuery(text);
  return query && { kind: "rows", query, values: [] };
}

/** `value IN (SELECT …)`, `(a, b) IN (SELECT …)` or `value = ANY (ARRAY( SELECT …))`. */
function valueIn(value: string, set: string): Question | undefined {
  const bare = withoutParentheses(set);
  const array = tokenize(bare)[0];
  const query = readQuery(array && isWord(array, "array") ? bare.slice(array.to) : bare);
  const values = commaSeparated(withoutParentheses(value)).map(oneLine);
  if (values.length === 1) return query && { kind: "rows", query, values: [oneLine(value)] };
  const fits = query?.from !== undefined && commaSeparated(query.output).length === values.length;
  return fits ? { kind: "rows", query, values } : undefined;
}

/** A call that is the whole text, e.g. `private.is_member(plan_id)`. */
export function callOf(text: string): Question | undefined {
  const bare = withoutParentheses(text);
  const match =
    /^((?:"(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)(?:\.(?:"(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*))?)\(/u.exec(
      bare,
    );
  if (!match?.[1]) return undefined;
  const open = match[0].length - 1;
  const outside = atDepthZero(bare.slice(open));
  if (outside.length !== 2 || outside[1]?.to !== bare.length - open) return undefined;
  return { kind: "call", name: match[1], args: commaSeparated(bare.slice(open + 1, -1)) };
}

/** The elements of a list. */
export function commaSeparated(list: string): string[] {
  if (list.trim() === "") return [];
  return splitAt(list, (token) => isSymbol(token, ",")).map((one) => one.trim());
}
