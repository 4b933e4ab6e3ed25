/**
 * Owns parsing the `jwt-secret` setting: a text, a JWK or a JWK set (PostgREST documentation, "JWT
 * Authentication"; RFC 7517).
 */
import type { JWK } from "jose";

// Shorter HS256 secrets can be guessed; PostgREST refuses to start with them.
const SHORTEST_SECRET_BYTES = 32;

export interface ParsedSecret {
  keys: readonly JWK[];
  /** The reason why the secret is unusable; the setting's name precedes it. */
  problem?: string;
}

/** Parses a secret; a text becomes one HS256 key. */
export function parseSecret(secret: string | Buffer, isBase64: boolean): ParsedSecret {
  let bytes = typeof secret === "string" ? Buffer.from(secret, "utf8") : secret;
  if (isBase64) {
    const text = bytes.toString("utf8");
    // Both base64 alphabets are accepted, with or without padding.
    if (!/^[A-Za-z0-9+/_.-]*=*$/.test(text.trim())) return { keys: [], problem: "is not base64" };
    bytes = Buffer.from(text.trim().replaceAll(".", "="), "base64url");
  }
  const found = jwks(bytes.toString("utf8"));
  if (found) return { keys: found };
  if (bytes.length < SHORTEST_SECRET_BYTES) {
    return {
      keys: [],
      problem: `is too short: The JWT secret must be at least ${SHORTEST_SECRET_BYTES} characters long`,
    };
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
