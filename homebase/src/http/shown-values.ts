/**
 * Owns what is shown of a recorded request's values. Those of columns of an exposed table are shown; arguments of
 * functions, claims, headers and everything else are shown by type and length.
 */
import { percentDecoded } from "../core/percent.ts";
import { isRecord } from "../core/record.ts";
import type { ReadRecord } from "./read-record.ts";

/** What a request to REST names: a relation or a function of the schema cache. */
export type Target =
  | { readonly columns: ReadonlyMap<string, unknown> }
  | { readonly parameters: readonly { readonly name: string }[] };

/** Parameters of REST with names of columns, numbers and keywords. */
const OF_REST = new Set(["select", "order", "limit", "offset", "columns", "on_conflict"]);
/** Claims that Auth gives to every token. */
const OF_AUTH = new Set("role sub aud iss exp iat aal session_id is_anonymous".split(" "));
/** What a sign-in is by, which Auth names in a query. */
const GRANT_TYPE = /^grant_type=(?:password|refresh_token|pkce|id_token|web3)$/;
/** A shorter value is part of any text. */
const LEAST_QUOTED = 3;

/** The record without its values; an error that quotes one is without it too. */
export function withoutValues(record: ReadRecord, target: Target | undefined): ReadRecord {
  const { query, statement, claims, error, service, replayable, role, code } = record;
  const hidden: string[] = [];
  const hide = (value: unknown): string => {
    hidden.push(...leavesOf(value));
    return typeAndLength(value);
  };
  const shown = {
    ...record,
    query: target ? queryOf(query, target, hide) : query,
    // Where nothing ran, no error quotes a claim, and "email" is a word of many.
    claims:
      claims &&
      mapped(claims, (value, name) =>
        OF_AUTH.has(name) ? value : (role === undefined ? typeAndLength : hide)(value),
      ),
    statement: statement && {
      ...statement,
      values: valuesOf(record, target, hide),
      headers: mapped(statement.headers, hide),
    },
  };
  if (!error) return shown;
  // Which values an error quotes is known only where they were kept; functions have bodies that are not. An error with a
  // code is the platform's own, which quotes none.
  const known =
    role === undefined
      ? service !== "functions" || code !== undefined
      : replayable || (target && "columns" in target);
  const clean = known ? (text: string) => withoutQuoted(text, hidden) : typeAndLength;
  const { message, hint } = error;
  return {
    ...shown,
    error: { ...error, message: clean(message), ...(hint === undefined ? {} : { hint: clean(hint) }) },
  };
}

/** A query with the names of its parameters, and values as far as the target has columns of these names. */
export function withoutValuesOfQuery(query: string, target: Target | undefined): string {
  return queryOf(query, target, typeAndLength);
}

/** A text without the values of a query's parameters. */
export function withoutValuesIn(text: string, query: string): string {
  const hidden: string[] = [];
  queryOf(query, undefined, (value) => String(hidden.push(...leavesOf(value))));
  return withoutQuoted(text, hidden);
}

/** "string, 12 characters". */
export function typeAndLength(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return `string, ${counted(value.length, "character")}`;
  if (Array.isArray(value)) return `array, ${counted(value.length, "element")}`;
  if (typeof value === "object") return `object, ${counted(Object.keys(value).length, "key")}`;
  return typeof value;
}

type Hide = (value: unknown) => string;

function queryOf(query: string, target: Target | undefined, hide: Hide): string {
  if (query === "") return "";
  return query
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=");
      if (at < 0 || GRANT_TYPE.test(pair) || showsParameter(percentDecoded(pair.slice(0, at)), target))
        return pair;
      return `${pair.slice(0, at)}=(${hide(percentDecoded(pair.slice(at + 1)))})`;
    })
    .join("&");
}

/** REST plans a filter with a dot in its name only where it names an embedded relation. */
function showsParameter(name: string, target: Target | undefined): boolean {
  if (!target) return false;
  if (OF_REST.has(name)) return true;
  if (!("columns" in target)) return false;
  const [column = ""] = name.split(/->/);
  return target.columns.has(column) || /^(?:.+\.)?(?:and|or)$/.test(name) || name.includes(".");
}

/** The values of a statement; a write of REST has its body first. */
function valuesOf(
  { method, query, statement }: ReadRecord,
  target: Target | undefined,
  hide: Hide,
): (string | null)[] {
  const values = statement?.values ?? [];
  if (!target) return values.map(hide);
  if ("parameters" in target) {
    return values.map((value) => withNames(value, new Set(target.parameters.map(({ name }) => name)), hide));
  }
  const filters = query
    .split("&")
    .every((pair) => showsParameter(percentDecoded(pair.split("=")[0] ?? ""), target));
  const hasBody = method === "POST" || method === "PATCH" || method === "PUT";
  return values.map((value, at) => {
    if (hasBody && at === 0) return withColumns(value, target.columns, hide);
    return filters || query === "" ? value : hide(value);
  });
}

/** A body with the values of columns. */
function withColumns(text: string | null, columns: ReadonlyMap<string, unknown>, hide: Hide): string {
  const body = parsed(text);
  const row = (one: unknown): unknown =>
    isRecord(one) ? mapped(one, (value, name) => (columns.has(name) ? value : hide(value))) : hide(one);
  return isRecord(body) || Array.isArray(body)
    ? JSON.stringify(Array.isArray(body) ? body.map(row) : row(body))
    : hide(text);
}

/** Arguments in one object, with their names but not their values. */
function withNames(text: string | null, names: ReadonlySet<string>, hide: Hide): string {
  const body = parsed(text);
  if (!isRecord(body)) return hide(text);
  return Object.keys(body).every((name) => names.has(name)) ? JSON.stringify(mapped(body, hide)) : hide(body);
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

function mapped<From, To>(
  of: Readonly<Record<string, From>>,
  to: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, to(value, name)]));
}

/** The texts and numbers in a value; a text of JSON is gone into. */
function leavesOf(value: unknown): string[] {
  if (typeof value === "string") {
    const inner = /^\s*[[{"]/.test(value) ? parsed(value) : undefined;
    // An operator of REST stands before the value itself.
    return [value, value.slice(value.indexOf(".") + 1), ...(inner === undefined ? [] : leavesOf(inner))];
  }
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

function withoutQuoted(text: string, hidden: readonly string[]): string {
  const longest = [...new Set(hidden)].sort((one, other) => other.length - one.length);
  return longest.reduce((rest, value) => {
    if (value === "") return rest;
    const by = `(${typeAndLength(value)})`;
    return value.length >= LEAST_QUOTED
      ? rest.replaceAll(value, by)
      : rest.replaceAll(`"${value}"`, by).replaceAll(`'${value}'`, by).replaceAll(`(${value})`, by);
  }, text);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
