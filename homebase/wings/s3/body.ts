/** Owns decoding a signed request's body: frames removed, hashes and checksums verified. */
import { createHash, type Hash } from "node:crypto";
import { type Readable, Transform, type TransformCallback } from "node:stream";
import { type XmlElement, XmlError } from "../../src/core/xml.ts";
import { BodyTooLarge, readBody } from "../../src/http/exchange.ts";
import { requestAborted, StorageError } from "../../src/storage/kit/errors.ts";
import { header, type S3Call } from "./call.ts";
import { BodyChecksums } from "./checksum.ts";
import { ChunkReader, isChunked } from "./chunks.ts";
import { sha256 } from "./signature.ts";
import { readXml } from "./xml.ts";

const MAX_XML = 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/** A body being received. */
export interface Payload {
  body: Readable;
  /** Length of the object; undefined when the client did not send it. */
  length: number | undefined;
}

/** The body as the object's bytes. The stream fails at its end when signature or checksum does not match. */
export function openPayload(call: S3Call): Payload {
  const { request, signed } = call;
  const contentSha = header(call, "x-amz-content-sha256");
  const trailers = (header(call, "x-amz-trailer") ?? "").split(",").map((name) => name.trim().toLowerCase());
  const checksums = new BodyChecksums(request.headers, trailers);
  if (isChunked(contentSha)) {
    const length = bytes(header(call, "x-amz-decoded-content-length"));
    const client = { ...signed.client, contentSha };
    return { body: attach(request.body, new ChunkReader({ ...signed, client }, checksums, length)), length };
  }
  const length = bytes(header(call, "content-length"));
  const hash = contentSha !== undefined && HASH.test(contentSha) ? contentSha : undefined;
  if (hash === undefined && !checksums.wanted) return { body: request.body, length };
  return { body: attach(request.body, new CheckedBody(hash, checksums)), length };
}

function bytes(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Pipes a body through; a disconnect of the client destroys the whole pipeline. */
function attach(from: Readable, to: Transform): Readable {
  // The reader handles an error; until it is attached, the error must not crash the process.
  to.on("error", () => {});
  from.once("close", () => {
    if (!from.readableEnded) to.destroy(requestAborted());
  });
  return from.pipe(to);
}

class CheckedBody extends Transform {
  readonly #expected: string | undefined;
  readonly #hash: Hash | undefined;
  readonly #checksums: BodyChecksums;

  constructor(expected: string | undefined, checksums: BodyChecksums) {
    super();
    this.#expected = expected;
    this.#hash = expected === undefined ? undefined : createHash("sha256");
    this.#checksums = checksums;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash?.update(chunk);
    this.#checksums.update(chunk);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    try {
      if (this.#hash && this.#hash.digest("hex") !== this.#expected) throw hashMismatch();
      this.#checksums.check();
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}

const hashMismatch = () =>
  new StorageError(
    "XAmzContentSHA256Mismatch",
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  );

/**
 * Parses the document in the body; undefined when it is empty.
 * @throws EntityTooLarge, MalformedXML, BadDigest, XAmzContentSHA256Mismatch
 */
export async function readDocument(call: S3Call): Promise<XmlElement | undefined> {
  let content: Buffer;
  try {
    content = await readBody(call.request, MAX_XML);
  } catch (error) {
    throw error instanceof BodyTooLarge
      ? new StorageError("EntityTooLarge", "Request body is too large", { status: 413 })
      : requestAborted();
  }
  const text = content.toString("utf8");
  const contentSha = header(call, "x-amz-content-sha256");
  if (contentSha !== undefined && HASH.test(contentSha) && sha256(text) !== contentSha) throw hashMismatch();
  const checksums = new BodyChecksums(call.request.headers);
  checksums.update(content);
  checksums.check();
  if (text.trim() === "") return undefined;
  try {
    return readXml(text);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new StorageError("MalformedXML", `The XML you provided was not well-formed. ${error.message}`);
  }
}
