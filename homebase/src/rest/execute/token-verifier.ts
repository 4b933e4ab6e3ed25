/**
 * Owns the `jwt-secret` setting: a text, a JWK or a set of them, and which of its keys a token is checked with
 * (PostgREST documentation, "JWT Authentication"; RFC 7515, RFC 7517).
 */
import { importJWK, type JWK } from "jose";
import { type KeyChoice, SignatureVerifier, type VerificationKey } from "../../tokens/verify.ts";
import type { Metrics } from "../metrics.ts";
import type { RestOptions } from "../options.ts";

// HS256 with less is guessable; PostgREST refuses to start with it.
const SHORTEST_SECRET_BYTES = 32;

export interface ParsedSecret {
  keys: readonly JWK[];
  /** Why the secret cannot be used, in words that follow the setting's name. */
  problem?: string;
}

/** Reads a secret; a text becomes one key for HS256. */
export function parseSecret(secret: string, isBase64: boolean): ParsedSecret {
  let bytes = Buffer.from(secret, "utf8");
  if (isBase64) {
    // Both alphabets and missing padding are accepted.
    if (!/^[A-Za-z0-9+/_.-]*=*\s*$/.test(secret)) return { keys: [], problem: "is not base64" };
    bytes = Buffer.from(secret.trim().replaceAll(".", "="), "base64url");
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

const KINDS: Record<string, string> = { HS: "oct", RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP" };

/**
 * A verifier of signatures with the keys of one secret. A `kid` must name a key.
 * @param capacity how many results are kept; 0 keeps none.
 */
export function secretVerifier(
  keys: readonly JWK[],
  capacity: number,
  metrics?: Metrics,
): Required<Pick<RestOptions, "checkToken" | "cachedCheck">> {
  const imported = new Map<string, Promise<VerificationKey>>();
  const importKey = (key: JWK, alg: string) => {
    const name = `${keys.indexOf(key)}:${alg}`;
    let result = imported.get(name);
    if (!result) {
      const { key_ops: _operations, use: _use, ...rest } = key;
      result = importJWK(rest, alg);
      imported.set(name, result);
    }
    return result;
  };
  const choose: KeyChoice = ({ alg, kid }) => {
    const kind = typeof alg === "string" ? KINDS[alg.slice(0, 2)] : undefined;
    if (typeof alg !== "string" || kind === undefined) return "algorithm";
    const fitting = keys.filter(
      (key) =>
        key.kty === kind &&
        (key.alg === undefined || key.alg === alg) &&
        (kid === undefined || key.kid === kid),
    );
    return fitting.length === 0 ? "unknown_key" : fitting.map((key) => importKey(key, alg));
  };
  const verifier = new SignatureVerifier(choose, capacity, () => {
    if (metrics) metrics.tokenEvictions += 1;
  });
  return {
    checkToken: (token) => verifier.checkToken(token),
    cachedCheck: (token) => {
      const known = verifier.cachedCheck(token);
      if (metrics && capacity > 0) {
        metrics.tokenRequests += 1;
        if (known) metrics.tokenHits += 1;
      }
      return known;
    },
  };
}
