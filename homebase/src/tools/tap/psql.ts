/**
 * Owns psql's variables and conditions in pgTAP files, as `supabase test db` has them (psql's documentation, "Variables",
 * "SQL Interpolation" and "Meta-Commands"): `\set`, `\unset` and `\gset`, `:name`, `:'name'`, `:"name"` and `:{?name}` in
 * statements, `\if` to `\endif`, `\quit`, and `\o`, after which output goes elsewhere.
 */
import { quote, quoteLiteral } from "../../postgres/quoting.ts";
import {
  endOfComment,
  endOfDollar,
  endOfLine,
  endOfQuoted,
  endOfString,
} from "../../postgres/statements/lexer.ts";

/** The end of a line that ends a query with a command, without a semicolon. */
export const ENDS_QUERY = /\\(?:gset(?:[ \t]+\w+)?|gexec)[ \t]*$/gm;
/** A command that is carried out when the file runs. */
export const AT_RUN = /^\\(?:set|unset|gset|gexec|if|elif|else|endif|quit|q|o|out|getenv)(?:\s|$)/;

const SET = /^\\set\s+(\S+)(?:\s+([\s\S]*))?$/;
const UNSET = /^\\unset\s+(\S+)$/;
const GSET = /\s*\\gset(?:[ \t]+(\S+))?$/;
const GEXEC = /\s*\\gexec$/;
const CONDITION = /^\\(if|elif|else|endif)(?:\s+([\s\S]*))?$/;
const OUTPUT = /^\\o(?:ut)?(?:\s+(\S[\s\S]*))?$/;
const ENVIRONMENT = /^\\getenv\s/;
const QUIT = /^\\q(?:uit)?(?:\s|$)/;
/** What psql takes for true, also shortened as far as it stays clear. */
const TRUE = /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i;
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
  /** Whether the values of the query's rows are statements to run. */
  gexec?: true;
  /** Whether the file ends here. */
  quit?: true;
}

/** A condition that is open. */
interface Condition {
  /** Whether what encloses it runs. */
  within: boolean;
  /** Whether one of its branches has run, or runs. */
  met: boolean;
  runs: boolean;
}

/** The variables of one run of a file. */
export class PsqlVariables {
  readonly #values = new Map<string, string>();
  /** The last statement, which a `\gset` of its own runs again. */
  #last = "";
  readonly #conditions: Condition[] = [];
  /** Whether the rows of queries are the file's output, and not written elsewhere. */
  shown = true;

  /** Carries out a command, or fills variables in. @throws Error for a value that a shell would have to make */
  read(text: string): PsqlStatement {
    const condition = CONDITION.exec(text);
    if (condition) this.#branch(condition[1] ?? "", condition[2] ?? "");
    if (condition || !this.#runs) return { sql: undefined };
    if (QUIT.test(text)) return { sql: undefined, quit: true };
    const output = OUTPUT.exec(text);
    if (output) this.shown = output[1] === undefined;
    // The environment of this process is not the one that the file was written for.
    if (output || ENVIRONMENT.test(text)) return { sql: undefined };
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
    const gexec = GEXEC.exec(text);
    const own = this.#filledIn(text.slice(0, (gset ?? gexec)?.index));
    const sql = own.trim() === "" ? this.#last : own;
    this.#last = sql;
    if (gset) return { sql, gset: gset[1] ?? "" };
    return gexec ? { sql, gexec: true } : { sql };
  }

  get #runs(): boolean {
    return this.#conditions.at(-1)?.runs ?? true;
  }

  #branch(command: string, expression: string): void {
    const holds = () => TRUE.test(this.#filledIn(expression).trim());
    if (command === "if") {
      const within = this.#runs;
      const runs = within && holds();
      this.#conditions.push({ within, met: runs, runs });
      return;
    }
    const open = this.#conditions.at(-1);
    if (!open) throw new Error(`\\${command} without \\if`);
    if (command === "endif") this.#conditions.pop();
    else {
      open.runs = open.within && !open.met && (command === "else" || holds());
      open.met ||= open.runs;
    }
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
