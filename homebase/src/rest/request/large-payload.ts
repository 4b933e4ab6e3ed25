/**
 * Owns large bodies: a worker thread parses them, so that other requests are not blocked. The first large
 * body starts the thread; it does not keep the process alive.
 */
import { isUtf8 } from "node:buffer";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Utf8Text } from "../../postgres/pipeline/wire.ts";
import { RestError, restErrors } from "../errors.ts";
import { isJson, type Payload, type PayloadUse, parsePayload, unreadJson } from "./payload.ts";

/** Parsing this many bytes takes some milliseconds; passing them to the thread costs about one. */
const LARGE_BYTES = 1024 * 1024;

/** The message to the thread. */
export interface Job {
  id: number;
  bytes: Uint8Array;
  contentType: string | undefined;
  use: PayloadUse;
}

/** The thread's response. `text` is omitted when it equals the body's bytes. */
export type Answer =
  | { id: number; payload: Payload; text?: Uint8Array }
  | { id: number; refusal: ConstructorParameters<typeof RestError>[0] }
  | { id: number; failure: string };

/**
 * Parses a body of any size.
 * @param columns whether `columns=` is given: a JSON body is then not inspected.
 * @throws RestError PGRST102.
 */
export function readPayload(
  bytes: Buffer,
  contentType: string | undefined,
  use: PayloadUse,
  columns: boolean,
): Payload | Promise<Payload> {
  if (bytes.length < LARGE_BYTES) return parsePayload(bytes, contentType, use, columns);
  if (columns && isJson(contentType)) {
    if (!isUtf8(bytes)) throw restErrors.invalidJson();
    return unreadJson(new Utf8Text(bytes));
  }
  return readInThread(bytes, contentType, use);
}

interface Waiting {
  bytes: Buffer;
  resolve: (payload: Payload) => void;
  reject: (error: Error) => void;
}

let thread: Worker | undefined;
let count = 0;
const waiting = new Map<number, Waiting>();

function readInThread(bytes: Buffer, contentType: string | undefined, use: PayloadUse): Promise<Payload> {
  return new Promise((resolve, reject) => {
    const id = count++;
    waiting.set(id, { bytes, resolve, reject });
    thread ??= startThread();
    thread.ref();
    thread.postMessage({ id, bytes, contentType, use } satisfies Job);
  });
}

function startThread(): Worker {
  // Next to this file, as source or built.
  const file = `./large-payload-thread${extname(import.meta.url)}`;
  const started = new Worker(new URL(file, import.meta.url));
  started.on("message", (answer: Answer) => {
    const one = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) started.unref();
    if (!one) return;
    if ("payload" in answer) one.resolve(withText(answer.payload, answer.text ?? one.bytes));
    else one.reject("refusal" in answer ? new RestError(answer.refusal) : new Error(answer.failure));
  });
  const ended = (error: Error) => {
    if (thread === started) thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  started.on("error", ended);
  started.on("exit", () => ended(new Error("The thread that reads large bodies has ended.")));
  return started;
}

function withText(payload: Payload, text: Uint8Array): Payload {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  if (payload.kind === "json") return { ...payload, text: new Utf8Text(bytes) };
  return payload.kind === "raw" ? { ...payload, bytes } : payload;
}
