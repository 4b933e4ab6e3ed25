/** Owns what a canonical text refers to: tables of a FROM, names that qualify columns, operands of a comparison. */

import { type Token, tokenize } from "../../postgres/statements/lexer.ts";
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import { atDepthZero, isName, isSymbol, isWord, oneLine, withoutParentheses } from "./expression.ts";

/** A table in a FROM. */
export interface TableReference {
  table: QualifiedName;
  /** The name of its rows, as SQL. */
  alias: string;
}

const END_OF_FROM = "where group having window order limit offset fetch for union intersect except".split(
  " ",
);
const AFTER_TABLE = new Set("join left right full inner cross natural on using where tablesample".split(" "));

/** The tables of a FROM; Postgres prints them with their schema. */
export function tablesOf(from: string): TableReference[] {
  const tokens = tokenize(from);
  const found: TableReference[] = [];
  // Whether each open parenthesis holds tables, as those of a join do, or an expression.
  const open: boolean[] = [];
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const starts =
      (open.at(-1) ?? true) &&
      (before === undefined || isSymbol(before, ",") || isSymbol(before, "(") || isWord(before, "join"));
    const inner = tokens[at + 1];
    const query = inner && (isWord(inner, "select") || isWord(inner, "with") || isWord(inner, "values"));
    if (isSymbol(token, "(")) open.push(starts && !query);
    if (isSymbol(token, ")")) open.pop();
    const [dot, name, next] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
    if (!starts || !isName(token) || !dot || !isSymbol(dot, ".") || !name || !isName(name)) continue;
    if (next && isSymbol(next, "(")) continue;
    const aliased = next && isName(next) && !(next.kind === "name" && AFTER_TABLE.has(next.value));
    const alias = aliased ? next : name;
    found.push({
      table: { schema: token.value, name: name.value },
      alias: from.slice(alias.from, alias.to),
    });
  }
  return found;
}

/** The tables of a query's FROMs, and of those inside it. */
export function tablesIn(query: string): TableReference[] {
  const tokens = tokenize(query);
  return tokens.flatMap((from, at) => {
    const before = tokens[at - 1];
    if (!isWord(from, "from") || (before && isWord(before, "distinct"))) return [];
    let depth = 0;
    const end = tokens.slice(at + 1).find((one) => {
      if (isSymbol(one, "(")) depth += 1;
      if (isSymbol(one, ")")) depth -= 1;
      return depth < 0 || (depth === 0 && END_OF_FROM.some((word) => isWord(one, word)));
    });
    return tablesOf(query.slice(from.to, end?.from));
  });
}

/** Whether a text has `name.column`. */
export function mentions(text: string, name: string): boolean {
  return qualified(text, name).length > 0;
}

/** Whether a text has `name.*`, as Postgres prints a whole row. */
export function namesWholeRow(text: string, name: string): boolean {
  return qualified(text, name).some((one) => isSymbol(one, "*"));
}

/** The tokens that `name.` stands before. */
function qualified(text: string, name: string): Token[] {
  const tokens = tokenize(text);
  return tokens.flatMap((token, at) => {
    const [before, next, after] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
    const qualifies = next !== undefined && isSymbol(next, ".") && !(before && isSymbol(before, "."));
    return qualifies && after && isName(token) && token.value === name ? [after] : [];
  });
}

const OPERATOR = /^[-+*/=<>!~@#%^&|?]$/;

const isOperator = ({ kind, value }: Token) => kind === "symbol" && OPERATOR.test(value);

/** Both sides of a text whose only operator is `=`, and the same in the other order; none for other texts. */
export function equalSides(text: string): [string, string][] {
  const [equals, ...more] = atDepthZero(text).filter(isOperator);
  if (!equals || more.length > 0 || !isSymbol(equals, "=")) return [];
  const [left, right] = [oneLine(text.slice(0, equals.from)), oneLine(text.slice(equals.to))];
  return [
    [left, right],
    [right, left],
  ];
}

/** The operands of a comparison, or the whole text. */
export function operandsOf(text: string): string[] {
  const bare = withoutParentheses(text);
  const tokens = atDepthZero(bare);
  const first = tokens.find((one) => isOperator(one) || isWord(one, "is") || isWord(one, "operator"));
  if (!first) return [bare];
  const after = tokens.slice(tokens.indexOf(first) + 1);
  const second = isWord(first, "operator")
    ? after.find((one) => isSymbol(one, ")"))
    : after.findLast((one, at) => at < 3 && isOperator(one) && one.from - first.from <= at + 1);
  const left = oneLine(bare.slice(0, first.from));
  if (isWord(first, "is")) return [left];
  // An array's elements are compared: `a = ANY (b)`.
  return [left, oneLine(bare.slice((second ?? first).to)).replace(/^(?:ANY|ALL) (?=\()/, "")];
}
