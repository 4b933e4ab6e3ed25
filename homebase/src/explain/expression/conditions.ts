/** Owns finding the conditions of a function's statement, and writing the statement with others in their place. */

import type { Token } from "../../postgres/statements/lexer.ts";
import { tokenize } from "../../postgres/statements/lexer.ts";
import {
  atDepthZero,
  closes,
  isSymbol,
  isWord,
  leavesOf,
  opens,
  splitExpression,
  writeExpression,
} from "./expression.ts";
import { ENDS as ENDS_OF_QUERY } from "./subquery.ts";

/** A condition that is split no further. */
export interface Condition {
  /** The number of its WHERE or ON in the statement, then its place there, e.g. `2.1`. */
  path: string;
  text: string;
  /** The constant that takes it out. */
  neutral: boolean;
}

interface Span {
  from: number;
  to: number;
}

const ENDS = [...ENDS_OF_QUERY, "returning", "where", "join", "left", "right", "full", "inner", "cross"];

/**
 * The statement with each condition replaced: what follows WHERE and ON, and the members of a truth value that is returned.
 * @param text a statement, or the expression of RETURN, as Postgres prints it.
 * @param replace gives what stands for a condition; `written` is its text, with the conditions inside it replaced.
 */
export function writeConditions(
  text: string,
  replace: (condition: Condition, written: string) => string,
): string {
  let count = 0;
  const write = (statement: string, spans: readonly Span[]): string => {
    let result = "";
    let at = 0;
    for (const { from, to } of spans) {
      const number = ++count;
      const written = writeExpression(splitExpression(statement.slice(from, to)), (leaf) => {
        const path = leaf.path === "" ? String(number) : `${number}.${leaf.path}`;
        return replace(
          { path, text: leaf.text, neutral: leaf.neutral },
          write(leaf.text, conditionsOf(leaf.text)),
        );
      });
      result += `${statement.slice(at, from)} ${written} `;
      at = to;
    }
    return result + statement.slice(at);
  };
  return write(text, [...returnedOf(text), ...conditionsOf(text)]);
}

/** The conditions after the outermost WHEREs, and those of joins. */
function conditionsOf(text: string): Span[] {
  const found: Span[] = [];
  let depth = 0;
  let open: { from: number; depth: number } | undefined;
  let before: Token | undefined;
  const close = (to: number) => {
    if (open) found.push({ from: open.from, to });
    open = undefined;
  };
  for (const token of tokenize(text)) {
    if (closes(token)) depth -= 1;
    if (open && (depth < open.depth || (depth === open.depth && ends(token)))) close(token.from);
    const join = isWord(token, "on") && !(before && isWord(before, "distinct"));
    if (!open && (isWord(token, "where") || join)) open = { from: token.to, depth };
    if (opens(token)) depth += 1;
    before = token;
  }
  close(text.length);
  return found;
}

const ends = (token: Token) => ENDS.some((word) => isWord(token, word));

/** The only expression that is returned, when it has more than one part. */
function returnedOf(text: string): Span[] {
  const tokens = atDepthZero(text);
  const [first] = tokens;
  if (!first || isWord(first, "with")) return [];
  const from = isWord(first, "select") ? first.to : 0;
  const end = tokens.findIndex(
    (one, at) =>
      isWord(one, "as") ||
      isWord(one, "where") ||
      (isWord(one, "from") && !isWord(tokens[at - 1] ?? first, "distinct")),
  );
  const to = tokens[end]?.from ?? text.length;
  const list = tokens.slice(0, end < 0 ? undefined : end).some((one) => isSymbol(one, ","));
  return !list && leavesOf(splitExpression(text.slice(from, to))).length > 1 ? [{ from, to }] : [];
}
