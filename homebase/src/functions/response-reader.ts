/**
 * Owns parsing an HTTP/1.1 response of a function's process: head, then a body of known length, in chunks, or
 * until the connection closes (RFC 9112, 4, 6 and 7). Node's own client costs more time than a function's
 * response; the responses come from Deno's or Node's server on this machine.
 */

export interface ResponseHead {
  status: number;
  statusText: string;
  /** Lower-case names; repeated ones as a list. */
  headers: Record<string, string | string[]>;
  /** Length of the body in bytes, if known. */
  length: number | undefined;
}

/** Callbacks for the parts of a response. */
export interface ResponseEvents {
  head(head: ResponseHead): void;
  data(bytes: Buffer): void;
  /** @param reusable whether the connection can be used for another request. */
  end(reusable: boolean): void;
}

/** The bytes are not a valid HTTP response. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse";
}

type State = "head" | "length" | "close" | "chunk size" | "chunk" | "chunk end" | "trailer" | "done";

const MOST_HEAD_BYTES = 256 * 1024;
/** A length below zero would never be reached: the whole process would wait for it. */
const LENGTH = /^\d{1,15}$/;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/;

export class ResponseReader {
  readonly #events: ResponseEvents;
  readonly #bodiless: boolean;
  #state: State = "head";
  /** The incomplete line. */
  #line: Buffer = Buffer.alloc(0);
  /** Remaining bytes of the body or of the chunk. */
  #left = 0;
  #reusable = true;

  /** @param bodiless whether the request was a HEAD. */
  constructor(bodiless: boolean, events: ResponseEvents) {
    this.#bodiless = bodiless;
    this.#events = events;
  }

  /** Whether no byte has arrived yet. */
  get untouched(): boolean {
    return this.#state === "head" && this.#line.length === 0;
  }

  /** @throws MalformedResponse */
  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && this.#state !== "done") rest = this.#step(rest);
    // Bytes after the end belong to no request.
    if (rest.length > 0) throw new MalformedResponse("Bytes came behind the end of a response.");
  }

  /** Handles the connection's end: it ends a body without a length, and is an error otherwise. */
  close(): void {
    if (this.#state !== "close") throw new MalformedResponse("The connection closed within a response.");
    this.#finish(false);
  }

  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case "head":
        return this.#until(bytes, "\r\n\r\n", (text) => this.#readHead(text));
      case "length":
      case "chunk": {
        const taken = bytes.subarray(0, this.#left);
        this.#left -= taken.length;
        this.#events.data(taken);
        if (this.#left === 0) {
          if (this.#state === "length") this.#finish(this.#reusable);
          else this.#state = "chunk end";
        }
        return bytes.subarray(taken.length);
      }
      case "close":
        this.#events.data(bytes);
        return bytes.subarray(bytes.length);
      case "chunk size":
        return this.#until(bytes, "\r\n", (text) => {
          const size = /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(text.trim())?.[1];
          if (size === undefined) throw new MalformedResponse("A chunk has no size.");
          this.#left = Number.parseInt(size, 16);
          this.#state = this.#left === 0 ? "trailer" : "chunk";
        });
      case "chunk end":
        return this.#until(bytes, "\r\n", (text) => {
          if (text !== "") throw new MalformedResponse("A chunk is longer than it says.");
          this.#state = "chunk size";
        });
      case "trailer":
        return this.#until(bytes, "\r\n", (text) => {
          if (text === "") this.#finish(this.#reusable);
        });
      default:
        return bytes;
    }
  }

  /** Collects up to `mark`, then passes on what precedes it. @returns the remaining bytes. */
  #until(bytes: Buffer, mark: string, take: (text: string) => void): Buffer {
    const held = this.#line.length === 0 ? bytes : Buffer.concat([this.#line, bytes]);
    const at = held.indexOf(mark, Math.max(0, this.#line.length - mark.length), "latin1");
    if (at < 0) {
      if (held.length > MOST_HEAD_BYTES) throw new MalformedResponse("The head of a response has no end.");
      this.#line = held === bytes ? Buffer.from(held) : held;
      return held.subarray(held.length);
    }
    this.#line = Buffer.alloc(0);
    take(held.toString("latin1", 0, at));
    return held.subarray(at + mark.length);
  }

  #readHead(text: string): void {
    const [first = "", ...lines] = text.split("\r\n");
    const found = STATUS_LINE.exec(first);
    if (!found) throw new MalformedResponse("The answer is not HTTP.");
    const status = Number(found[1]);
    // 100 and 103 precede the response itself.
    if (status < 200) return;
    // Without a prototype, whose members are no headers.
    const headers: ResponseHead["headers"] = Object.create(null);
    for (const line of lines) {
      const colon = line.indexOf(":");
      if (colon < 1) throw new MalformedResponse("A header has no name.");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const present = headers[name];
      headers[name] =
        present === undefined ? value : Array.isArray(present) ? [...present, value] : [present, value];
    }
    if (/\bclose\b/i.test(String(headers.connection ?? "")) || first.startsWith("HTTP/1.0"))
      this.#reusable = false;
    const empty = this.#bodiless || status === 204 || status === 304;
    const chunked = /\bchunked\b/i.test(String(headers["transfer-encoding"] ?? ""));
    const declared = headers["content-length"];
    if (declared !== undefined && !LENGTH.test(String(declared)))
      throw new MalformedResponse("A length is no number.");
    const length = empty ? 0 : chunked || declared === undefined ? undefined : Number(declared);
    this.#events.head({ status, statusText: found[2] ?? "", headers, length });
    if (length === 0) this.#finish(this.#reusable);
    else if (length !== undefined) {
      this.#left = length;
      this.#state = "length";
    } else this.#state = chunked ? "chunk size" : "close";
  }

  #finish(reusable: boolean): void {
    this.#state = "done";
    this.#events.end(reusable);
  }
}
