/**
 * Owns converting a value's text to JSON text, as `to_jsonb(text::type)` does (docs/compat/realtime.md 14).
 * Numbers keep all digits, because they are never converted to JavaScript numbers.
 */
import type { ColumnType } from "./replication/relation.ts";

const FINITE = /^[+-]?(?:\d|\.\d)/;

/** JSON text of a value, or undefined for a type whose JSON form only Postgres knows. */
export function toJson(text: string | null, type: ColumnType): string | undefined {
  if (text === null) return "null";
  switch (type.kind) {
    case "boolean":
      return text === "t" || text === "true" ? "true" : "false";
    case "number":
      return FINITE.test(text) ? text : "null"; // NaN and the infinities have no JSON form.
    case "json":
      return text;
    case "timestamp":
      return JSON.stringify(text.replace(" ", "T"));
    case "timestamptz":
      return JSON.stringify(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
    case "bytea":
      return JSON.stringify(text.replace(/^\\x/, ""));
    case "array":
      return type.element ? arrayJson(text, type.element, type.delimiter) : undefined;
    case "string":
      return JSON.stringify(text);
    case "sql":
      return undefined;
  }
}

/** An array literal as a JSON array. Explicit bounds are dropped, as by `to_jsonb`. */
function arrayJson(text: string, element: ColumnType, delimiter: string): string | undefined {
  const start = text.indexOf("{");
  const end = text.length;
  let at = start;
  let failed = false;

  const value = (): string => {
    if (text[at] === "{") return list();
    let raw = "";
    let quoted = false;
    if (text[at] === '"') {
      quoted = true;
      at += 1;
      while (at < end && text[at] !== '"') {
        if (text[at] === "\\") at += 1;
        raw += text[at] ?? "";
        at += 1;
      }
      at += 1;
    } else {
      while (at < end && text[at] !== delimiter && text[at] !== "}") {
        raw += text[at];
        at += 1;
      }
    }
    const json = elementJson(!quoted && raw === "NULL" ? null : raw, element);
    if (json === undefined) failed = true;
    return json ?? "null";
  };
  const list = (): string => {
    const items: string[] = [];
    at += 1;
    while (at < end && text[at] !== "}") {
      items.push(value());
      if (text[at] === delimiter) at += 1;
    }
    at += 1;
    return `[${items.join(",")}]`;
  };

  const json = start < 0 ? undefined : list();
  return failed ? undefined : json;
}

/**
 * Inside an array no type is special: bytes keep their prefix, and numbers without a JSON form are strings.
 */
function elementJson(text: string | null, type: ColumnType): string | undefined {
  if (text !== null && (type.kind === "bytea" || (type.kind === "number" && !FINITE.test(text)))) {
    return JSON.stringify(text);
  }
  return toJson(text, type);
}

/** Names in the order of jsonb objects: shorter first, then by bytes. */
export function jsonbOrder(left: string, right: string): number {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length - b.length || Buffer.compare(a, b);
}

/** A JSON object's text from names and JSON texts, in jsonb's order. */
export function objectJson(entries: readonly (readonly [name: string, json: string])[]): string {
  const sorted = [...entries].sort(([left], [right]) => jsonbOrder(left, right));
  return `{${sorted.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}
