/**
 * Owns the wire format: Phoenix frames in serializers 1.0.0 and 2.0.0, text and binary
 * (docs/compat/realtime.md 3). Payloads that are only forwarded stay text; they are spliced into frames
 * without being parsed.
 */
import { parseJson } from "../../core/json.ts";
import { isRecord } from "../../core/record.ts";

export type Serializer = "1.0.0" | "2.0.0";

/** A message from a client. */
export interface ClientMessage {
  joinRef: string | null;
  ref: string | null;
  topic: string;
  event: string;
  payload: unknown;
  /** Size of its frame in bytes. */
  bytes?: number;
  /** The text of a broadcast's payload, which is forwarded unchanged. */
  raw?: string;
  /** Set for binary user broadcasts (kind 3), which are forwarded unchanged. */
  binary?: { userEvent: string; encoding: 0 | 1; payload: Buffer; persist: boolean };
}

/** Valid JSON text, to be put into a frame unchanged. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const KIND_PUSH = 0;
const KIND_USER_PUSH = 3;
const KIND_USER_BROADCAST = 4;
export const ENCODING_BINARY = 0;
export const ENCODING_JSON = 1;

/** Parses a text frame; undefined for a frame that is not Phoenix's, which is silently dropped. */
export function parseText(text: string, serializer: Serializer): ClientMessage | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (serializer === "2.0.0") {
    if (!Array.isArray(value) || value.length < 5) return undefined;
    const found = message(value[0], value[1], value[2], value[3], value[4]);
    if (found?.event === "broadcast" && value.length === 5) {
      const raw = lastElement(text);
      if (raw !== undefined) found.raw = raw;
    }
    return found;
  }
  if (!isRecord(value) || !("payload" in value) || !("ref" in value)) return undefined;
  return message(value.join_ref, value.ref, value.topic, value.event, value.payload);
}

const FOUR_ELEMENTS = /^\s*\[(?:\s*(?:null|"(?:[^"\\]|\\.)*")\s*,){4}/s;

/** Text of the fifth and last element of an array whose first four are strings or null. */
function lastElement(text: string): string | undefined {
  const head = FOUR_ELEMENTS.exec(text)?.[0].length;
  return head === undefined ? undefined : text.slice(head, text.lastIndexOf("]")).trim();
}

/** Parses a binary frame of kind 0 or 3; undefined when it is truncated or of another kind. */
export function parseBinary(frame: Buffer): ClientMessage | undefined {
  const kind = frame[0];
  const lengths = kind === KIND_PUSH ? 4 : kind === KIND_USER_PUSH ? 5 : 0;
  const head = kind === KIND_USER_PUSH ? 7 : 5;
  if (lengths === 0 || frame.length < head) return undefined;
  const parts: string[] = [];
  let at = head;
  for (let index = 1; index <= lengths; index += 1) {
    const end = at + (frame[index] ?? 0);
    if (end > frame.length) return undefined;
    parts.push(frame.toString("utf8", at, end));
    at = end;
  }
  const [joinRef = "", ref = "", topic = "", event = "", metadata = ""] = parts;
  const payload = frame.subarray(at);
  const base = { joinRef: joinRef || null, ref: ref || null, topic };
  if (kind === KIND_PUSH) return { ...base, event, payload };
  const encoding = frame[6] === ENCODING_JSON ? ENCODING_JSON : ENCODING_BINARY;
  const binary = { userEvent: event, encoding, payload, persist: asksToPersist(metadata) } as const;
  return { ...base, event: "broadcast", payload: undefined, binary };
}

/** Whether a push's metadata asks to store the message: `{"persist": true}`, or a lifetime in seconds. */
function asksToPersist(metadata: string): boolean {
  if (metadata === "") return false;
  try {
    const value = parseJson(metadata);
    return isRecord(value) && (value.persist === true || isRecord(value.persist));
  } catch {
    return false;
  }
}

function message(
  joinRef: unknown,
  ref: unknown,
  topic: unknown,
  event: unknown,
  payload: unknown,
): ClientMessage | undefined {
  if (typeof topic !== "string" || typeof event !== "string") return undefined;
  return { joinRef: reference(joinRef), ref: reference(ref), topic, event, payload };
}

function reference(value: unknown): string | null {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : null;
}

/** Encodes a text frame. Serializer 1.0.0 has no `joinRef`. */
export function writeText(
  serializer: Serializer,
  joinRef: string | null,
  ref: string | null,
  topic: string,
  event: string,
  payload: unknown,
): string {
  const body = payload instanceof RawJson ? payload.text : JSON.stringify(payload);
  return serializer === "2.0.0"
    ? `[${JSON.stringify(joinRef)},${JSON.stringify(ref)},${JSON.stringify(topic)},${JSON.stringify(event)},${body}]`
    : `{"topic":${JSON.stringify(topic)},"event":${JSON.stringify(event)},"payload":${body},"ref":${JSON.stringify(ref)}}`;
}

/**
 * Encodes a user broadcast (kind 4); undefined when a name is too long for its length byte. @param meta JSON
 * text, or "" for none.
 */
export function writeUserBroadcast(
  topic: string,
  userEvent: string,
  meta: string,
  encoding: 0 | 1,
  payload: Buffer,
): Buffer | undefined {
  const names = [Buffer.from(topic), Buffer.from(userEvent), Buffer.from(meta)];
  if (names.some((name) => name.length > 255)) return undefined;
  const head = Buffer.from([KIND_USER_BROADCAST, ...names.map((name) => name.length), encoding]);
  return Buffer.concat([head, ...names, payload]);
}

/**
 * The same user broadcast as a text frame of serializer 2.0.0, for transports that carry no bytes; undefined for another
 * frame, and for a payload that is not JSON.
 */
export function textOfUserBroadcast(frame: Buffer): string | undefined {
  if (frame[0] !== KIND_USER_BROADCAST || frame[4] !== ENCODING_JSON) return undefined;
  const [, topicLength = 0, eventLength = 0, metaLength = 0] = frame;
  const texts: string[] = [];
  let at = 5;
  for (const length of [topicLength, eventLength, metaLength]) {
    texts.push(frame.toString("utf8", at, at + length));
    at += length;
  }
  const [topic = "", event = "", meta = ""] = texts;
  const payload = frame.toString("utf8", at);
  const more = meta === "" ? "" : `"meta":${meta},`;
  const body = `{"event":${JSON.stringify(event)},${more}"payload":${payload},"type":"broadcast"}`;
  return writeText("2.0.0", null, null, topic, "broadcast", new RawJson(body));
}

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;

/**
 * A complete WebSocket frame of a server (RFC 6455, 5.2) for any number of sockets: a message to many is
 * framed only once.
 */
export function encodeFrame(data: string | Buffer): Buffer {
  const payload = typeof data === "string" ? Buffer.from(data) : data;
  const { length } = payload;
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + size + length);
  frame[0] = typeof data === "string" ? FINAL_TEXT : FINAL_BINARY;
  if (size === 0) frame[1] = length;
  else if (size === 2) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  payload.copy(frame, 2 + size);
  return frame;
}
