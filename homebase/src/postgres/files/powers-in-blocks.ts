/** Owns replacing the statements that need powers (powers.ts) inside `do` blocks. */
import { quoteLiteral } from "../quoting.ts";
import { type Token, tokenize } from "../statements/lexer.ts";

/** The replacement of a statement. */
export interface Replacement {
  sql: string;
  /** The difference on hosted, if any. */
  differs?: string;
}

/** Key words of PL/pgSQL after which a statement begins. */
const BEFORE_STATEMENT = new Set(["begin", "then", "else", "loop"]);
const POWERS = /^(create|alter|comment)$/;

/**
 * The `do` block with each statement that needs a power, written out or in `execute '…'`, replaced by a call.
 * @param replacementOf returns a statement's replacement, or undefined to leave it as it is
 */
export function withPowersInBlock(
  statement: string,
  tokens: readonly Token[],
  replacementOf: (statement: string) => Replacement | undefined,
): Replacement | undefined {
  const code = tokens.find(({ kind, from }) => kind === "string" && statement[from] === "$");
  if (!code) return undefined;
  const from = statement.indexOf("$", code.from + 1) + 1;
  const body = statement.slice(from, from + code.value.length);
  const parts = tokenize(body);
  let changed = "";
  let done = 0;
  let differs: string | undefined;
  parts.forEach((token, index) => {
    const before = parts[index - 1];
    const starts =
      !before || before.value === ";" || (before.kind === "name" && BEFORE_STATEMENT.has(before.value));
    if (!starts || token.kind !== "name" || token.from < done) return;
    const end = parts.slice(index).find(({ kind, value }) => kind === "symbol" && value === ";");
    if (!end) return;
    const text = POWERS.test(token.value)
      ? body.slice(token.from, end.from)
      : executedText(parts.slice(index, parts.indexOf(end)));
    const replacement = text === undefined ? undefined : replacementOf(text);
    if (!replacement || /^do /.test(replacement.sql)) return;
    changed += body.slice(done, token.from) + inBlock(replacement.sql, token.value === "execute");
    done = end.from;
    differs ??= replacement.differs;
  });
  if (done === 0) return undefined;
  const sql = statement.slice(0, from) + changed + body.slice(done) + statement.slice(from + body.length);
  return { sql, differs };
}

/** A replacement as a statement of PL/pgSQL. */
function inBlock(sql: string, executed: boolean): string {
  if (sql.startsWith("select ")) return `perform ${sql.slice("select ".length)}`;
  return executed ? `execute ${quoteLiteral(sql)}` : sql;
}

/** The text of `execute '…'`, also of one continued on the next lines; undefined for computed ones. */
function executedText([first, ...strings]: readonly Token[]): string | undefined {
  if (first?.value !== "execute" || strings.length === 0) return undefined;
  if (strings.some(({ kind }) => kind !== "string")) return undefined;
  return strings
    .map(({ value }) => value)
    .join("")
    .replace(/;\s*$/, "");
}
