/**
 * Owns the reading of the `jwt-secret` setting: a text, a JWK or a set of them (PostgREST documentation,
 * "JWT Authentication"; RFC 7517).
 */
import type { JWK } from "jose";

// HS256 with less is guessable; PostgREST refuses to start with it.
const SHORTEST_SECRET_BYTES = 32;

export interface ParsedSecret {
  keys: readonly JWK[];
  /** Why the secret cannot be used, in words that follow the setting's name. */
  problem?: string;
}

/** Reads a secret; a text becomes one key for HS256. */
export function parseSecret(secret: string | Buffer, isBase64: boolean): ParsedSecret {
  let bytes = typeof secret === "string" ? Buffer.from(secret, "utf8") : secret;
  if (isBase64) {
    const text = bytes.toString("utf8");
    // Both alphabets and missing padding are accepted.
    if (!/^[A-Za-z0-9+/_.-]*=*\s*$/.test(text)) return { keys: [], problem: "is not base64" };
    bytes = Buffer.from(text.trim().replaceAll(".", "="), "base64url");
  }
  const found = jwks(bytes.toString("utf8"));
  if (found) return { keys: found };
  if (bytes.length < SHORTEST_SECRET_BYTES) {
    return { keys: [], problem: `must be at least ${SHORTEST_SECRET_BYTES} characters long` };
  }
  return { keys: [{ kty: "oct", alg: "HS256", k: bytes.toString("base64url") }] };
}

function jwks(text: string): JWK[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if ("keys" in value && Array.isArray(value.keys)) return value.keys as JWK[];
  return "kty" in value ? [value as JWK] : undefined;
}
