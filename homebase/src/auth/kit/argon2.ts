/** Owns Argon2: Node's own, or, on a Node before 24.7, that of a library, which is slower. */
import { promisify } from "node:util";
import { argon2iAsync, argon2idAsync } from "@noble/hashes/argon2.js";

export interface Argon2Cost {
  /** In KiB. */
  memory: number;
  passes: number;
  parallelism: number;
  /** Of the digest, in bytes. */
  tagLength: number;
}

// Node 22 has no such export, which an import would fail for.
const { argon2: native } = process.getBuiltinModule("node:crypto");
const derive = native && promisify(native);

/** The digest of `message` (RFC 9106). @throws for a salt or length that the algorithm does not allow. */
export async function argon2(
  algorithm: "argon2i" | "argon2id",
  message: string,
  salt: Buffer,
  { memory, passes, parallelism, tagLength }: Argon2Cost,
): Promise<Buffer> {
  if (derive) return derive(algorithm, { message, nonce: salt, memory, passes, parallelism, tagLength });
  const hash = algorithm === "argon2i" ? argon2iAsync : argon2idAsync;
  return Buffer.from(await hash(message, salt, { m: memory, t: passes, p: parallelism, dkLen: tagLength }));
}
