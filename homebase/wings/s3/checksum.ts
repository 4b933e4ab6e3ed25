/**
 * Owns the checksums that clients send with a body: which algorithm, and whether it matches (AWS
 * documentation, "Checking object integrity"). Node computes CRC-32 and the hashes; the other two CRCs use
 * tables.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { StorageError } from "../../src/storage/kit/errors.ts";

/** An incremental checksum. */
interface Digest {
  update(bytes: Buffer): void;
  /** In base64, as in headers. */
  digest(): string;
}

const MAKERS: Record<string, () => Digest> = {
  "x-amz-checksum-crc32": () => new Crc32((bytes, value) => crc32(bytes, value)),
  "x-amz-checksum-crc32c": crc32c,
  "x-amz-checksum-crc64nvme": () => new Crc64(),
  "x-amz-checksum-sha1": () => hash("sha1"),
  "x-amz-checksum-sha256": () => hash("sha256"),
  "content-md5": () => hash("md5"),
};

/** Verifies a body's checksum from a header or the trailer. */
export class BodyChecksums {
  readonly #digests = new Map<string, Digest>();
  readonly #expected = new Map<string, string>();

  /** @param headers of the request. @param trailers names that the trailer will contain. */
  constructor(headers: Record<string, string | string[] | undefined>, trailers: readonly string[] = []) {
    for (const [name, make] of Object.entries(MAKERS)) {
      const value = headers[name];
      if (typeof value === "string") this.#expected.set(name, value);
      if (typeof value === "string" || trailers.includes(name)) this.#digests.set(name, make());
    }
  }

  /** Whether there is anything to check. */
  get wanted(): boolean {
    return this.#digests.size > 0;
  }

  update(bytes: Buffer): void {
    for (const digest of this.#digests.values()) digest.update(bytes);
  }

  /** Sets the trailer's value. */
  expect(name: string, value: string): void {
    if (this.#digests.has(name)) this.#expected.set(name, value);
  }

  /** @throws BadDigest */
  check(): void {
    for (const [name, digest] of this.#digests) {
      const expected = this.#expected.get(name);
      if (expected !== undefined && expected !== digest.digest()) throw badDigest(name);
    }
  }
}

function badDigest(name: string): StorageError {
  const what = name === "content-md5" ? "Content-MD5" : name.slice("x-amz-checksum-".length).toUpperCase();
  return new StorageError("BadDigest", `The ${what} you specified did not match the calculated checksum.`);
}

function hash(algorithm: string): Digest {
  const state = createHash(algorithm);
  return { update: (bytes) => void state.update(bytes), digest: () => state.digest("base64") };
}

class Crc32 implements Digest {
  #value = 0;
  readonly #add: (bytes: Buffer, value: number) => number;

  constructor(add: (bytes: Buffer, value: number) => number) {
    this.#add = add;
  }

  update(bytes: Buffer): void {
    this.#value = this.#add(bytes, this.#value);
  }

  digest(): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#value >>> 0);
    return bytes.toString("base64");
  }
}

/** Castagnoli's polynomial, bits reversed. */
const CASTAGNOLI = 0x82f63b78;
let castagnoli: Uint32Array | undefined;

function crc32c(): Digest {
  castagnoli ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ CASTAGNOLI : value >>> 1;
    return value >>> 0;
  });
  const table = castagnoli;
  return new Crc32((bytes, before) => {
    let value = ~before;
    for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0);
    return ~value;
  });
}

/** The polynomial of NVMe, bits reversed. */
const NVME = 0x9a6c9329ac4bc9b5n;
let nvme: { low: Uint32Array; high: Uint32Array } | undefined;

/** CRC-64/NVME in two halves of 32 bits: a BigInt would allocate an object for each byte. */
class Crc64 implements Digest {
  #low = 0xffffffff;
  #high = 0xffffffff;

  update(bytes: Buffer): void {
    const { low: lows, high: highs } = nvmeTables();
    let low = this.#low;
    let high = this.#high;
    for (const byte of bytes) {
      const index = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (lows[index] ?? 0);
      high = (high >>> 8) ^ (highs[index] ?? 0);
    }
    this.#low = low;
    this.#high = high;
  }

  digest(): string {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0, 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return bytes.toString("base64");
  }
}

function nvmeTables(): { low: Uint32Array; high: Uint32Array } {
  if (nvme) return nvme;
  const low = new Uint32Array(256);
  const high = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) value = value & 1n ? (value >> 1n) ^ NVME : value >> 1n;
    low[byte] = Number(value & 0xffffffffn);
    high[byte] = Number(value >> 32n);
  }
  nvme = { low, high };
  return nvme;
}
