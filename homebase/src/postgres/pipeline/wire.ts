/**
 * Owns the wire format after authentication: the frontend messages of the extended query protocol, and
 * splitting the backend's stream into messages (PostgreSQL documentation, "Message Formats").
 */

/** A parameter in text format, or a Buffer whose bytes are sent unchanged. */
export type Value = string | Buffer | Utf8Text | null;

const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Text that is already encoded as UTF-8, so that a large one is not converted to a string and back. */
export class Utf8Text {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Its first character that is not JSON whitespace. */
  get first(): string {
    let at = 0;
    while (WHITESPACE.has(this.bytes[at] ?? 0)) at += 1;
    return String.fromCharCode(this.bytes[at] ?? 0);
  }
}

const FIRST_SIZE = 16 * 1024;
// A buffer that grew for a large request is not kept.
const LARGEST_KEPT = 256 * 1024;

/** Collects messages until they are sent in one write. */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #end = 0;

  get empty(): boolean {
    return this.#end === 0;
  }

  parse(name: string, text: string): void {
    const start = this.#begin(0x50, name.length + 3 * text.length + 4);
    this.#ascii(name);
    this.#end += this.#buffer.write(text, this.#end, "utf8");
    this.#byte(0);
    this.#int16(0);
    this.#finish(start);
  }

  /** Binds a statement to the unnamed portal; results come as text. */
  bind(name: string, values: readonly Value[]): void {
    const start = this.#begin(0x42, name.length + 2 * values.length + 10);
    this.#byte(0);
    this.#ascii(name);
    this.#int16(values.length);
    for (const value of values) this.#int16(value instanceof Buffer ? 1 : 0);
    this.#int16(values.length);
    for (const value of values) this.#value(value);
    this.#room(2);
    this.#int16(0);
    this.#finish(start);
  }

  /** Executes the unnamed portal. */
  execute(): void {
    const start = this.#begin(0x45, 5);
    this.#byte(0);
    this.#int32(0);
    this.#finish(start);
  }

  /** Closes a prepared statement. */
  close(name: string): void {
    const start = this.#begin(0x43, name.length + 2);
    this.#byte(0x53);
    this.#ascii(name);
    this.#finish(start);
  }

  sync(): void {
    this.#finish(this.#begin(0x53, 0));
  }

  /** The collected bytes. @param reusable whether `write` copies them, so that the memory may be reused. */
  flush(write: (bytes: Buffer) => { reusable: boolean }): void {
    const bytes = this.#buffer.subarray(0, this.#end);
    this.#end = 0;
    const { reusable } = write(bytes);
    if (!reusable || this.#buffer.length > LARGEST_KEPT) this.#buffer = Buffer.allocUnsafe(FIRST_SIZE);
  }

  #begin(type: number, room: number): number {
    this.#room(room + 5);
    this.#byte(type);
    const start = this.#end;
    this.#end += 4;
    return start;
  }

  #finish(start: number): void {
    this.#buffer.writeInt32BE(this.#end - start, start);
  }

  #room(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }

  #value(value: Value): void {
    if (value === null) {
      this.#room(4);
      this.#int32(-1);
    } else if (typeof value === "string") {
      // A UTF-16 unit takes at most three bytes; the exact length is computed only where that would waste
      // much.
      this.#room(4 + (value.length < 1024 ? value.length * 3 : Buffer.byteLength(value)));
      const length = this.#buffer.write(value, this.#end + 4, "utf8");
      this.#int32(length);
      this.#end += length;
    } else {
      const bytes = value instanceof Utf8Text ? value.bytes : value;
      this.#room(4 + bytes.length);
      this.#int32(bytes.length);
      this.#end += bytes.copy(this.#buffer, this.#end);
    }
  }

  #ascii(text: string): void {
    this.#end += this.#buffer.write(text, this.#end, "latin1");
    this.#byte(0);
  }

  #byte(value: number): void {
    this.#buffer[this.#end++] = value;
  }

  #int16(value: number): void {
    this.#end = this.#buffer.writeUInt16BE(value, this.#end);
  }

  #int32(value: number): void {
    this.#end = this.#buffer.writeInt32BE(value, this.#end);
  }
}

const HEADER = 5;

/**
 * Splits the stream into messages. A message that spans chunks is assembled in a buffer allocated when its
 * length is known, so that a large one is copied once.
 */
export class MessageReader {
  readonly #take: (type: number, payload: Buffer) => void;
  /** The beginning of a message: less than its header, or a buffer of its full length. */
  #partial: Buffer | undefined;
  #filled = 0;

  /** @param take receives each message; its payload stays valid. */
  constructor(take: (type: number, payload: Buffer) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (this.#partial && at < chunk.length) at = this.#fill(this.#partial, chunk, at);
    while (chunk.length - at >= HEADER) {
      const length = lengthAt(chunk, at);
      if (chunk.length - at < length) break;
      this.#take(chunk[at] ?? 0, chunk.subarray(at + HEADER, at + length));
      at += length;
    }
    if (at === chunk.length) return;
    const left = chunk.length - at;
    this.#partial = Buffer.allocUnsafe(left < HEADER ? HEADER : lengthAt(chunk, at));
    this.#filled = chunk.copy(this.#partial, 0, at);
  }

  /** @returns how much of the chunk was consumed. */
  #fill(partial: Buffer, chunk: Buffer, from: number): number {
    const copied = chunk.copy(partial, this.#filled, from);
    this.#filled += copied;
    if (this.#filled < partial.length) return from + copied;
    const length = lengthAt(partial, 0);
    if (length > partial.length) {
      this.#partial = Buffer.allocUnsafe(length);
      partial.copy(this.#partial);
    } else {
      this.#partial = undefined;
      this.#take(partial[0] ?? 0, partial.subarray(HEADER, length));
    }
    return from + copied;
  }
}

/** Length of the message that begins at `at`, including its type. */
function lengthAt(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at + 1) + 1;
}

/** One row of a result. Decodes on demand: most columns of most rows are never read. */
export class Row {
  readonly #payload: Buffer;

  /** @param payload of a DataRow message. */
  constructor(payload: Buffer) {
    this.#payload = payload;
  }

  /** The value as Postgres's text. Undefined when there is no such column. */
  bytes(column: number): Buffer | null | undefined {
    const payload = this.#payload;
    if (column >= payload.readUInt16BE(0)) return undefined;
    let at = 2;
    for (let skipped = 0; skipped < column; skipped += 1) at += 4 + Math.max(payload.readInt32BE(at), 0);
    const length = payload.readInt32BE(at);
    return length < 0 ? null : payload.subarray(at + 4, at + 4 + length);
  }

  text(column: number): string | null | undefined {
    const bytes = this.bytes(column);
    return bytes ? bytes.toString("utf8") : bytes;
  }
}

/** A Postgres error, with the fields of its ErrorResponse that clients need. */
export class PostgresError extends Error {
  readonly code: string;
  readonly severity: string;
  readonly detail: string | undefined;
  readonly hint: string | undefined;

  constructor(fields: ReadonlyMap<string, string>) {
    super(fields.get("M") ?? "Postgres reported an error without a message.");
    this.code = fields.get("C") ?? "XX000";
    this.severity = fields.get("V") ?? fields.get("S") ?? "ERROR";
    this.detail = fields.get("D");
    this.hint = fields.get("H");
  }

  /** @param payload of an ErrorResponse message. */
  static read(payload: Buffer): PostgresError {
    const fields = new Map<string, string>();
    let at = 0;
    while (at < payload.length && payload[at] !== 0) {
      const end = payload.indexOf(0, at + 1);
      fields.set(String.fromCharCode(payload[at] ?? 0), payload.toString("utf8", at + 1, end));
      at = end + 1;
    }
    return new PostgresError(fields);
  }
}
