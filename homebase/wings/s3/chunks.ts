/**
 * Owns `aws-chunked`: the framing of a body in chunks, each with a signature where they are signed, and with
 * a trailer after the last (AWS documentation, "Signature Calculations for the Authorization Header:
 * Transferring Payload in Multiple Chunks"). Chunks are passed on before all checks are done, which is safe
 * because the object becomes visible only after its body has ended without error.
 */
import { createHash, type Hash } from "node:crypto";
import { Transform, type TransformCallback } from "node:stream";
import { equalSecrets } from "../../src/core/equal-secrets.ts";
import { StorageError } from "../../src/storage/kit/errors.ts";
import type { BodyChecksums } from "./checksum.ts";
import { mismatch, type Signed } from "./credentials.ts";

const MAX_CHUNK = 8 * 1024 * 1024;
const MAX_LINE = 256;
const MAX_TRAILER = 4096;
const CRLF = "\r\n";
const SIGNATURE = ";chunk-signature=";
const TRAILER_SIGNATURE = "x-amz-trailer-signature";

/** The transfer mode of a streamed body, by `x-amz-content-sha256`. */
const MODES: Record<string, { signed: boolean; trailer: boolean }> = {
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD": { signed: true, trailer: false },
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER": { signed: true, trailer: true },
  "STREAMING-UNSIGNED-PAYLOAD-TRAILER": { signed: false, trailer: true },
};

/** Whether a body is framed. */
export function isChunked(contentSha: string | undefined): contentSha is string {
  return contentSha?.startsWith("STREAMING-") ?? false;
}

export const broken = (message: string) => new StorageError("InvalidRequest", message);

/** Removes and verifies the frames of a body; emits the object's bytes. */
export class ChunkReader extends Transform {
  readonly #signed: Signed;
  readonly #signedChunks: boolean;
  readonly #trailer: boolean;
  readonly #checksums: BodyChecksums;
  /** Length of the object; undefined when the client did not send it. */
  readonly #length: number | undefined;
  #state: "line" | "data" | "end of data" | "trailer" | "over" = "line";
  /** The beginning of a line that spans buffers. */
  #line = "";
  #trailerLines: string[] = [];
  #left = 0;
  #size = 0;
  #previous: string;
  #signature = "";
  #hash: Hash | undefined;

  /** @throws InvalidRequest for an unknown transfer mode. */
  constructor(signed: Signed, checksums: BodyChecksums, length: number | undefined) {
    super();
    const mode = MODES[signed.client.contentSha ?? ""];
    if (!mode) throw broken(`Invalid streaming algorithm: ${signed.client.contentSha}`);
    this.#signed = signed;
    this.#signedChunks = mode.signed;
    this.#trailer = mode.trailer;
    this.#checksums = checksums;
    this.#length = length;
    this.#previous = signed.client.signature;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      let at = 0;
      while (at < chunk.length) {
        if (this.#state === "over") throw broken("Unexpected data after final chunk");
        at = this.#state === "data" ? this.#data(chunk, at) : this.#text(chunk, at);
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      if (this.#state !== "over")
        throw new StorageError("IncompleteBody", "The body ended before its last chunk.");
      if (this.#length !== undefined && this.#size !== this.#length) {
        throw new StorageError(
          "IncompleteBody",
          `The body has ${this.#size} bytes, not the ${this.#length} of x-amz-decoded-content-length.`,
        );
      }
      this.#checksums.check();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  #data(chunk: Buffer, at: number): number {
    const piece = chunk.subarray(at, at + this.#left);
    this.#hash?.update(piece);
    this.#checksums.update(piece);
    this.#size += piece.length;
    this.#left -= piece.length;
    this.push(piece);
    if (this.#left === 0) this.#state = "end of data";
    return at + piece.length;
  }

  /** Collects a line, which may span buffers, and processes it. */
  #text(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(0x0a, at);
    const stop = end < 0 ? chunk.length : end + 1;
    if (this.#line.length + stop - at > MAX_LINE + CRLF.length)
      throw broken(`Header exceeds ${MAX_LINE} bytes`);
    this.#line += chunk.toString("latin1", at, stop);
    if (end < 0) return stop;
    if (!this.#line.endsWith(CRLF)) throw broken("Missing CRLF after chunk data");
    const line = this.#line.slice(0, -CRLF.length);
    this.#line = "";
    if (this.#state === "line") this.#header(line);
    else if (this.#state === "trailer") this.#trailerLine(line);
    else this.#endOfData(line);
    return stop;
  }

  #header(line: string): void {
    const [size = "", signature, ...more] = line.split(SIGNATURE);
    if (!/^[0-9a-f]{1,16}$/i.test(size) || more.length > 0) throw broken("Invalid chunk size");
    if (this.#signedChunks && signature === undefined) throw broken("Missing chunk signature");
    this.#signature = signature ?? "";
    this.#left = Number.parseInt(size, 16);
    if (this.#left > MAX_CHUNK) {
      throw new StorageError("EntityTooLarge", `The chunk exceeded ${MAX_CHUNK} bytes`);
    }
    this.#hash = this.#signedChunks ? createHash("sha256") : undefined;
    if (this.#left > 0) this.#state = "data";
    else {
      this.#checkChunk();
      this.#state = this.#trailer ? "trailer" : "end of data";
      this.#hash = undefined;
    }
  }

  #endOfData(line: string): void {
    if (line !== "") throw broken("Missing CRLF after chunk data");
    // The chunk without data is the last one.
    if (this.#hash === undefined && this.#signedChunks) this.#state = "over";
    else {
      if (this.#hash) this.#checkChunk();
      this.#state = "line";
    }
  }

  #checkChunk(): void {
    const { client, signer } = this.#signed;
    if (!this.#hash) return;
    const signature = signer.chunk(client, this.#previous, this.#hash.digest("hex"));
    if (!equalSecrets(signature, this.#signature.toLowerCase())) throw mismatch();
    this.#previous = signature;
  }

  #trailerLine(line: string): void {
    if (line !== "") {
      this.#trailerLines.push(line);
      if (this.#trailerLines.join(CRLF).length > MAX_TRAILER) throw broken("Trailer too long");
      return;
    }
    const { client, signer } = this.#signed;
    let lines = "";
    let signature: string | undefined;
    for (const one of this.#trailerLines) {
      const mark = one.indexOf(":");
      const [name, value] = [one.slice(0, mark).trim().toLowerCase(), one.slice(mark + 1).trim()];
      if (mark < 1) throw broken("Invalid trailer");
      if (name === TRAILER_SIGNATURE) signature = value;
      else {
        lines += `${name}:${value}\n`;
        this.#checksums.expect(name, value);
      }
    }
    if (this.#signedChunks && !equalSecrets(signer.trailer(client, this.#previous, lines), signature ?? ""))
      throw mismatch();
    this.#state = "over";
  }
}
