/**
 * Owns passwords: their strength, their hashes (bcrypt, off the main thread) and random passwords for users
 * without one (docs/compat/auth.md 3 and 5).
 */
import { randomBytes } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { AuthError, validationFailed } from "../kit/errors.ts";
import { isImportedHash, verifyImported } from "./imported-hashes.ts";

const COST = 10;
/** bcrypt ignores further bytes. */
const MAX_BYTES = 72;
/** Each step doubles the time: 15 takes some seconds, 31 days. */
const MAX_COST = 15;
const MIN_LENGTH = 6;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const SYMBOLS = "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~";

const REQUIREMENTS: Record<Config["auth"]["password_requirements"], string[]> = {
  "": [],
  letters_digits: [LETTERS + LETTERS.toUpperCase(), DIGITS],
  lower_upper_letters_digits: [LETTERS, LETTERS.toUpperCase(), DIGITS],
  lower_upper_letters_digits_symbols: [LETTERS, LETTERS.toUpperCase(), DIGITS, SYMBOLS],
};

/** Why a password is too weak. */
export interface Weakness {
  message: string;
  reasons: string[];
}

/** The unmet strength requirements, if any. */
export function weakness(config: Config["auth"], password: string): Weakness | undefined {
  const minimum = Math.max(config.minimum_password_length, MIN_LENGTH);
  const messages: string[] = [];
  const reasons: string[] = [];
  if ([...password].length < minimum) {
    messages.push(`Password should be at least ${minimum} characters.`);
    reasons.push("length");
  }
  const groups = REQUIREMENTS[config.password_requirements];
  if (groups.some((group) => ![...group].some((character) => password.includes(character)))) {
    messages.push(`Password should contain at least one character of each: ${groups.join(", ")}.`);
    reasons.push("characters");
  }
  return reasons.length === 0 ? undefined : { message: messages.join(" "), reasons };
}

/** @throws AuthError weak_password, or validation_failed for input that bcrypt cannot hash. */
export function checkStrength(config: Config["auth"], password: string): void {
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw validationFailed(`Password cannot be longer than ${MAX_BYTES} characters`);
  }
  const found = weakness(config, password);
  if (found) {
    throw new AuthError(422, "weak_password", found.message, { weak_password: { reasons: found.reasons } });
  }
}

/** A bcrypt hash, `$2a$10$…`. @throws AuthError validation_failed for more than 72 bytes. */
export async function hashPassword(password: string): Promise<string> {
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw validationFailed("bcrypt: password length exceeds 72 bytes");
  }
  const { hash } = await import("@node-rs/bcrypt");
  // GoTrue writes 2a. For passwords of at most 72 bytes 2a and 2b are the same function.
  return (await hash(password, COST)).replace(/^\$2b\$/, "$$2a$$");
}

/** Whether a password matches a stored hash: bcrypt, or an imported one. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  if (!/^\$2[aby]\$/.test(stored)) return verifyImported(password, stored);
  if (!isAffordable(stored)) return false;
  if (Buffer.byteLength(password) > MAX_BYTES) return false;
  const { verify } = await import("@node-rs/bcrypt");
  return verify(password, stored).catch(() => false);
}

/**
 * Takes as long as `verifyPassword` and always returns false: the response time must not reveal whether an
 * account exists.
 */
export async function verifyDecoyPassword(password: string): Promise<false> {
  nobody ??= hashPassword(randomPassword());
  await verifyPassword(password, await nobody);
  return false;
}

let nobody: Promise<string> | undefined;

/** Whether an administrator may store `hash` unchanged. */
export function isPasswordHash(hash: string): boolean {
  return (/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash) && isAffordable(hash)) || isImportedHash(hash);
}

/** Whether a bcrypt hash has a cost that a server can pay for every guess. */
function isAffordable(hash: string): boolean {
  return Number(/^\$2[aby]\$(\d\d)\$/.exec(hash)?.[1] ?? Number.NaN) <= MAX_COST;
}

/** A random password that is never shown. */
export function randomPassword(): string {
  return randomBytes(33).toString("base64url");
}
