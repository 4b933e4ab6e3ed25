/**
 * Owns choosing the key of the `jwt-secret` setting for a token (PostgREST documentation, "JWT
 * Authentication"; RFC 7515, RFC 7517).
 */
import { importJWK, type JWK } from "jose";
import { type KeyChoice, SignatureVerifier, type VerificationKey } from "../../tokens/verify-token.ts";
import type { Metrics } from "../metrics.ts";
import type { RestOptions } from "../postgrest-settings.ts";

const KINDS: Record<string, string> = { HS: "oct", RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP" };

/**
 * Verifies signatures with the keys of one secret. A `kid` must name a key. @param capacity number of cached
 * results; 0 disables the cache.
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
