/**
 * Owns the lexical rules of Postgres's SQL (PostgreSQL documentation, 4.1): the ends of comments, strings,
 * identifiers and dollar quotes, and a statement's tokens.
 */

const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;
/** An unquoted identifier or key word, matched at `lastIndex`. */
export const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;

/** A token of a statement; comments and blanks are left out. */
export interface Token {
  /**
   * `name` is an identifier or a key word; a string with escapes is a `symbol`, because no caller decodes it.
   */
  readonly kind: "name" | "quoted" | "string" | "symbol";
  /** The token's value: a name in lower case unless quoted, a string's content. */
  readonly value: string;
  /** Offsets in the text, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

/** The kinds of text that `masked` replaces. */
export type Hidden = "comment" | "string" | "quoted";

/**
 * The text with blanks instead of its comments, strings (dollar-quoted ones too) and quoted names, or only of some of
 * these. Offsets and lines are unchanged.
 * @param replace another replacement of the same length, or undefined for blanks
 */
export function masked(
  sql: string,
  hidden: readonly Hidden[] = ["comment", "string", "quoted"],
  replace: (part: string) => string | undefined = () => undefined,
): string {
  let result = "";
  let shown = 0;
  for (let at = 0; at < sql.length; ) {
    const from = at;
    const character = sql[at] ?? "";
    let kind: Hidden | undefined;
    if (sql.startsWith("--", at)) {
      kind = "comment";
      // The line's end is not part of it.
      const end = sql.indexOf("\n", at);
      at = end < 0 ? sql.length : end;
    } else if (sql.startsWith("/*", at)) {
      kind = "comment";
      at = endOfComment(sql, at);
    } else if (character === "'") {
      kind = "string";
      at = endOfString(sql, at, false);
    } else if (character === '"') {
      kind = "quoted";
      at = endOfQuoted(sql, at, '"');
    } else if (character === "$" && endOfDollar(sql, at) > at + 1) {
      kind = "string";
      at = endOfDollar(sql, at);
    } else if (isWordStart(character)) {
      WORD.lastIndex = at;
      at += WORD.exec(sql)?.[0].length ?? 1;
      if (sql[at] === "'" && /^e$/i.test(sql.slice(from, at))) {
        kind = "string";
        at = endOfString(sql, at, true);
      }
    } else at += 1;
    if (kind === undefined || !hidden.includes(kind)) continue;
    const part = sql.slice(from, at);
    result += sql.slice(shown, from) + (replace(part) ?? part.replace(/[^\n]/g, " "));
    shown = at;
  }
  return result + sql.slice(shown);
}

/** The tokens of a text. Never throws: an unterminated token extends to the end. */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < sql.length; ) {
    const from = at;
    const character = sql[at] ?? "";
    const add = (kind: Token["kind"], value: string) => tokens.push({ kind, value, from, to: at });
    if (/\s/.test(character)) at += 1;
    else if (sql.startsWith("--", at)) at = endOfLine(sql, at);
    else if (sql.startsWith("/*", at)) at = endOfComment(sql, at);
    else if (character === "'") {
      const before = tokens.at(-1);
      const escapes = before?.kind === "name" && before.value === "e" && before.to === at;
      if (escapes) tokens.pop();
      at = endOfString(sql, at, escapes);
      add(escapes ? "symbol" : "string", sql.slice(from + 1, at - 1).replaceAll("''", "'"));
    } else if (character === '"') {
      at = endOfQuoted(sql, at, '"');
      add("quoted", sql.slice(from + 1, at - 1).replaceAll('""', '"'));
    } else if (character === "$" && endOfDollar(sql, at) > at + 1) {
      at = endOfDollar(sql, at);
      const tag = sql.slice(from, sql.indexOf("$", from + 1) + 1);
      add("string", sql.slice(from + tag.length, at - tag.length));
    } else if (isWordStart(character)) {
      WORD.lastIndex = at;
      at += WORD.exec(sql)?.[0].length ?? 1;
      add("name", sql.slice(from, at).toLowerCase());
    } else if (/[0-9]/.test(character)) {
      at += /^[0-9.]+(?:[eE][+-]?[0-9]+)?/.exec(sql.slice(at, at + 64))?.[0].length ?? 1;
      add("symbol", sql.slice(from, at));
    } else {
      at += 1;
      add("symbol", character);
    }
  }
  return tokens;
}

export function isWordStart(character: string): boolean {
  return /[A-Za-z_]/.test(character) || character > "\u007f";
}

export function endOfLine(sql: string, at: number): number {
  const end = sql.indexOf("\n", at);
  return end < 0 ? sql.length : end + 1;
}

export function endOfComment(sql: string, from: number): number {
  let depth = 0;
  for (let at = from; at < sql.length; ) {
    if (sql.startsWith("/*", at)) {
      depth += 1;
      at += 2;
    } else if (sql.startsWith("*/", at)) {
      depth -= 1;
      at += 2;
      if (depth === 0) return at;
    } else at += 1;
  }
  return sql.length;
}

export function endOfString(sql: string, from: number, escapes: boolean): number {
  for (let at = from + 1; at < sql.length; at += 1) {
    if (escapes && sql[at] === "\\") at += 1;
    else if (sql[at] === "'") {
      if (sql[at + 1] !== "'") return at + 1;
      at += 1;
    }
  }
  return sql.length;
}

export function endOfQuoted(sql: string, from: number, quote: string): number {
  for (let at = from + 1; at < sql.length; at += 1) {
    if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  return sql.length;
}

export function endOfDollar(sql: string, at: number): number {
  DOLLAR_TAG.lastIndex = at;
  const tag = DOLLAR_TAG.exec(sql)?.[0];
  if (!tag) return at + 1; // A parameter such as $1, or a lone sign.
  const end = sql.indexOf(tag, at + tag.length);
  return end < 0 ? sql.length : end + tag.length;
}
