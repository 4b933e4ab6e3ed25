/**
 * Runs inside a function's own Deno process: an open file of a mounted bucket, with the interface of Deno's `FsFile`.
 * The content is in memory, as S3 replaces objects as a whole; it is stored when the file is synced or closed.
 */

export interface S3FileOptions {
  content: Uint8Array<ArrayBuffer>;
  /** Whether writes go to the end. */
  append: boolean;
  readable: boolean;
  /** Deno's `FileInfo`, whose size is replaced by the present one. */
  info(): object;
  /** Stores the content; undefined for a file that was not opened for writing. */
  upload: ((content: Uint8Array<ArrayBuffer>) => Promise<void>) | undefined;
  /** Whether the content must be stored although nothing is written: a new or truncated file. */
  changed: boolean;
}

const SEEK_CURRENT = 1;
const SEEK_END = 2;

/** An open file. */
export class S3File {
  readonly #options: S3FileOptions;
  #content: Uint8Array<ArrayBuffer>;
  #position = 0;
  #changed: boolean;
  #closed = false;
  #stored: Promise<void> = Promise.resolve();

  constructor(options: S3FileOptions) {
    this.#options = options;
    this.#content = options.content;
    this.#changed = options.changed;
  }

  /** Reads into a buffer. @returns the number of bytes; null at the end. */
  async read(buffer: Uint8Array): Promise<number | null> {
    this.#use();
    if (!this.#options.readable) throw new Error("Bad file descriptor (os error 9)");
    if (this.#position >= this.#content.length) return null;
    const part = this.#content.subarray(this.#position, this.#position + buffer.length);
    buffer.set(part);
    this.#position += part.length;
    return part.length;
  }

  async write(data: Uint8Array): Promise<number> {
    this.#use();
    if (!this.#options.upload) throw new Error("Bad file descriptor (os error 9)");
    if (this.#options.append) this.#position = this.#content.length;
    const end = this.#position + data.length;
    if (end > this.#content.length) this.#resize(end);
    this.#content.set(data, this.#position);
    this.#position = end;
    this.#changed = true;
    return data.length;
  }

  async seek(offset: number | bigint, whence: number): Promise<number> {
    this.#use();
    const base = whence === SEEK_CURRENT ? this.#position : whence === SEEK_END ? this.#content.length : 0;
    const position = base + Number(offset);
    if (position < 0) throw new TypeError("Invalid seek");
    this.#position = position;
    return position;
  }

  async truncate(length = 0): Promise<void> {
    this.#use();
    this.#resize(length);
    this.#changed = true;
  }

  async stat(): Promise<object> {
    return { ...this.#options.info(), size: this.#content.length };
  }

  /** Stores what was written. */
  async sync(): Promise<void> {
    this.#store();
    await this.#stored;
  }

  syncData(): Promise<void> {
    return this.sync();
  }

  /** Begins to store what was written; later calls for the path wait for it, and so does the worker's end. */
  close(): void {
    this.#use();
    this.#store();
    this.#closed = true;
  }

  [Symbol.dispose](): void {
    if (!this.#closed) this.close();
  }

  /** Closes the file when it is read to its end. */
  get readable(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      pull: async (controller) => {
        const buffer = new Uint8Array(65_536);
        const count = await this.read(buffer);
        if (count !== null) return controller.enqueue(buffer.subarray(0, count));
        this[Symbol.dispose]();
        controller.close();
      },
      cancel: () => this[Symbol.dispose](),
    });
  }

  /** Stores and closes the file when it is closed. */
  get writable(): WritableStream<Uint8Array> {
    return new WritableStream({
      write: async (chunk) => void (await this.write(chunk)),
      close: async () => {
        await this.sync();
        this.close();
      },
      abort: () => this[Symbol.dispose](),
    });
  }

  #use(): void {
    if (this.#closed) throw new Error("Bad resource ID");
  }

  #resize(length: number): void {
    const resized = new Uint8Array(length);
    resized.set(this.#content.subarray(0, length));
    this.#content = resized;
  }

  #store(): void {
    if (!this.#changed || !this.#options.upload) return;
    this.#changed = false;
    this.#stored = this.#options.upload(this.#content.slice());
    // Awaited by `sync`; for `close` the upload itself reports a failure.
    this.#stored.catch(() => {});
  }
}
