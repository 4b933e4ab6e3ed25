/**
 * Owns rewriting statements about extensions that the server does not accept from role postgres as hosted
 * does: options of hnsw, ivfflat and pgroonga indexes, moving an extension to another schema, and extensions of pg_tle.
 */
import pg from "pg";
import { masked } from "../statements/lexer.ts";
import { splitStatements } from "../statements/split.ts";
import { extensionEntry } from "./classes.ts";
import { systemExtensions } from "./system.ts";

const INDEX = /^\s*create\s+(?:unique\s+)?index\b[\s\S]*?\busing\s+(?:hnsw|ivfflat|pgroonga)\s*\(/i;
const OPTIONS = /\bwith\s*\([^()]*\)/gi;

/** A statement that holds others: a block, or a routine. */
const HOLDER = /^\s*(?:do|create\s+(?:or\s+replace\s+)?(?:function|procedure))\b/i;
/** An index within it, written out or as a text to be executed, up to its options. */
const INNER =
  /(\busing\s+"?(?:hnsw|ivfflat|pgroonga)"?\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)(with\s*\([^()]*\))/gi;

const MOVE =
  /^\s*alter\s+extension\s+("(?:[^"]|"")+"|[a-z_][\w$]*)\s+set\s+schema\s+("(?:[^"]|"")+"|[a-z_][\w$]*)\s*$/i;

const NAME = String.raw`("(?:[^"]|"")+"|[a-z_][\w$]*)`;
const VERSION = String.raw`("(?:[^"]|"")+"|[a-z_][\w$]*|'(?:[^']|'')*')`;
const CREATE = new RegExp(
  String.raw`^\s*create\s+extension\s+(if\s+not\s+exists\s+)?${NAME}((?:\s+with)?(?:\s+(?:schema\s+${NAME}|version\s+${VERSION}|cascade))*)\s*;?\s*$`,
  "i",
);
const UPDATE = new RegExp(
  String.raw`^\s*alter\s+extension\s+${NAME}\s+update(?:\s+to\s+${VERSION})?\s*;?\s*$`,
  "i",
);

/**
 * Rewrites a statement of a file for the server. Other statements are unchanged, and error positions stay
 * valid.
 */
export function statementToSend(statement: string): string {
  if (!/\bextension\b/i.test(statement)) return withoutIndexOptions(statement);
  const [, extension, schema] = MOVE.exec(blank(statement)) ?? [];
  if (extension === undefined || schema === undefined)
    return ofPgTle(statement) ?? withoutIndexOptions(statement);
  return `select pg_catalog.homebase_move_extension(${pg.escapeLiteral(folded(extension))}, ${pg.escapeLiteral(folded(schema))})`;
}

/** As `statementToSend`, for a text of several statements; the same text where none is rewritten. */
export function textToSend(text: string): string {
  if (!/\bextension\b/i.test(text)) return text;
  const before = splitStatements(text).map((statement) => statement.text);
  const after = before.map(statementToSend);
  return after.every((one, at) => one === before[at]) ? text : after.join(";\n");
}

/**
 * `create extension` and `alter extension … update` of an extension that only pg_tle can have: where it has it, by a call
 * (stand-in/pg_tle), otherwise as it is.
 */
function ofPgTle(statement: string): string | undefined {
  const text = blank(statement);
  const [, ifNotExists, created, options = ""] = CREATE.exec(text) ?? [];
  const [, updated, target] = UPDATE.exec(text) ?? [];
  const name = created ?? updated;
  if (name === undefined || extensionEntry(folded(name)) !== undefined) return undefined;
  const option = (pattern: string) => new RegExp(pattern, "i").exec(options)?.[1];
  const literal = (value: string | undefined) =>
    value === undefined ? "null" : pg.escapeLiteral(unquoted(value));
  const extension = literal(name);
  const call =
    created === undefined
      ? `update_extension(${extension}, ${literal(target)})`
      : `create_extension(${extension}, ${literal(option(`\\bversion\\s+${VERSION}`))}, ${literal(option(`\\bschema\\s+${NAME}`))}, ` +
        `${/\bcascade\b/i.test(options)}, ${ifNotExists !== undefined})`;
  const body =
    `begin if pg_catalog.to_regprocedure('pgtle.create_extension(text,text,text,boolean,boolean)') is not null then ` +
    `if pgtle._is_installed(${extension}) then perform pgtle.${call}; return; end if; end if; ${text.replace(/;\s*$/, "")}; end`;
  return `do ${pg.escapeLiteral(body)}`;
}

/** A name or a version, which may also be a string. */
function unquoted(value: string): string {
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : folded(value);
}

let installed: readonly string[] | undefined;

/**
 * Replaces `with (m = 16, …)` of an hnsw, ivfflat or pgroonga index by blanks, so that error positions stay valid; in
 * blocks and functions too. Other statements, and those of an extension that is itself installed, are unchanged.
 */
function withoutIndexOptions(statement: string): string {
  const method = /\b(?:hnsw|ivfflat|pgroonga)\b/i.exec(statement)?.[0].toLowerCase();
  if (method === undefined) return statement;
  installed ??= systemExtensions().names;
  return installed.includes(method === "pgroonga" ? method : "vector") ? statement : blankOptions(statement);
}

/** As `withoutIndexOptions`, whether or not the extension is installed. */
export function blankOptions(statement: string): string {
  // Same length, so that offsets stay valid; a quoted method's name is kept, because it is searched for.
  const shown = masked(statement, undefined, (part) =>
    /^"(?:hnsw|ivfflat|pgroonga)"$/.test(part) ? ` ${part.slice(1, -1)} ` : undefined,
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
  return masked(statement, ["comment"]);
}

/** The name of an identifier, folded or unquoted. */
function folded(identifier: string): string {
  return identifier.startsWith('"')
    ? identifier.slice(1, -1).replaceAll('""', '"')
    : identifier.toLowerCase();
}
