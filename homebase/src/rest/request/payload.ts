/**
 * Owns request bodies: the meaning of each content type for tables and functions, and the body's keys. JSON
 * text is sent to Postgres unchanged; it is parsed here only to find its keys (PostgREST documentation,
 * "Insert", "Functions").
 */
import { isUtf8 } from "node:buffer";
import { isRecord } from "../../core/record.ts";
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";
import { restErrors } from "../errors.ts";
import { parseCsv } from "./csv.ts";

export type Payload =
  /** JSON text. `keys` are undefined when `columns=` lists them and the text was not parsed. */
  | {
      kind: "json";
      text: string | Utf8Text;
      keys: readonly string[] | undefined;
      shape: "object" | "array";
      /** Whether it was made from CSV, which cannot be the body for a single unnamed parameter. */
      csv?: true;
    }
  /** Form arguments of a function; names may repeat. */
  | { kind: "arguments"; pairs: [name: string, value: string][] }
  /** A body for a single unnamed parameter. */
  | { kind: "raw"; type: "text" | "xml" | "bytea"; bytes: Buffer };

export type PayloadUse = "table" | "function";

/** Bounds the memory that a parsed body takes: each value takes some fifty bytes, whatever its text's length. */
export const MOST_VALUES = 2_000_000;
/** More names than a table's columns (1,600) or a function's parameters can be. */
const MOST_NAMES = 2_000;
const AMPERSAND = 0x26;

/**
 * @param columns whether `columns=` is given: the body is then not inspected.
 * @throws RestError PGRST102.
 */
export function parsePayload(
  bytes: Buffer,
  contentType: string | undefined,
  use: PayloadUse,
  columns: boolean,
): Payload {
  const type = mediaType(contentType);
  switch (type) {
    case "application/json": {
      if (!isUtf8(bytes)) throw restErrors.invalidJson();
      if (!columns && bytes.length > MOST_VALUES && hasTooManyValues(bytes)) {
        throw restErrors.tooManyValues(MOST_VALUES);
      }
      const text = bytes.toString("utf8");
      if (columns) return unreadJson(text);
      // A single unnamed parameter gets the empty text itself, which is not JSON.
      return use === "function" && text === "" ? objectPayload(text, []) : parseJson(text, use);
    }
    case "text/csv":
      return parseCsv(bytes.toString("utf8"));
    case "application/x-www-form-urlencoded": {
      if (count(bytes, AMPERSAND) >= MOST_NAMES) throw restErrors.tooManyValues(MOST_NAMES);
      const pairs = [...new URLSearchParams(bytes.toString("utf8"))] as [string, string][];
      if (use === "function") return { kind: "arguments", pairs };
      const row = Object.fromEntries(pairs);
      return objectPayload(JSON.stringify(row), Object.keys(row));
    }
    case "text/plain":
    case "text/xml":
    case "application/octet-stream":
      if (use === "function") {
        const raw = type === "text/plain" ? "text" : type === "text/xml" ? "xml" : "bytea";
        return { kind: "raw", type: raw, bytes };
      }
      throw restErrors.contentType(type);
    default:
      throw restErrors.contentType(type);
  }
}

function mediaType(contentType: string | undefined): string {
  const [type = "", ...parameters] = (contentType ?? "application/json").toLowerCase().split(";");
  const stripped = parameters.some((one) => one.trim() === "nulls=stripped");
  return ARRAY_TYPES.has(type.trim()) && !stripped ? "application/json" : type.trim();
}

/** PostgREST's names of a JSON list. */
const ARRAY_TYPES = new Set(["application/vnd.pgrst.array+json", "application/vnd.pgrst.array"]);

/** Whether a body of this content type is JSON. */
export function isJson(contentType: string | undefined): boolean {
  return mediaType(contentType) === "application/json";
}

function objectPayload(text: string, keys: readonly string[]): Payload {
  return { kind: "json", text, keys, shape: "object" };
}

/** A body that is not an object is treated as an array; Postgres reports the error. */
export function unreadJson(text: string | Utf8Text): Payload {
  const start = typeof text === "string" ? text : text.first;
  return { kind: "json", text, keys: undefined, shape: /^\s*\{/.test(start) ? "object" : "array" };
}

function parseJson(text: string, use: PayloadUse): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw restErrors.invalidJson();
  }
  if (hasLoneSurrogate(text)) throw restErrors.invalidJson();
  if (isRecord(value)) return objectPayload(text, fewNames(Object.keys(value), use));
  if (!Array.isArray(value)) return { kind: "json", text: "[]", keys: [], shape: "array" };
  const first: unknown = value[0];
  if (value.length === 0) return { kind: "json", text, keys: [], shape: "array" };
  if (!isRecord(first)) throw restErrors.unevenKeys();
  const keys = fewNames(Object.keys(first), use);
  const wanted = new Set(keys);
  for (const item of value) {
    if (!isRecord(item)) throw restErrors.unevenKeys();
    const own = Object.keys(item);
    if (own.length !== wanted.size || !own.every((key) => wanted.has(key))) throw restErrors.unevenKeys();
  }
  return { kind: "json", text, keys, shape: "array" };
}

const ESCAPES =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\./g;

/** Whether valid JSON escapes half a character, which is not a text. */
function hasLoneSurrogate(json: string): boolean {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return false;
  for (const [sequence, low] of json.matchAll(ESCAPES)) {
    if (sequence.length > 2 && low === undefined) return true;
  }
  return false;
}

/** A function with a single unnamed parameter takes an object of any names. */
function fewNames(names: string[], use: PayloadUse): string[] {
  if (use === "table" && names.length > MOST_NAMES) throw restErrors.tooManyValues(MOST_NAMES);
  return names;
}

function count(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Characters that begin or separate values: `,` `:` `[` `{`. */
const SEPARATORS = new Set([0x2c, 0x3a, 0x5b, 0x7b]);

/** Counts a JSON text's values and names without parsing it. */
function hasTooManyValues(bytes: Buffer): boolean {
  let found = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      do {
        at = bytes.indexOf(QUOTE, at + 1);
        if (at < 0) return false;
      } while (isEscaped(bytes, at));
    } else if (SEPARATORS.has(byte)) {
      found += 1;
      if (found > MOST_VALUES) return true;
    }
  }
  return false;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at;
  while (bytes[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}
