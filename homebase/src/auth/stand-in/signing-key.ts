/** Owns the stand-in's key for signing ID tokens, created on first use. */

import { createHash, randomUUID } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from "jose";
import type { Clock } from "../../core/clock.ts";
import { perAuth } from "../kit/auth.ts";

const ALGORITHM = "ES256";
const LIFETIME_SECONDS = 3_600;

interface Pair {
  privateKey: CryptoKey;
  jwks: JSONWebKeySet;
  kid: string;
}

/** The stand-in's signing key; one for each Backend. */
export class StandInKeys {
  readonly #clock: Clock;
  readonly #base: string;
  #pair: Promise<Pair> | undefined;

  /** @param externalUrl the public URL of Auth. */
  constructor(clock: Clock, externalUrl: string) {
    this.#clock = clock;
    this.#base = `${externalUrl}/homebase/oauth/`;
  }

  /** The issuer of the stand-in for a provider. */
  issuerOf(provider: string): string {
    return this.#base + encodeURIComponent(provider);
  }

  isIssuer(issuer: string): boolean {
    return issuer.startsWith(this.#base);
  }

  async jwks(): Promise<JSONWebKeySet> {
    return (await this.#keys()).jwks;
  }

  /**
   * Signs an ID token that is valid for an hour.
   * @param claims the claims besides issuer, times and `at_hash`, which is derived from `accessToken`.
   */
  async idToken(provider: string, claims: Record<string, unknown>, accessToken: string): Promise<string> {
    const { privateKey, kid } = await this.#keys();
    const now = Math.floor(this.#clock.now() / 1_000);
    const digest = createHash("sha256").update(accessToken).digest();
    return new SignJWT({
      iss: this.issuerOf(provider),
      ...claims,
      iat: now,
      exp: now + LIFETIME_SECONDS,
      at_hash: digest.subarray(0, digest.length / 2).toString("base64url"),
    })
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" })
      .sign(privateKey);
  }

  #keys(): Promise<Pair> {
    this.#pair ??= makePair();
    return this.#pair;
  }
}

export const standInKeys = perAuth((auth) => new StandInKeys(auth.context.clock, auth.settings.externalUrl));

async function makePair(): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const kid = randomUUID();
  const jwk = { ...(await exportJWK(publicKey)), kid, use: "sig", alg: ALGORITHM };
  return { privateKey, kid, jwks: { keys: [jwk] } };
}
