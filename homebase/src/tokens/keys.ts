/**
 * Owns a Backend's keys: the API keys of both kinds, the signing key of user tokens, and choosing the key to
 * verify a token with. Values and formats: Supabase CLI's local development keys (docs/compat/platform.md
 * 3.1).
 */
import { createPrivateKey, type JsonWebKeyInput, type KeyObject, sign } from "node:crypto";
import { importJWK, type JWK, SignJWT } from "jose";
import { equalSecrets } from "../core/equal-secrets.ts";
import { type ApiKeyRole, legacyKey, mayBeLegacyKey, roleOfLegacyKey } from "./legacy-keys.ts";
import type { OtherIssuerTokens } from "./other-issuer.ts";
import {
  type Claims,
  type SignatureCheck,
  SignatureVerifier,
  type TokenCheck,
  type TokenFailure,
  type VerificationKey,
} from "./verify-token.ts";

export interface KeyMaterial {
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
  /** Private JWKs; the first one that can `sign` signs. */
  signingKeys: JWK[];
  /** Whether HS256 tokens are signed and accepted with `jwtSecret`. */
  legacySecret: boolean;
  /** Whether the signing key signs the legacy API keys. */
  keysBySigningKey?: boolean;
  /** Whether legacy API keys are rejected, as by a hosted project that has disabled them. */
  opaqueKeysOnly?: boolean;
}

/** The local development signing key that the Supabase CLI uses: public, for local use only. */
export const developmentSigningKey: JWK = {
  kty: "EC",
  crv: "P-256",
  alg: "ES256",
  use: "sig",
  key_ops: ["sign", "verify"],
  ext: true,
  kid: "b81269f1-21d8-4f2e-b719-c2240a840d90",
  x: "M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4",
  y: "P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ",
  d: "dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU",
};

const CACHE_ENTRIES = 2_000;
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "k"] as const;

/** A Backend's keys. */
export class Keys {
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly jwtSecret: string;
  /** Legacy JWT of role anon. */
  readonly anonKey: string;
  /** Legacy JWT of role service_role. */
  readonly serviceRoleKey: string;
  /** Public keys, as in `/auth/v1/.well-known/jwks.json`. */
  readonly publicJwks: { keys: JWK[] };

  readonly #material: KeyMaterial;
  readonly #secret: Uint8Array;
  readonly #legacyRoles = new Map<string, ApiKeyRole | undefined>();
  readonly #imported = new Map<string, Promise<VerificationKey>>();
  #signingKey: KeyObject | undefined;
  readonly #verifier = new SignatureVerifier((header) => this.#candidates(header), CACHE_ENTRIES);

  /** The issuer whose tokens are accepted beside one's own, but not by Auth. */
  readonly other: OtherIssuerTokens | undefined;

  constructor(material: KeyMaterial, other?: OtherIssuerTokens) {
    this.#material = material;
    this.other = other;
    this.#secret = new TextEncoder().encode(material.jwtSecret);
    this.publishableKey = material.publishableKey;
    this.secretKey = material.secretKey;
    this.jwtSecret = material.jwtSecret;
    this.anonKey = legacyKey("anon", material);
    this.serviceRoleKey = legacyKey("service_role", material);
    this.publicJwks = { keys: material.signingKeys.filter((key) => key.kty !== "oct").map(publicPart) };
  }

  /** The role of an opaque or legacy API key; undefined when it is not a key of this Backend. */
  roleOfApiKey(key: string): ApiKeyRole | undefined {
    if (equalSecrets(key, this.publishableKey)) return "anon";
    if (equalSecrets(key, this.secretKey)) return "service_role";
    if (this.#material.opaqueKeysOnly) return undefined;
    if (equalSecrets(key, this.anonKey)) return "anon";
    if (equalSecrets(key, this.serviceRoleKey)) return "service_role";
    return mayBeLegacyKey(key) ? this.#legacyRole(key) : undefined;
  }

  /** Whether an API key is opaque, not a JWT. */
  isOpaque(key: string): boolean {
    return equalSecrets(key, this.publishableKey) || equalSecrets(key, this.secretKey);
  }

  #legacyRole(key: string): ApiKeyRole | undefined {
    if (this.#legacyRoles.has(key)) return this.#legacyRoles.get(key);
    const role = roleOfLegacyKey(key, this.#material);
    // Guessed keys must not fill the memory.
    if (this.#legacyRoles.size >= CACHE_ENTRIES) this.#legacyRoles.clear();
    this.#legacyRoles.set(key, role);
    return role;
  }

  /** The JWT for an API key's role. */
  jwtOfRole(role: ApiKeyRole): string {
    return role === "anon" ? this.anonKey : this.serviceRoleKey;
  }

  /**
   * Verifies a token's signature (not its time claims). Results are cached by token. Algorithms: HS256 with
   * the secret, and those of the signing keys; a `kid` must name a key unless the algorithm is HS256
   * (docs/compat/auth.md 4).
   */
  async checkToken(token: string): Promise<TokenCheck> {
    const check = await this.#verifier.checkToken(token);
    if (check.ok || check.failure !== "unknown_key" || !this.other) return check;
    return this.other.checkToken(token);
  }

  /** A cached result of `checkToken`: synchronous, for the hot path. */
  cachedCheck(token: string): TokenCheck | undefined {
    return this.#verifier.cachedCheck(token) ?? this.other?.cachedCheck(token);
  }

  /** Checks that these keys alone have signed. */
  get own(): SignatureCheck {
    return this.#verifier;
  }

  /** Signs claims as a user token with the current signing key. Adds no claims. */
  async sign(claims: Claims): Promise<string> {
    const key = this.#material.signingKeys.find((one) => one.key_ops?.includes("sign") ?? Boolean(one.d));
    if (!key) return this.signWithSecret(claims);
    const header = { alg: key.alg ?? "ES256", typ: "JWT", ...(key.kid ? { kid: key.kid } : {}) };
    if (header.alg === "ES256") return this.#signES256(key, header, claims);
    return new SignJWT(claims).setProtectedHeader(header).sign(await this.#import(key, "private"));
  }

  /** Here and not by jose: Web Crypto's way through the thread pool takes four times as long as the signature. */
  #signES256(key: JWK, header: object, claims: Claims): string {
    this.#signingKey ??= createPrivateKey({ key, format: "jwk" } as JsonWebKeyInput);
    const signed = `${base64url(header)}.${base64url(claims)}`;
    const signature = sign("sha256", Buffer.from(signed), {
      key: this.#signingKey,
      dsaEncoding: "ieee-p1363",
    });
    return `${signed}.${signature.toString("base64url")}`;
  }

  /** Signs claims with the legacy secret (HS256). */
  async signWithSecret(claims: Claims): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(this.#secret);
  }

  #candidates(header: Record<string, unknown>): Promise<VerificationKey>[] | TokenFailure {
    const { alg, kid } = header;
    if (alg === "HS256") {
      const named = this.#material.signingKeys.find((key) => key.kty === "oct" && key.kid === kid);
      if (named) return [this.#import(named, "public")];
      return this.#material.legacySecret ? [Promise.resolve(this.#secret)] : "unknown_key";
    }
    const ofAlgorithm = this.#material.signingKeys.filter((key) => (key.alg ?? "ES256") === alg);
    if (alg !== "ES256" && alg !== "RS256" && ofAlgorithm.length === 0) return "algorithm";
    const fitting = kid === undefined ? ofAlgorithm : ofAlgorithm.filter((key) => key.kid === kid);
    return fitting.length === 0 ? "unknown_key" : fitting.map((key) => this.#import(key, "public"));
  }

  #import(key: JWK, part: "public" | "private"): Promise<VerificationKey> {
    const name = `${part}:${key.kid ?? key.x ?? key.n ?? ""}`;
    let imported = this.#imported.get(name);
    if (!imported) {
      const { key_ops: _operations, ...rest } = part === "public" ? publicPart(key) : key;
      imported = importJWK(key.kty === "oct" ? key : rest, key.alg ?? "ES256");
      this.#imported.set(name, imported);
    }
    return imported;
  }
}

function base64url(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function publicPart(key: JWK): JWK {
  const copy: Record<string, unknown> = { ...key, key_ops: ["verify"] };
  for (const member of PRIVATE_MEMBERS) delete copy[member];
  return copy as JWK;
}
