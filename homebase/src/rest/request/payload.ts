/**
 * Owns request bodies: the meaning of each content type for tables and functions, and the body's keys. JSON
 * text is sent to Postgres unchanged; it is parsed here only to find its keys (PostgREST documentation,
 * "Insert", "Functions").
 */
import { isUtf8 } from "node:buffer";
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";
import { restErrors } from "../errors.ts";

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
    case "":
    case "application/json": {
      if (!isUtf8(bytes)) throw restErrors.invalidJson();
      const text = bytes.toString("utf8");
      if (columns) return unreadJson(text);
      return use === "function" && text === "" ? objectPayload("{}", []) : parseJson(text);
    }
    case "text/csv":
      return parseCsv(bytes.toString("utf8"));
    case "application/x-www-form-urlencoded": {
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
  return (contentType ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Whether a body of this content type is JSON. */
export function isJson(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === "" || type === "application/json";
}

function objectPayload(text: string, keys: readonly string[]): Payload {
  return { kind: "json", text, keys, shape: "object" };
}

/** A body that is not an object is treated as an array; Postgres reports the error. */
export function unreadJson(text: string | Utf8Text): Payload {
  const start = typeof text === "string" ? text : text.first;
  return { kind: "json", text, keys: undefined, shape: /^\s*\{/.test(start) ? "object" : "array" };
}

function parseJson(text: string): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw restErrors.invalidJson();
  }
  if (isObject(value)) return objectPayload(text, Object.keys(value));
  if (!Array.isArray(value)) return { kind: "json", text: "[]", keys: [], shape: "array" };
  const first: unknown = value[0];
  if (value.length === 0) return { kind: "json", text, keys: [], shape: "array" };
  if (!isObject(first)) throw restErrors.unevenKeys();
  const keys = Object.keys(first);
  const wanted = new Set(keys);
  for (const item of value) {
    if (!isObject(item)) throw restErrors.unevenKeys();
    const own = Object.keys(item);
    if (own.length !== wanted.size || !own.every((key) => wanted.has(key))) throw restErrors.unevenKeys();
  }
  return { kind: "json", text, keys, shape: "array" };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseCsv(text: string): Payload {
  const [names = [], ...lines] = readCsv(text);
  // Fields beyond the header's are dropped; lines may be shorter than the header, but all alike.
  const width = Math.min(names.length, lines[0]?.length ?? 0);
  const keys = names.slice(0, width);
  const rows = lines.map((line) => {
    if (Math.min(line.length, names.length) !== width) throw restErrors.unevenLines();
    return Object.fromEntries(keys.map((name, at) => [name, line[at] === "NULL" ? null : (line[at] ?? "")]));
  });
  return { kind: "json", text: JSON.stringify(rows), keys, shape: "array", csv: true };
}

const REST_SHOWN = 100;

/** The CSV error, with the offending text, as PostgREST's parser words it. */
function unreadable(why: string, rest: string) {
  const shown = rest.length > REST_SHOWN ? `${rest.slice(0, REST_SHOWN)} (truncated)` : JSON.stringify(rest);
  return restErrors.invalidCsv(`parse error (${why}) at ${shown}`);
}

/** RFC 4180, with LF or CRLF; blank lines are skipped. The header line must be terminated. */
function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let at = 0;
  let ended = false;
  while (at < text.length) {
    let value = "";
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote < 0) throw unreadable("not enough input", "");
        value += text.slice(at, quote);
        at = quote + 1;
        if (text[at] !== '"') break;
        value += '"';
        at += 1;
      }
    } else {
      const from = at;
      while (at < text.length && text[at] !== "," && text[at] !== "\n" && text[at] !== "\r") at += 1;
      value = text.slice(from, at);
    }
    line.push(value);
    if (text[at] === ",") {
      at += 1;
      if (at === text.length) line.push("");
      continue;
    }
    if (text[at] === "\r") at += 1;
    if (at < text.length && text[at] !== "\n") throw unreadable("endOfInput", text.slice(at));
    ended ||= text[at] === "\n";
    at += 1;
    if (line.length > 1 || line[0] !== "" || lines.length === 0) lines.push(line);
    line = [];
  }
  if (!ended) throw unreadable("not enough input", "");
  if (line.length > 0) lines.push(line);
  return lines;
}
