/** Owns how conditions and values are written for people: short, with the asker called "you". */

import { tokenize } from "../postgres/statements/lexer.ts";
import { closing, withoutParentheses } from "./expression/expression.ts";
import { readQuery } from "./expression/subquery.ts";
import { MOST_COUNTED, type Value } from "./reason-tree.ts";

const LONGEST_VALUE = 60;
/** A literal with its type, which people know from what it is compared with; a list's and a JSON's says what it is. */
const LITERAL_CAST =
  /('(?:[^']|'')*')::(?:character varying|timestamp with(?:out)? time zone|double precision|(?:[\w$]+|"[^"]+")(?:\.(?:[\w$]+|"[^"]+"))?)(?:\(\d+(?:,\d+)?\))?(?![\w$"(.]|\[\])/g;

/** A number with a type, which Postgres writes where it is compared with another type. */
const NUMBER_CAST =
  /\((-?\d+(?:\.\d+)?)\)::(?:double precision|numeric|bigint|integer|smallint|real)(?![\w([])/g;
/** Postgres writes LIKE as operators. */
const LIKE: readonly (readonly [RegExp, string])[] = [
  [/ !~~\* /g, " NOT ILIKE "],
  [/ ~~\* /g, " ILIKE "],
  [/ !~~ /g, " NOT LIKE "],
  [/ ~~ /g, " LIKE "],
];

/** A canonical condition without what it means anyway: its parentheses, scalar subqueries, casts of literals. */
export function pretty(text: string, aliases: readonly string[] = []): string {
  let result = withoutScalars(withoutParentheses(text));
  result = result.replace(/ARRAY(?=\( ?SELECT [\w$.]+\()/g, "");
  result = result.replace(/IN \( ?SELECT ((?:[\w$]+\.)?[\w$]+\([^()]*\)) AS [\w$]+ ?\)/g, "IN ($1)");
  result = result.replace(/^SELECT (.+) AS [\w$]+$/, "$1");
  result = result.replace(LITERAL_CAST, "$1").replace(NUMBER_CAST, "$1");
  for (const [operator, word] of LIKE) result = result.replace(operator, word);
  result = result.replace(/ = ANY \(ARRAY\[((?:[^[\]()])*)\]\)/g, " IN ($1)");
  result = result.replace(/ <> ALL \(ARRAY\[((?:[^[\]()])*)\]\)/g, " NOT IN ($1)");
  for (const alias of aliases) {
    result = result.replace(new RegExp(`(?<![\\w$."'])${escaped(alias)}\\.(?=[\\w"])`, "g"), "");
  }
  return result;
}

/** Without the subqueries that have no tables: `( SELECT auth.uid() AS uid)`. */
function withoutScalars(text: string): string {
  const whole = readQuery(text);
  if (whole && whole.from === undefined && whole.where === undefined)
    return withoutScalars(withoutParentheses(whole.output));
  let result = text;
  for (const { from, to } of tokenize(text).toReversed()) {
    if (text.slice(from, to) !== "(" || !/^\(\s*SELECT\b/i.test(result.slice(from))) continue;
    const end = closing(tokenize(result.slice(from)), 0)?.to;
    if (end === undefined) continue;
    const query = readQuery(result.slice(from, from + end));
    // IN and ARRAY take a set.
    if (!query || query.from !== undefined || query.where !== undefined) continue;
    if (/\b(IN|ARRAY|EXISTS|ANY|ALL)\s*\(*$/.test(result.slice(0, from))) continue;
    const inner = withoutParentheses(query.output);
    const plain = /^[\w$."]+(\([^()]*\))?$/.test(inner);
    result = `${result.slice(0, from)}${plain ? inner : `(${inner})`}${result.slice(from + end)}`;
  }
  return withoutParentheses(result);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A value as a person reads it. @param you the asker's user id. */
export function shown({ value }: Pick<Value, "value">, you: string | undefined): string {
  if (value === null) return "null";
  if (value === you) return "you";
  return value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
}

export function rows(count: number): string {
  if (count >= MOST_COUNTED) return `${MOST_COUNTED.toLocaleString("en")} or more rows`;
  return count === 1 ? "1 row" : `${count === 0 ? "no" : count} rows`;
}

/** A list in a sentence. */
export function listed(items: readonly string[], word = "and"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}
