/**
 * Owns time-based one-time passwords: secrets, codes and the URI that authenticator apps read (RFC 6238 over
 * RFC 4226; https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
 */
import { createHmac, randomBytes } from "node:crypto";
import { equalSecrets } from "../../core/equal-secrets.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the current one that are also accepted, because clocks differ. */
const TOLERANCE = 1;

/** Base32 without padding (RFC 4648). */
export function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = "";
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      text += ALPHABET[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}

/** Decodes base32; characters outside the alphabet are skipped. */
export function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text.toUpperCase()) {
    const index = ALPHABET.indexOf(character);
    if (index < 0) continue;
    value = ((value << 5) | index) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bytes.push((value >>> (bits - 8)) & 255);
      bits -= 8;
    }
  }
  return Buffer.from(bytes);
}

export function createSecret(): string {
  return base32(randomBytes(SECRET_BYTES));
}

/** The code of a secret at a time in milliseconds. */
export function totpCode(secret: string, now: number): string {
  return codeOfStep(fromBase32(secret), Math.floor(now / 1_000 / PERIOD_SECONDS));
}

/** The step that a code belongs to: the current one or an adjacent one; undefined when the code is wrong. */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  const key = fromBase32(secret);
  const step = Math.floor(now / 1_000 / PERIOD_SECONDS);
  let found: number | undefined;
  for (let offset = -TOLERANCE; offset <= TOLERANCE; offset++) {
    if (equalSecrets(codeOfStep(key, step + offset), code.trim())) found = step + offset;
  }
  return found;
}

/** The otpauth URI for an authenticator app's QR code. */
export function totpUri(issuer: string, account: string, secret: string): string {
  const label = encodeURIComponent(`${issuer}:${account}`).replaceAll("%3A", ":").replaceAll("%40", "@");
  const name = encodeURIComponent(issuer);
  return `otpauth://totp/${label}?algorithm=SHA1&digits=${DIGITS}&issuer=${name}&period=${PERIOD_SECONDS}&secret=${secret}`;
}

function codeOfStep(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const start = digest.readUInt8(digest.length - 1) & 15;
  const number = (digest.readUInt32BE(start) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}
