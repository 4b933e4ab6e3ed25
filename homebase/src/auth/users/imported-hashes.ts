/**
 * Owns passwords hashed by another system and imported with `password_hash`: Argon2 in PHC format, and
 * Firebase's scrypt (docs/compat/auth.md 3). Both run in Node's thread pool.
 */
import { createCipheriv, scrypt, timingSafeEqual } from "node:crypto";
import { argon2 } from "../kit/argon2.ts";

/** `$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>`, base64 without padding (the PHC string format). */
const ARGON2 = /^\$(argon2i|argon2id)\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** `$fbscrypt$v=1,n=14,r=8,p=1,ss=<salt separator>,sk=<signer key>$<salt>$<hash>`, base64. */
const FIREBASE =
  /^\$fbscrypt\$v=1,n=(\d+),r=(\d+),p=(\d+)(?:,ss=([A-Za-z0-9+/=]+))?(?:,sk=([A-Za-z0-9+/=]+))?\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;
/**
 * Limits of what one verification may cost: anybody may try a password, and a hash that takes minutes would keep a
 * thread of the pool, or the machine's memory, for as long.
 */
const MAX_MEMORY_KIB = 262_144;
const MAX_ARGON2_WORK_KIB = 2_097_152;
const MAX_LANES = 16;
const FIREBASE_KEY_BYTES = 32;
const MAX_FIREBASE_COST = 20;
const MAX_FIREBASE_BYTES = MAX_MEMORY_KIB * 1_024;

/** Whether `verifyImported` supports the hash's format. */
export function isImportedHash(hash: string): boolean {
  const argon = ARGON2.exec(hash);
  if (argon) {
    const [memory = 0, passes = 0, lanes = 0] = argon.slice(2, 5).map(Number);
    const affordable =
      memory <= MAX_MEMORY_KIB && Math.max(memory, 8 * lanes) * passes <= MAX_ARGON2_WORK_KIB;
    return affordable && passes > 0 && lanes > 0 && lanes <= MAX_LANES;
  }
  const firebase = FIREBASE.exec(hash);
  if (!firebase) return false;
  const [cost = 0, blockSize = 0, parallelism = 0] = firebase.slice(1, 4).map(Number);
  const bytes = 128 * 2 ** cost * blockSize * parallelism;
  return cost > 0 && cost <= MAX_FIREBASE_COST && bytes > 0 && bytes <= MAX_FIREBASE_BYTES;
}

/** Whether a password matches; also false for an unsupported format. */
export async function verifyImported(password: string, hash: string): Promise<boolean> {
  if (!isImportedHash(hash)) return false;
  const verified = hash.startsWith("$argon2") ? verifyArgon2(password, hash) : verifyFirebase(password, hash);
  // A salt or a tag that is too short for the algorithm.
  return verified.catch(() => false);
}

async function verifyArgon2(password: string, stored: string): Promise<boolean> {
  const [, algorithm = "argon2id", memory, passes, parallelism, salt = "", hash = ""] =
    ARGON2.exec(stored) ?? [];
  const expected = Buffer.from(hash, "base64");
  const actual = await argon2(algorithm as "argon2i" | "argon2id", password, Buffer.from(salt, "base64"), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

/** Firebase encrypts the project's signer key with a key that scrypt derives from the password. */
async function verifyFirebase(password: string, stored: string): Promise<boolean> {
  const [, cost, blockSize, parallelism, separator = "", signer = "", salt = "", hash = ""] =
    FIREBASE.exec(stored) ?? [];
  const N = 2 ** Number(cost);
  const r = Number(blockSize);
  const p = Number(parallelism);
  const salted = Buffer.concat([Buffer.from(salt, "base64"), Buffer.from(separator, "base64")]);
  const key = await new Promise<Buffer>((resolve, reject) => {
    const options = { N, r, p, maxmem: 256 * N * r };
    scrypt(password, salted, FIREBASE_KEY_BYTES, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
  const actual = createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(Buffer.from(signer, "base64"));
  const expected = Buffer.from(hash, "base64");
  return actual.length > 0 && actual.length === expected.length && timingSafeEqual(actual, expected);
}
