/**
 * Owns a statement being written: its parameters and the quoting of identifiers. Values never become
 * part of the text; identifiers always are quoted.
 */
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";

export class SqlWriter {
  readonly values: (string | Buffer | Utf8Text)[] = [];

  /** A parameter of unspecified type, so that Postgres infers it from its place. */
  value(value: string | Buffer | Utf8Text): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /**
   * A number of rows, part of the text: with it Postgres can keep one plan, without it each run is planned
   * anew. Texts stay few, because pages have few sizes.
   */
  limit(rows: number): string {
    return Number.isSafeInteger(rows) ? String(rows) : this.value(String(rows));
  }
}

const NEEDS_CARE = /["\0]/;

/** A quoted identifier. Postgres has none with NUL: what follows one is cut off. */
export function quote(identifier: string): string {
  if (!NEEDS_CARE.test(identifier)) return `"${identifier}"`;
  const nul = identifier.indexOf("\0");
  return `"${(nul < 0 ? identifier : identifier.slice(0, nul)).replaceAll('"', '""')}"`;
}

export function quoteName(name: { schema: string; name: string }): string {
  return `${quote(name.schema)}.${quote(name.name)}`;
}

/** A function's name of a setting, quoted: `f` or `schema.f`. */
export function functionName(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? quote(name) : quoteName({ schema: name.slice(0, dot), name: name.slice(dot + 1) });
}

/** An array literal whose elements are all quoted. */
export function arrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((one) => `"${one.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}
