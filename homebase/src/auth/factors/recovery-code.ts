/** Owns a recovery code as text: generating, normalising, hashing and comparing. */
import { randomBytes } from "node:crypto";
import { argon2 } from "../kit/argon2.ts";
import { verifyImported } from "../users/imported-hashes.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 16;
const SALT_BYTES = 16;
/** Cost parameters weaker than for passwords: 80 random bits cannot be guessed. */
const COST = { memory: 19_456, passes: 1, parallelism: 1, tagLength: 32 };

/** Sixteen characters with five random bits each. */
export function createRecoveryCode(): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** The canonical form of a code that was typed with spaces, hyphens or capitals. */
export const normalizeRecoveryCode = (typed: string): string => typed.replace(/[\s-]/g, "").toLowerCase();

/** The hash in the PHC string format. */
export async function hashRecoveryCode(code: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const digest = await argon2("argon2id", code, salt, COST);
  const base64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(digest)}`;
}

/** Whether a code matches a hash. */
export const verifyRecoveryHash = (code: string, hash: string): Promise<boolean> =>
  verifyImported(code, hash);
