/**
 * Owns reading HTTP bodies as upstream's parser and its message validation do (docs/compat/realtime.md 9).
 */

import { parseJson } from "../../core/json.ts";
import { isRecord } from "../../core/record.ts";
import type { ServiceRequest } from "../../http/exchange.ts";

export const JSON_TYPE = "application/json";

/** A JSON body that is invalid, or nested too deeply. */
export class MalformedBody extends Error {}

/** A valid message of a batch. */
export interface BatchMessage {
  topic: string;
  event: string;
  payload: Record<string, unknown>;
  private: boolean;
}

/** The media type of a request without its parameters; undefined without a header. */
export function contentType({ headers }: ServiceRequest): string | undefined {
  return headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
}

/**
 * The messages of a batch, in an array or numbered in a map. With `faults` none is sent: one entry for each
 * message, or an error of the list itself.
 * @param limit maximum size of a payload in bytes.
 * @throws MalformedBody
 */
export function batchMessages(
  request: ServiceRequest,
  body: Buffer,
  limit: number,
): { messages: BatchMessage[]; faults?: unknown[] } {
  const type = contentType(request) ?? "";
  const value = type === JSON_TYPE || type.endsWith("+json") ? jsonValue(body) : undefined;
  const given = isRecord(value) ? (value.messages ?? []) : [];
  const list: unknown = isRecord(given) ? Object.values(given) : given;
  if (!Array.isArray(list) || !list.every(isRecord)) return { messages: [], faults: ["is invalid"] };
  if (list.length === 0) return { messages: [], faults: ["can't be blank"] };
  const faults = list.map((message) => faultsOf(message, limit));
  if (faults.some((fault) => Object.keys(fault).length > 0)) return { messages: [], faults };
  return {
    messages: list.map((message) => ({
      topic: String(message.topic),
      event: String(message.event),
      payload: message.payload as Record<string, unknown>,
      private: FLAGS.get(message.private) ?? false,
    })),
  };
}

/**
 * A JSON body as an object's text: an object is unchanged, an empty body becomes an empty object, and any
 * other value is wrapped as `_json`. @throws MalformedBody
 */
export function objectBody(body: Buffer): Buffer {
  const value = jsonValue(body);
  if (value === undefined) return Buffer.from("{}");
  return isRecord(value) ? body : Buffer.from(JSON.stringify({ _json: value }));
}

/** @throws MalformedBody */
function jsonValue(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = body.toString("utf8");
  try {
    return parseJson(text);
  } catch {
    throw new MalformedBody();
  }
}

/** Parses a flag in a message. */
const FLAGS = new Map<unknown, boolean>([
  [true, true],
  ["true", true],
  ["1", true],
  [false, false],
  ["false", false],
  ["0", false],
]);

function faultsOf(message: Record<string, unknown>, limit: number): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  if (isBlank(message.payload)) faults.payload = ["can't be blank"];
  else if (!isRecord(message.payload)) faults.payload = ["is invalid"];
  else if (Buffer.byteLength(JSON.stringify(message.payload)) > limit) {
    faults.payload = ["Payload size exceeds tenant limit"];
  }
  for (const name of ["event", "topic"] as const) {
    const value = message[name];
    if (isBlank(value)) faults[name] = ["can't be blank"];
    else if (typeof value !== "string") faults[name] = ["is invalid"];
  }
  if (!isBlank(message.private) && !FLAGS.has(message.private)) faults.private = ["is invalid"];
  return faults;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}
