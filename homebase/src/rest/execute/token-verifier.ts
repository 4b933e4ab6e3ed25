/**
 * Owns checking a token's signature by the `jwt-secret` setting: a text, a JWK or a set of them
 * (PostgREST documentation, "JWT Authentication"; RFC 7515, RFC 7517).
 */
import { type CryptoKey, compactVerify, importJWK, type JWK } from "jose";
import type { Claims, TokenCheck } from "../../tokens/keys.ts";
import type { Metrics } from "../metrics.ts";

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

/** Checks signatures with the keys of one secret, and remembers the results. */
export class TokenVerifier {
  readonly #keys: readonly JWK[];
  readonly #mostEntries: number;
  readonly #metrics: Metrics | undefined;
  readonly #imported = new Map<string, Promise<CryptoKey | Uint8Array>>();
  readonly #checked = new Map<string, TokenCheck>();

  /** @param mostEntries how many results are kept; 0 keeps none. */
  constructor(keys: readonly JWK[], mostEntries: number, metrics?: Metrics) {
    this.#keys = keys;
    this.#mostEntries = mostEntries;
    this.#metrics = metrics;
  }

  cachedCheck(token: string): TokenCheck | undefined {
    const known = this.#checked.get(token);
    if (this.#metrics && this.#mostEntries > 0) {
      this.#metrics.tokenRequests += 1;
      if (known) this.#metrics.tokenHits += 1;
    }
    return known;
  }

  async checkToken(token: string): Promise<TokenCheck> {
    const result = await this.#check(token);
    if (this.#mostEntries === 0) return result;
    if (this.#checked.size >= this.#mostEntries) {
      const oldest = this.#checked.keys().next().value;
      if (oldest !== undefined) this.#checked.delete(oldest);
      if (this.#metrics) this.#metrics.tokenEvictions += 1;
    }
    this.#checked.set(token, result);
    return result;
  }

  async #check(token: string): Promise<TokenCheck> {
    const header = decodeHeader(token);
    if (!header) return { ok: false, failure: "malformed" };
    const { alg, kid } = header;
    const kind = typeof alg === "string" ? KINDS[alg.slice(0, 2)] : undefined;
    if (typeof alg !== "string" || kind === undefined) return { ok: false, failure: "algorithm", header };
    const fitting = this.#keys.filter(
      (key) =>
        key.kty === kind &&
        (key.alg === undefined || key.alg === alg) &&
        (kid === undefined || key.kid === kid),
    );
    if (fitting.length === 0) return { ok: false, failure: "unknown_key", header };
    for (const key of fitting) {
      try {
        const verified = await compactVerify(token, await this.#import(key, alg), { algorithms: [alg] });
        const claims: unknown = JSON.parse(new TextDecoder().decode(verified.payload));
        if (typeof claims !== "object" || claims === null || Array.isArray(claims)) {
          return { ok: false, failure: "malformed", header };
        }
        return { ok: true, claims: claims as Claims, header: verified.protectedHeader };
      } catch (error) {
        if (error instanceof SyntaxError) return { ok: false, failure: "malformed", header };
        // Otherwise this key did not fit; another one may.
      }
    }
    return { ok: false, failure: "signature", header };
  }

  #import(key: JWK, alg: string): Promise<CryptoKey | Uint8Array> {
    const name = `${this.#keys.indexOf(key)}:${alg}`;
    let imported = this.#imported.get(name);
    if (!imported) {
      const { key_ops: _operations, use: _use, ...rest } = key;
      imported = importJWK(rest, alg);
      this.#imported.set(name, imported);
    }
    return imported;
  }
}

function decodeHeader(token: string): Record<string, unknown> | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString("utf8"));
    return typeof header === "object" && header !== null ? (header as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
