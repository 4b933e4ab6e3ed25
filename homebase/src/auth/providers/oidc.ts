/**
 * Owns OpenID Connect as a client: the discovery of a provider's endpoints and keys, and the verification of
 * its ID tokens (https://openid.net/specs/openid-connect-discovery-1_0.html, -core-1_0.html 3.1.3.7).
 */
import { createHash } from "node:crypto";
import { createLocalJWKSet, createRemoteJWKSet, decodeJwt, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { equalSecrets } from "../../core/equal-secrets.ts";
import { answerJson } from "../../http/bounded-answer.ts";
import { tokenPart } from "../../tokens/verify-token.ts";
import { perAuth } from "../kit/auth.ts";
import { type StandInKeys, standInKeys } from "../stand-in/signing-key.ts";

const TIMEOUT_MS = 10_000;
/** Asymmetric algorithms only: ID tokens are never signed with a client secret here. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

const discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string().optional(),
  jwks_uri: z.string(),
});

/** A provider's discovery document. */
export type Discovery = z.output<typeof discovery>;

/** The claims of an ID token after signature, issuer and time were verified; audience and nonce were not. */
export interface IdTokenClaims {
  iss: string;
  sub: string;
  aud: string[];
  nonce: string;
  at_hash: string;
  /** All claims, unchanged. */
  all: Record<string, unknown>;
}

/** The providers of one Backend. Discovery documents are cached. */
export class OidcClient {
  readonly #clock: Clock;
  readonly #standIn: StandInKeys;
  readonly #found = new Map<string, Promise<Discovery>>();
  readonly #keys = new Map<string, JWTVerifyGetKey>();

  constructor(clock: Clock, standIn: StandInKeys) {
    this.#clock = clock;
    this.#standIn = standIn;
  }

  /**
   * The discovery document of an issuer, at the default URL or at `address`.
   * @throws when it cannot be fetched or names another issuer.
   */
  discover(
    issuer: string,
    address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
  ): Promise<Discovery> {
    let found = this.#found.get(issuer);
    if (!found) {
      found = readDiscovery(issuer, address);
      this.#found.set(issuer, found);
      // A failed fetch is not cached, so that the next call retries.
      found.catch(() => this.#found.delete(issuer));
    }
    return found;
  }

  /**
   * Verifies an ID token: signature by a key of its issuer, issuer, time.
   * @param issuer the required issuer; a token of the stand-in is verified without a request.
   * @param document URL of the discovery document, if not the default one.
   * @throws when verification fails.
   */
  async verify(idToken: string, issuer: string, document?: string): Promise<IdTokenClaims> {
    const keys = this.#standIn.isIssuer(issuer)
      ? createLocalJWKSet(await this.#standIn.jwks())
      : await this.#remoteKeys(issuer, document);
    const { payload } = await jwtVerify(idToken, keys, {
      issuer,
      algorithms: ALGORITHMS,
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ["exp", "iat", "aud"],
    });
    return {
      iss: issuer,
      sub: payload.sub ?? "",
      aud: [payload.aud ?? []].flat(),
      nonce: typeof payload.nonce === "string" ? payload.nonce : "",
      at_hash: typeof payload.at_hash === "string" ? payload.at_hash : "",
      all: payload,
    };
  }

  async #remoteKeys(issuer: string, document?: string): Promise<JWTVerifyGetKey> {
    const { jwks_uri: address } = await this.discover(issuer, document);
    let keys = this.#keys.get(address);
    if (!keys) {
      keys = createRemoteJWKSet(new URL(address), { timeoutDuration: TIMEOUT_MS });
      this.#keys.set(address, keys);
    }
    return keys;
  }
}

export const oidcClient = perAuth((auth) => new OidcClient(auth.context.clock, standInKeys(auth)));

async function readDiscovery(issuer: string, address: string): Promise<Discovery> {
  const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${address} answers ${response.status} when asked for its configuration`);
  const document = discovery.parse(await answerJson(response));
  // The document's issuer must equal the requested one (discovery 4.3), except for Azure's templates.
  if (document.issuer.replace(/\/$/, "") !== issuer.replace(/\/$/, "") && !document.issuer.includes("{")) {
    throw new Error(`${issuer} calls itself ${document.issuer}`);
  }
  return document;
}

/** The `iss` claim, unverified; "" when the text is not a token. */
export function claimedIssuer(idToken: string): string {
  try {
    return decodeJwt(idToken).iss ?? "";
  } catch {
    return "";
  }
}

/** Whether an access token was issued together with an ID token (OpenID Connect Core 3.1.3.6). */
export function matchesAccessToken(idToken: string, atHash: string, accessToken: string): boolean {
  const algorithm = String(tokenPart(idToken.split(".")[0] ?? "")?.alg);
  const bits = /\d{3}$/.exec(algorithm)?.[0] ?? "512";
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  return equalSecrets(digest.subarray(0, digest.length / 2).toString("base64url"), atHash);
}
