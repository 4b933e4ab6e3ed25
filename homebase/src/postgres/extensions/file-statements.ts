/**
 * Owns the statements on extensions that the server does not take from role postgres as hosted does, as a file's
 * statement is sent: options of hnsw and ivfflat indexes, and moving an extension to another schema.
 */
import pg from "pg";
import { systemExtensions } from "./system.ts";

/** Strings of every kind, quoted names, comments and dollar quotes: what is in them is no keyword. */
const HIDDEN =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/g;
const INDEX = /^\s*create\s+(?:unique\s+)?index\b[\s\S]*?\busing\s+(?:hnsw|ivfflat)\s*\(/i;
const OPTIONS = /\bwith\s*\([^()]*\)/gi;

/** A statement that holds others: a block, or a routine. */
const HOLDER = /^\s*(?:do|create\s+(?:or\s+replace\s+)?(?:function|procedure))\b/i;
/** An index within it, written out or as a text to be executed, up to its options. */
const INNER =
  /(\busing\s+"?(?:hnsw|ivfflat)"?\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)(with\s*\([^()]*\))/gi;

const MOVE =
  /^\s*alter\s+extension\s+("(?:[^"]|"")+"|[a-z_][\w$]*)\s+set\s+schema\s+("(?:[^"]|"")+"|[a-z_][\w$]*)\s*$/i;

/**
 * What the server is sent for a statement of a file. Any other statement stays as it is, and positions in errors hold.
 */
export function statementToSend(statement: string): string {
  const [, extension, schema] = MOVE.exec(blank(statement)) ?? [];
  if (extension === undefined || schema === undefined) return withoutIndexOptions(statement);
  return `select pg_catalog.homebase_move_extension(${pg.escapeLiteral(folded(extension))}, ${pg.escapeLiteral(folded(schema))})`;
}

let real: boolean | undefined;

/**
 * The statement as the server can take it: `with (m = 16, …)` of an hnsw or ivfflat index becomes blanks, so that
 * positions in errors stay; in blocks and functions too. Any other statement, and every one where pgvector itself is installed, stays as it is.
 */
function withoutIndexOptions(statement: string): string {
  if (!/\b(?:hnsw|ivfflat)\b/i.test(statement)) return statement;
  real ??= systemExtensions().names.includes("vector");
  return real ? statement : blankOptions(statement);
}

/** As `withoutIndexOptions`, whatever is installed. */
export function blankOptions(statement: string): string {
  // Same length, so that offsets hold; a quoted method's name is shown, as it is what is looked for.
  const shown = statement.replace(HIDDEN, (hidden) =>
    /^"(?:hnsw|ivfflat)"$/.test(hidden) ? ` ${hidden.slice(1, -1)} ` : " ".repeat(hidden.length),
  );
  if (HOLDER.test(shown))
    return statement.replace(INNER, (_all, before, options) => before + blanked(options));
  if (!INDEX.test(shown)) return statement;
  let result = statement;
  for (const match of shown.matchAll(OPTIONS)) {
    result =
      result.slice(0, match.index) +
      result.slice(match.index, match.index + match[0].length).replace(/[^\n]/g, " ") +
      result.slice(match.index + match[0].length);
  }
  return result;
}

/** Options in a text for format() stay as a comment, as its other arguments keep their places. */
function blanked(options: string): string {
  return options.includes("%") ? `/*${options}*/` : options.replace(/[^\n]/g, " ");
}

/** The statement without its comments. */
function blank(statement: string): string {
  return statement.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, " ");
}

/** The name that an identifier stands for. */
function folded(identifier: string): string {
  return identifier.startsWith('"')
    ? identifier.slice(1, -1).replaceAll('""', '"')
    : identifier.toLowerCase();
}
