/** Owns UUIDs of version 1 (RFC 9562, 5.1): the default presence keys. */
import { randomBytes } from "node:crypto";

/** Hundreds of nanoseconds from the Gregorian calendar's first day to the Unix epoch. */
const GREGORIAN_OFFSET = 122_192_928_000_000_000n;
const node = randomBytes(6);
// A random node id has its multicast bit set.
node[0] = (node[0] ?? 0) | 1;
let last = 0n;

/** A new UUID, unique within the process. */
export function timeUuid(): string {
  const now = BigInt(Date.now()) * 10_000n + GREGORIAN_OFFSET;
  last = now > last ? now : last + 1n;
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(Number(last & 0xffff_ffffn), 0);
  bytes.writeUInt16BE(Number((last >> 32n) & 0xffffn), 4);
  bytes.writeUInt16BE(Number((last >> 48n) & 0x0fffn) | 0x1000, 6);
  bytes.writeUInt16BE((randomBytes(2).readUInt16BE(0) & 0x3fff) | 0x8000, 8);
  node.copy(bytes, 10);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
