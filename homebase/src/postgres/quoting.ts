/**
 * Owns quoting names and literals that become part of SQL text. Values are parameters and need no quoting.
 */

import pg from "pg";

const NEEDS_CARE = /["\0]/;

/** A quoted identifier, truncated at a NUL, which Postgres does not allow. */
export function quote(identifier: string): string {
  if (!NEEDS_CARE.test(identifier)) return `"${identifier}"`;
  const nul = identifier.indexOf("\0");
  return `"${(nul < 0 ? identifier : identifier.slice(0, nul)).replaceAll('"', '""')}"`;
}

/** A quoted name with its schema. */
export function quoteName(name: { schema: string; name: string }): string {
  return `${quote(name.schema)}.${quote(name.name)}`;
}

/** A name as somebody gives it, quoted: `name` or `schema.name`. */
export function quoteGiven(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? quote(name) : quoteName({ schema: name.slice(0, dot), name: name.slice(dot + 1) });
}

/** An array literal whose elements are all quoted. */
export function arrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((one) => `"${one.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

/** Settings that Postgres stores as a list of quoted names; their values are written one by one. */
const NAME_LISTS = new Set([
  "local_preload_libraries",
  "search_path",
  "session_preload_libraries",
  "shared_preload_libraries",
  "temp_tablespaces",
  "unix_socket_directories",
]);

/** A setting's stored value as `set name = …` takes it: whatever it holds, it is strings only. */
export function settingValue(name: string, value: string): string {
  if (!NAME_LISTS.has(name.toLowerCase())) return quoteLiteral(value);
  // As Postgres splits it: names in quotes, or without, which then end at a comma or a space and are folded.
  const names = [...value.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^\s,]+))\s*(?:,|$)|([\s\S])/g)].map(
    ([, quoted, bare, rest]) => quoted?.replaceAll('""', '"') ?? bare?.toLowerCase() ?? rest ?? "",
  );
  return names.length === 0 ? "''" : names.map((one) => quoteLiteral(one)).join(", ");
}

/** Text in a comment of one line: a line break would end the comment, and psql would run what follows. */
export function commentText(text: string): string {
  return text.replace(/[\r\n]+/g, " ");
}

/** A quoted string, truncated at a NUL, which Postgres does not allow. */
export function quoteLiteral(text: string): string {
  const nul = text.indexOf("\0");
  return pg.escapeLiteral(nul < 0 ? text : text.slice(0, nul)).trimStart();
}
