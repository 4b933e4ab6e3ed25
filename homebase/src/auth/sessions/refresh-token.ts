/**
 * Owns the two formats of a refresh token: twelve random characters stored in a row, and a signed text with
 * its session and a counter (supabase/auth, internal/crypto/refresh_tokens.go).
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const LENGTH = 12;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
/** Upstream looks up any token of this format, including characters that it never issues. */
const ROW_TOKEN = /^[a-z0-9]{12}$/;
const KEY_BYTES = 32;
const VERSION = 0;
const SESSION_BYTES = 16;
const SIGNATURE_BYTES = 16;
const CHECKSUM_BYTES = 4;
const SHORTEST_BYTES = 1 + SESSION_BYTES + 1 + SIGNATURE_BYTES + CHECKSUM_BYTES;

/** A refresh token that contains its session and counter. */
export interface CountedToken {
  sessionId: string;
  counter: bigint;
  signature: Buffer;
  /** The signed bytes. */
  signed: Buffer;
}

/** A new token for auth.refresh_tokens. */
export function createRefreshToken(): string {
  return [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte & 31]).join("");
}

/** Whether a text has the format of a token in auth.refresh_tokens. */
export function isRowToken(token: string): boolean {
  return ROW_TOKEN.test(token);
}

/** A session's key for counted tokens, in the format of auth.sessions.refresh_token_hmac_key. */
export function createTokenKey(): string {
  return randomBytes(KEY_BYTES).toString("base64url");
}

/** The counted token of a session. @param key from `createTokenKey` */
export function encodeCountedToken(sessionId: string, counter: bigint, key: string): string {
  const id = Buffer.from(sessionId.replaceAll("-", ""), "hex");
  const signed = Buffer.concat([Buffer.of(VERSION), id, encodeVarint(counter)]);
  const content = Buffer.concat([signed, sign(signed, key)]);
  return Buffer.concat([content, checksum(content)]).toString("base64url");
}

/** Parses a counted token; undefined when malformed. `isSignedBy` verifies the signature. */
export function parseCountedToken(token: string): CountedToken | undefined {
  if (!/^[\w-]+$/.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length < SHORTEST_BYTES || bytes[0] !== VERSION) return undefined;
  const content = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!timingSafeEqual(checksum(content), bytes.subarray(-CHECKSUM_BYTES))) return undefined;
  const counter = decodeVarint(content.subarray(1 + SESSION_BYTES, -SIGNATURE_BYTES));
  if (counter === undefined) return undefined;
  const hex = content.subarray(1, 1 + SESSION_BYTES).toString("hex");
  return {
    sessionId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
    counter,
    signature: content.subarray(-SIGNATURE_BYTES),
    signed: content.subarray(0, -SIGNATURE_BYTES),
  };
}

/** Whether a token was signed with a session's key. */
export function isSignedBy(token: CountedToken, key: string): boolean {
  return timingSafeEqual(sign(token.signed, key), token.signature);
}

function sign(bytes: Buffer, key: string): Buffer {
  const digest = createHmac("sha256", Buffer.from(key, "base64url")).update(bytes).digest();
  return digest.subarray(0, SIGNATURE_BYTES);
}

function checksum(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest().subarray(0, CHECKSUM_BYTES);
}

/** Encodes seven bits a byte, lowest first (https://protobuf.dev/programming-guides/encoding/#varints). */
function encodeVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

/** Decodes a varint of exactly these bytes; undefined when malformed, or too large for a bigint column. */
function decodeVarint(bytes: Buffer): bigint | undefined {
  const last = bytes.at(-1);
  if (last === undefined || last > 127 || bytes.subarray(0, -1).some((byte) => byte < 128)) return undefined;
  const value = bytes.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 127), 0n);
  return value < 1n << 63n ? value : undefined;
}
