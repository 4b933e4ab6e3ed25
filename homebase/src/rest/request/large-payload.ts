/**
 * Owns large bodies: worker threads parse them, so that other requests are not blocked. Large bodies start the threads,
 * which end when idle and do not keep the process alive.
 */
import { isUtf8 } from "node:buffer";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Utf8Text } from "../../postgres/pipeline/wire.ts";
import { RestError, restErrors } from "../errors.ts";
import { isJson, MOST_VALUES, type Payload, type PayloadUse, parsePayload, unreadJson } from "./payload.ts";

/** Parsing this many bytes takes some milliseconds; passing them to the thread costs about one. */
const LARGE_BYTES = 1024 * 1024;

/** The message to the thread. */
export interface Job {
  id: number;
  bytes: Uint8Array;
  contentType: string | undefined;
  use: PayloadUse;
}

/** The thread's response, with the text of the payload. */
export type Answer =
  | { id: number; payload: Payload; text: Uint8Array }
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
  resolve: (payload: Payload) => void;
  reject: (error: Error) => void;
}

/** Several, so that one large body does not wait for another; few, because each takes memory. */
const MOST_THREADS = 3;
/** A body whose values need more ends its thread, not this process. */
const THREAD_MEGABYTES = 320;
/** Idle threads keep memory; after a body of this size so much that the thread ends at once. */
const IDLE_MS = 10_000;
const ENDING_BYTES = 16 * LARGE_BYTES;

class Thread {
  readonly waiting = new Map<number, Waiting>();
  readonly #worker: Worker;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;
  #largest = 0;

  constructor() {
    // Next to this file, as source or built.
    const file = `./large-payload-thread${extname(import.meta.url)}`;
    const resourceLimits = { maxOldGenerationSizeMb: THREAD_MEGABYTES };
    this.#worker = new Worker(new URL(file, import.meta.url), { resourceLimits });
    this.#worker.on("message", (answer: Answer) => this.#take(answer));
    this.#worker.on("error", (error: NodeJS.ErrnoException) => {
      const full = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      this.#end(full ? restErrors.tooManyValues(MOST_VALUES) : error);
    });
    this.#worker.on("exit", () => this.#end(new Error("The thread that reads large bodies has ended.")));
  }

  read(bytes: Buffer, contentType: string | undefined, use: PayloadUse): Promise<Payload> {
    return new Promise((resolve, reject) => {
      const id = this.#count++;
      this.waiting.set(id, { resolve, reject });
      this.#largest = Math.max(this.#largest, bytes.length);
      clearTimeout(this.#idle);
      this.#worker.ref();
      // Handed over and back rather than copied, if nothing else is in its memory.
      const own = bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
      this.#worker.postMessage({ id, bytes, contentType, use } satisfies Job, own);
    });
  }

  #take(answer: Answer): void {
    const one = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if (this.waiting.size === 0) {
      this.#worker.unref();
      if (this.#largest < ENDING_BYTES)
        this.#idle = setTimeout(() => this.#end(new Error("idle")), IDLE_MS).unref();
      else this.#end(new Error("ended"));
    }
    if (!one) return;
    if ("payload" in answer) one.resolve(withText(answer.payload, answer.text));
    else one.reject("refusal" in answer ? new RestError(answer.refusal) : new Error(answer.failure));
  }

  #end(error: Error): void {
    threads.delete(this);
    clearTimeout(this.#idle);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.#worker.terminate().catch(() => {});
  }
}

const threads = new Set<Thread>();

function readInThread(bytes: Buffer, contentType: string | undefined, use: PayloadUse): Promise<Payload> {
  let [chosen] = [...threads].sort((left, right) => left.waiting.size - right.waiting.size);
  if (!chosen || (chosen.waiting.size > 0 && threads.size < MOST_THREADS)) {
    chosen = new Thread();
    threads.add(chosen);
  }
  return chosen.read(bytes, contentType, use);
}

function withText(payload: Payload, text: Uint8Array): Payload {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  if (payload.kind === "json") return { ...payload, text: new Utf8Text(bytes) };
  return payload.kind === "raw" ? { ...payload, bytes } : payload;
}
