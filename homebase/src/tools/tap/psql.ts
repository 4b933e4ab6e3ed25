/**
 * Owns psql's variables in pgTAP files, as `supabase test db` has them (psql's documentation, "Variables" and "SQL
 * Interpolation"): `\set`, `\unset` and `\gset`, and `:name`, `:'name'`, `:"name"` and `:{?name}` in statements.
 */
import { quote, quoteLiteral } from "../../postgres/quoting.ts";
import {
  endOfComment,
  endOfDollar,
  endOfLine,
  endOfQuoted,
  endOfString,
} from "../../postgres/statements/lexer.ts";

/** A line that is a command on variables, or ends a query with one: it ends a statement, without a semicolon. */
export const ON_VARIABLES = /^\s*\\(?:set|unset)\b|\\gset(?:[ \t]+\S+)?\s*$/;

const SET = /^\\set\s+(\S+)(?:\s+([\s\S]*))?$/;
const UNSET = /^\\unset\s+(\S+)$/;
const GSET = /\s*\\gset(?:[ \t]+(\S+))?$/;
const REFERENCE = /:(?:'([\w-]+)'|"([\w-]+)"|\{\?([\w-]+)\}|(\w+))/y;
const ARGUMENT = /'((?:[^'\\]|''|\\[\s\S])*)'|(\S+)/g;
/** Two quotes, and a backslash with what it stands for: a letter, the digits of a byte, or the character itself. */
const ESCAPE = /''|\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]))/g;
const LETTERS: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", r: "\r", f: "\f" };

/** What to do with a statement of a file. */
export interface PsqlStatement {
  /** Undefined for a command that is carried out already. */
  sql: string | undefined;
  /** What the names of the variables begin with that the query's only row sets. */
  gset?: string;
}

/** The variables of one run of a file. */
export class PsqlVariables {
  readonly #values = new Map<string, string>();
  /** The last statement, which a `\gset` of its own runs again. */
  #last = "";

  /** Carries out a command on variables, or fills them in. @throws Error for a value that a shell would have to make */
  read(text: string): PsqlStatement {
    const set = SET.exec(text);
    if (set) {
      this.#values.set(set[1] ?? "", this.#valueOf(set[2] ?? ""));
      return { sql: undefined };
    }
    const unset = UNSET.exec(text);
    if (unset) {
      this.#values.delete(unset[1] ?? "");
      return { sql: undefined };
    }
    const gset = GSET.exec(text);
    const own = this.#filledIn(gset ? text.slice(0, gset.index) : text);
    const sql = own.trim() === "" ? this.#last : own;
    this.#last = sql;
    return gset ? { sql, gset: gset[1] ?? "" } : { sql };
  }

  /** Sets the variables of a query's columns. @throws Error unless there is exactly one row */
  keep(prefix: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): void {
    const [row] = rows;
    if (!row || rows.length > 1)
      throw new Error(`\\gset needs a query with one row, and this has ${rows.length}`);
    for (const [at, name] of columns.entries()) {
      const value = row[at];
      if (value === null || value === undefined) this.#values.delete(prefix + name);
      else this.#values.set(prefix + name, String(value));
    }
  }

  /** The arguments of `\set`, joined. */
  #valueOf(text: string): string {
    if (text.includes("`")) throw new Error("\\set with a command of the shell is not carried out");
    return [...text.trim().matchAll(ARGUMENT)]
      .map(([, quoted, bare = ""]) => quoted?.replace(ESCAPE, escaped) ?? this.#filledIn(bare))
      .join("");
  }

  /** The text with the values of known variables, outside of strings, quoted names and comments; others stay. */
  #filledIn(text: string): string {
    let filled = "";
    for (let at = 0; at < text.length; ) {
      const from = at;
      const character = text[at] ?? "";
      REFERENCE.lastIndex = at;
      // Not in a cast.
      const reference = text[at - 1] === ":" ? null : REFERENCE.exec(text);
      const value = reference && this.#referred(reference);
      if (reference && value !== undefined) {
        filled += value;
        at += reference[0].length;
        continue;
      }
      if (text.startsWith("--", at)) at = endOfLine(text, at);
      else if (text.startsWith("/*", at)) at = endOfComment(text, at);
      else if (character === "'") at = endOfString(text, at, /(?:^|\W)[eE]$/.test(text.slice(0, at)));
      else if (character === '"') at = endOfQuoted(text, at, '"');
      else if (character === "$") at = endOfDollar(text, at);
      else at += 1;
      filled += text.slice(from, at);
    }
    return filled;
  }

  #referred([, literal, name, asked, bare]: RegExpExecArray): string | undefined {
    if (asked !== undefined) return this.#values.has(asked) ? "TRUE" : "FALSE";
    const value = this.#values.get(literal ?? name ?? bare ?? "");
    if (value === undefined) return undefined;
    // psql, too, puts a space before E'...', so that the E is not read as a part of the word before it.
    if (literal !== undefined) return quoteLiteral(value).replace(/^E/, " E");
    return name === undefined ? value : quote(value);
  }
}

function escaped(pair: string, octal?: string, hex?: string, letter = ""): string {
  if (pair === "''") return "'";
  if (octal === undefined && hex === undefined) return LETTERS[letter] ?? letter;
  return String.fromCharCode(
    octal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(octal, 8),
  );
}
