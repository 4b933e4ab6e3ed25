/** Owns the filter grammar of a subscription and its parameters' errors (docs/compat/realtime.md 13). */
import { inspectString, inspectTerm } from "./elixir-inspect.ts";

const OPERATORS = [
  "eq",
  "neq",
  "lt",
  "lte",
  "gt",
  "gte",
  "in",
  "like",
  "ilike",
  "is",
  "match",
  "imatch",
  "isdistinct",
] as const;

export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  column: string;
  operator: Operator;
  /** In Postgres's text format; for `in` an array literal. */
  value: string;
  /** The values of `in`, if the literal is simple enough to be parsed here. */
  list?: readonly string[];
  negate: boolean;
}

/** An invalid subscription; `message` is the text of the system message. */
export class SubscriptionFault extends Error {}

/** No table of a subscription is published. */
export class Unpublished extends SubscriptionFault {
  readonly schema: string;
  readonly table: string;

  constructor(message: string, { schema, table }: { schema: string; table: string }) {
    super(message);
    this.schema = schema;
    this.table = table;
  }
}

/**
 * Parses `column=op.value` conditions joined by commas.
 * @throws SubscriptionFault
 */
export function parseFilters(text: string): Filter[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  return splitConditions(trimmed).map((segment) => {
    if (segment.trim() === "") fault("filter must not contain empty segments (check for extra commas)");
    return parseCondition(segment.trim());
  });
}

function parseCondition(segment: string): Filter {
  const [column, given] = halves(segment, "=");
  if (given === undefined) fault(inspectTerm([column]));
  const negate = given.startsWith("not.");
  const [name, raw] = halves(negate ? given.slice("not.".length) : given, ".");
  if (raw === undefined) fault(inspectTerm([name]));
  const operator = OPERATORS.find((one) => one === name);
  if (!operator) fault(inspectTerm([name, raw]));
  if (operator !== "in") return { column, operator, value: unquote(raw), negate };
  if (raw.length < 2 || !raw.startsWith("(") || !raw.endsWith(")"))
    fault("`in` filter value must be wrapped by parentheses");
  const value = `{${raw.slice(1, -1)}}`;
  const list = arrayElements(value);
  return { column, operator, value, list, negate };
}

/** Splits at the first `mark`. */
function halves(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** Elements of a flat array literal without nulls; undefined for literals that only Postgres can parse. */
function arrayElements(literal: string): string[] | undefined {
  const elements: string[] = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|([^"\\{},]+))\s*(,|\}$)/gsy;
  pattern.lastIndex = 1;
  while (pattern.lastIndex < literal.length) {
    const match = pattern.exec(literal);
    if (!match) return undefined;
    const [, quoted, plain = ""] = match;
    if (quoted === undefined && /^null$/i.test(plain.trim())) return undefined;
    elements.push(quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/gs, "$1"));
  }
  return elements;
}

/** The content of a value that is quoted as a whole; other values are literal. */
function unquote(value: string): string {
  const inside = /^"((?:[^"\\]|\\.)*)"$/s.exec(value)?.[1];
  return inside === undefined ? value : inside.replace(/\\(.)/gs, "$1");
}

/** Splits at commas outside parentheses and quotes; quotes open only at the beginning of a value. */
function splitConditions(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"' && at > start && ".(,".includes(text[at - 1] ?? " ")) quoted = true;
    else if (character === "(") depth += 1;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function fault(what: string): never {
  throw new SubscriptionFault(`Error parsing \`filter\` params: ${what}`);
}

/** Filters in the format of hosted's error texts. */
export function inspectFilters(filters: readonly Filter[]): string {
  const one = ({ column, operator, value, negate }: Filter) =>
    `{${inspectString(column)}, ${inspectString(operator)}, ${inspectString(value)}, ${negate}}`;
  return `[${filters.map(one).join(", ")}]`;
}
