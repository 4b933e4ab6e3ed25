/** Owns: reading an HTTP/1.1 response (RFC 9112), the only one on a connection that closes after it. */

/** Why the request failed. */
export class Unreachable extends Error {
  readonly reason: "not_public" | "no_answer" | "too_large" | "too_many_redirects";
  constructor(reason: Unreachable["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface Answer {
  status: number;
  text: string;
}

const MOST_HEAD_BYTES = 32_768;

/** The final response, or the target of its redirect. Throws Unreachable for a body above `most` bytes. */
export async function readAnswer(
  readable: ReadableStream<Uint8Array>,
  most: number,
): Promise<Answer | { location: string }> {
  const source = new Source(readable.getReader());
  let head = await headOf(source);
  // Interim responses precede the final one.
  while (head.status >= 100 && head.status < 200) head = await headOf(source);
  const location = head.fields.get("location");
  if (head.status >= 300 && head.status < 400 && location) return { location };
  const packed = head.fields.get("content-encoding")?.toLowerCase();
  let body = ReadableStream.from(bodyOf(head, source)) as ReadableStream<Uint8Array<ArrayBuffer>>;
  // Identity was requested; some servers compress anyway.
  if (packed === "gzip" || packed === "x-gzip") body = body.pipeThrough(new DecompressionStream("gzip"));
  else if (packed === "deflate") body = body.pipeThrough(new DecompressionStream("deflate"));
  else if (packed !== undefined && packed !== "identity") {
    throw new Unreachable("no_answer", "That address answered in a way that is not understood.");
  }
  return { status: head.status, text: await boundedText(body, most) };
}

interface Head {
  status: number;
  /** By lower-case name; the last of repeated ones. */
  fields: Map<string, string>;
}

async function headOf(source: Source): Promise<Head> {
  const lines: string[] = [];
  let size = 0;
  for (;;) {
    const line = await source.line(MOST_HEAD_BYTES - size);
    size += line.length + 2;
    if (line === "" && lines.length > 0) break;
    lines.push(line);
  }
  const [first = "", ...rest] = lines;
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (!status) throw new Unreachable("no_answer", "That address does not speak HTTP.");
  const fields = new Map<string, string>();
  for (const line of rest) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), fields };
}

/** The bytes of the body, in any transfer coding. A premature end is an error. */
async function* bodyOf(head: Head, source: Source): AsyncGenerator<Uint8Array> {
  if (head.status === 204 || head.status === 304) return;
  if (head.fields.get("transfer-encoding")?.toLowerCase().endsWith("chunked")) {
    for (;;) {
      const length = /^([0-9a-f]{1,8})\s*(?:;|$)/i.exec(await source.line(1024))?.[1];
      if (length === undefined) throw new Unreachable("no_answer", "That address does not speak HTTP.");
      const size = Number.parseInt(length, 16);
      if (size === 0) return;
      yield* source.bytes(size);
      await source.line(2);
    }
  }
  const length = head.fields.get("content-length");
  if (length !== undefined && /^\d{1,15}$/.test(length)) yield* source.bytes(Number(length));
  else yield* source.rest();
}

/** Reads lines and counted bytes from a stream of chunks. */
class Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #held: Uint8Array = new Uint8Array();

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    const joined = new Uint8Array(this.#held.length + value.length);
    joined.set(this.#held);
    joined.set(value, this.#held.length);
    this.#held = joined;
    return true;
  }

  /**
   * The next line without its end.
   * @throws Unreachable when it is longer than `most`, or the stream ends within it
   */
  async line(most: number): Promise<string> {
    for (;;) {
      const at = this.#held.indexOf(10);
      if (at > most || (at < 0 && this.#held.length > most)) {
        throw new Unreachable("no_answer", "That address does not speak HTTP.");
      }
      if (at >= 0) {
        const line = new TextDecoder("latin1").decode(this.#held.subarray(0, at));
        this.#held = this.#held.subarray(at + 1);
        return line.endsWith("\r") ? line.slice(0, -1) : line;
      }
      if (!(await this.#more())) throw new Unreachable("no_answer", "That address stopped in the middle.");
    }
  }

  async *bytes(count: number): AsyncGenerator<Uint8Array> {
    let left = count;
    while (left > 0) {
      if (this.#held.length === 0 && !(await this.#more())) {
        throw new Unreachable("no_answer", "That address stopped in the middle.");
      }
      const part = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    do {
      if (this.#held.length > 0) yield this.#held;
      this.#held = new Uint8Array();
    } while (await this.#more());
  }
}

async function boundedText(body: ReadableStream<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new Unreachable("too_large", "That is too large.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
