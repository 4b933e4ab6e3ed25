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

/** A function's name as a setting gives it, quoted: `f` or `schema.f`. */
export function functionName(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? quote(name) : quoteName({ schema: name.slice(0, dot), name: name.slice(dot + 1) });
}

/** An array literal whose elements are all quoted. */
export function arrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((one) => `"${one.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

/** A quoted string, truncated at a NUL, which Postgres does not allow. */
export function quoteLiteral(text: string): string {
  const nul = text.indexOf("\0");
  return pg.escapeLiteral(nul < 0 ? text : text.slice(0, nul));
}
