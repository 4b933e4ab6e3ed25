/** Owns the filter grammar of a subscription and its parameters' errors (compat/realtime.md 13). */

export type Operator =
  | "eq"
  | "neq"
  | "lt"
  | "lte"
  | "gt"
  | "gte"
  | "in"
  | "like"
  | "ilike"
  | "is"
  | "match"
  | "imatch"
  | "isdistinct";

export interface Filter {
  column: string;
  operator: Operator;
  /** As Postgres reads it; of `in` an array literal. */
  value: string;
  /** The values of `in`. */
  list?: readonly string[];
  negate: boolean;
}

/** A subscription that cannot be; `message` is the text of the system message. */
export class SubscriptionFault extends Error {}

const OPERATORS = new Set<string>([
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
]);
const MAX_IN_VALUES = 100;

/**
 * Parses `column=op.value` conditions joined by commas.
 * @throws SubscriptionFault
 */
export function parseFilters(text: string): Filter[] {
  if (text.trim() === "") return [];
  return splitConditions(text).map((segment) => {
    if (segment.trim() === "") fault("filter must not contain empty segments (check for extra commas)");
    return parseCondition(segment.trim());
  });
}

function parseCondition(segment: string): Filter {
  const equals = segment.indexOf("=");
  if (equals < 0) fault(inspect([segment]));
  const column = segment.slice(0, equals);
  let rest = segment.slice(equals + 1);
  const negate = rest.startsWith("not.");
  if (negate) rest = rest.slice("not.".length);
  const dot = rest.indexOf(".");
  const operator = dot < 0 ? "" : rest.slice(0, dot);
  if (!OPERATORS.has(operator)) fault(inspect([column, rest]));
  const raw = rest.slice(dot + 1);
  const list = operator === "in" ? inList(raw) : undefined;
  const value = list ? arrayLiteral(list) : unquote(raw);
  if (operator === "is" && !["null", "true", "false", "unknown"].includes(value)) {
    fault("`is` filter value must be null, true, false or unknown");
  }
  return { column, operator: operator as Operator, value, ...(list ? { list } : {}), negate };
}

/** `(a,"b,c")` to its values. */
function inList(raw: string): string[] {
  if (!raw.startsWith("(") || !raw.endsWith(")")) fault("`in` filter value must be wrapped by parentheses");
  const values = splitConditions(raw.slice(1, -1)).map((value) => unquote(value.trim()));
  if (values.length > MAX_IN_VALUES) fault(`too many values for \`in\` filter. Maximum ${MAX_IN_VALUES}`);
  return values;
}

function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/(["\\])/g, "\\$1")}"`).join(",")}}`;
}

function unquote(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replace(/\\(.)/gs, "$1");
}

/** Splits at commas that stand neither in parentheses nor in double quotes. */
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
    } else if (character === '"') quoted = true;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
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

/** A list of strings as Elixir prints it. */
export function inspect(parts: readonly string[]): string {
  return `[${parts.map((part) => JSON.stringify(part)).join(", ")}]`;
}

/** Filters as hosted's error texts print them. */
export function inspectFilters(filters: readonly Filter[]): string {
  const one = ({ column, operator, value, negate }: Filter) =>
    `{${JSON.stringify(column)}, ${JSON.stringify(operator)}, ${JSON.stringify(value)}, ${negate}}`;
  return `[${filters.map(one).join(", ")}]`;
}
