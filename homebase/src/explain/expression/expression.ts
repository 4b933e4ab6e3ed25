/**
 * Owns the tree of a condition: its text split at AND, OR and NOT into leaves, and written back. The text is
 * Postgres's own deparse with an empty search path, where every operand that is not a plain term has parentheses.
 */
import { type Token, tokenize } from "../../postgres/statements/lexer.ts";

export type Expression =
  | { kind: "and" | "or"; members: Expression[] }
  | { kind: "not"; member: Expression }
  | Leaf;

export interface Leaf {
  kind: "leaf";
  /** The positions that lead to it from the root, e.g. `2.1`; "" for a condition that is one leaf. */
  path: string;
  /** Without the parentheses around it, and with single spaces outside of quotes. */
  text: string;
  /** The constant that takes it out of its condition: `true` in an AND, `false` in an OR. */
  neutral: boolean;
}

/** Splits a condition. Strings, quoted names, CASE … END and what stands in inner parentheses are never split. */
export function splitExpression(text: string): Expression {
  return split(text, "", true);
}

function split(text: string, path: string, neutral: boolean): Expression {
  const bare = withoutParentheses(text);
  for (const kind of ["or", "and"] as const) {
    const members = splitAt(bare, (token) => isWord(token, kind));
    if (members.length > 1) {
      return { kind, members: members.map((one, at) => split(one, step(path, at), kind === "and")) };
    }
  }
  const [first] = atDepthZero(bare);
  if (first && isWord(first, "not")) {
    return { kind: "not", member: split(bare.slice(first.to), step(path, 0), !neutral) };
  }
  return { kind: "leaf", path, text: oneLine(bare), neutral };
}

function step(path: string, at: number): string {
  return path === "" ? String(at + 1) : `${path}.${at + 1}`;
}

/** What stands between the tokens that separate, outside of parentheses, brackets and CASE … END. */
export function splitAt(text: string, separates: (token: Token) => boolean): string[] {
  const members: string[] = [];
  let from = 0;
  for (const token of atDepthZero(text)) {
    if (!separates(token)) continue;
    members.push(text.slice(from, token.from));
    from = token.to;
  }
  return [...members, text.slice(from)];
}

/** The leaves from left to right. */
export function leavesOf(expression: Expression): Leaf[] {
  if (expression.kind === "leaf") return [expression];
  if (expression.kind === "not") return leavesOf(expression.member);
  return expression.members.flatMap(leavesOf);
}

/** The conditions that all must hold: the members of an AND at the root, or the whole. */
export function conjuncts(expression: Expression): Expression[] {
  return expression.kind === "and" ? expression.members.flatMap(conjuncts) : [expression];
}

/** The condition as SQL. @param replace the text of a leaf; its own by default. */
export function writeExpression(
  expression: Expression,
  replace: (leaf: Leaf) => string = ({ text }) => text,
): string {
  switch (expression.kind) {
    case "leaf":
      return `(${replace(expression)})`;
    case "not":
      return `(NOT ${writeExpression(expression.member, replace)})`;
    default: {
      const members = expression.members.map((one) => writeExpression(one, replace));
      return `(${members.join(expression.kind === "and" ? " AND " : " OR ")})`;
    }
  }
}

/** Whether a token is a key word; a quoted name is none. */
export function isWord({ kind, value }: Token, word: string): boolean {
  return kind === "name" && value === word;
}

/** Whether a token is an identifier or a key word. */
export function isName({ kind }: Token): boolean {
  return kind === "name" || kind === "quoted";
}

/** The tokens that stand outside of parentheses, brackets and CASE … END. */
export function atDepthZero(text: string): Token[] {
  const outside: Token[] = [];
  let depth = 0;
  for (const token of tokenize(text)) {
    if (closes(token)) depth -= 1;
    if (depth === 0) outside.push(token);
    if (opens(token)) depth += 1;
  }
  return outside;
}

export const opens = (token: Token) => isSymbol(token, "(") || isSymbol(token, "[") || isWord(token, "case");
export const closes = (token: Token) => isSymbol(token, ")") || isSymbol(token, "]") || isWord(token, "end");

export function isSymbol({ kind, value }: Token, symbol: string): boolean {
  return kind === "symbol" && value === symbol;
}

/** The token that closes the parenthesis at a place among the tokens. */
export function closing(tokens: readonly Token[], at: number): Token | undefined {
  let depth = 0;
  return tokens.slice(at).find((one) => {
    if (isSymbol(one, "(")) depth += 1;
    if (isSymbol(one, ")")) depth -= 1;
    return depth === 0;
  });
}

/** Removes pairs of parentheses that stand around the whole text; `((a)::text)::uuid` has none. */
export function withoutParentheses(text: string): string {
  const bare = text.trim();
  const outside = atDepthZero(bare);
  const [open, close, ...rest] = outside;
  const whole = open && close && rest.length === 0 && isSymbol(open, "(") && close.to === bare.length;
  return whole && open.from === 0 ? withoutParentheses(bare.slice(1, -1)) : bare;
}

/** With single spaces where the deparse has line breaks and indents; quoted text is unchanged. */
export function oneLine(text: string): string {
  let result = "";
  let at = 0;
  for (const { from, to } of tokenize(text)) {
    result += text.slice(at, from).replace(/\s+/g, " ") + text.slice(from, to);
    at = to;
  }
  return (result + text.slice(at).replace(/\s+/g, " ")).trim();
}
