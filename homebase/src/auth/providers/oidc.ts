/**
 * Owns OpenID Connect towards providers: where a provider's endpoints and keys are, and whether an ID token
 * is one of its (https://openid.net/specs/openid-connect-discovery-1_0.html, -core-1_0.html 3.1.3.7).
 */
import { createHash } from "node:crypto";
import { createLocalJWKSet, createRemoteJWKSet, decodeJwt, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { Clock } from "../../core/clock.ts";
import { answerJson } from "../../http/bounded-answer.ts";
import { equalSecrets } from "../mail/one-time-tokens.ts";
import type { StandInKeys } from "../stand-in/signing-key.ts";

const TIMEOUT_MS = 10_000;
/** Asymmetric only: a client secret signs nothing here. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

const discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string().optional(),
  jwks_uri: z.string(),
});

/** What a provider says of itself. */
export type Discovery = z.output<typeof discovery>;

/** The claims of an ID token whose signature, issuer and time were checked; audience and nonce were not. */
export interface IdTokenClaims {
  iss: string;
  sub: string;
  aud: string[];
  nonce: string;
  at_hash: string;
  /** All of them, as they stand in the token. */
  all: Record<string, unknown>;
}

/** The providers that one Backend talks to. What they say of themselves is asked for once. */
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
   * The discovery document of an issuer, at its usual address or at `address`.
   * @throws when it cannot be had or names another issuer.
   */
  discover(
    issuer: string,
    address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
  ): Promise<Discovery> {
    let found = this.#found.get(issuer);
    if (!found) {
      found = readDiscovery(issuer, address);
      this.#found.set(issuer, found);
      // A provider that was out of reach is asked again.
      found.catch(() => this.#found.delete(issuer));
    }
    return found;
  }

  /**
   * Checks an ID token: signature by a key of its issuer, issuer, time.
   * @param issuer whose token it must be; one of the stand-in's is checked without a request.
   * @param document where its discovery document is, when not at the usual address.
   * @throws when it is none.
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

async function readDiscovery(issuer: string, address: string): Promise<Discovery> {
  const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${address} answers ${response.status} when asked for its configuration`);
  const document = discovery.parse(await answerJson(response));
  // The issuer that was asked has to be the one that answers (discovery 4.3), but for Azure's templates.
  if (document.issuer.replace(/\/$/, "") !== issuer.replace(/\/$/, "") && !document.issuer.includes("{")) {
    throw new Error(`${issuer} calls itself ${document.issuer}`);
  }
  return document;
}

/** The issuer that a token claims to come from, unchecked; "" when it is no token. */
export function claimedIssuer(idToken: string): string {
  try {
    return decodeJwt(idToken).iss ?? "";
  } catch {
    return "";
  }
}

/** Whether an access token is the one that an ID token was issued with (OpenID Connect Core 3.1.3.6). */
export function matchesAccessToken(idToken: string, atHash: string, accessToken: string): boolean {
  const header: unknown = JSON.parse(Buffer.from(idToken.split(".")[0] ?? "", "base64url").toString("utf8"));
  const algorithm = String((header as { alg?: unknown }).alg);
  const bits = /\d{3}$/.exec(algorithm)?.[0] ?? "512";
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  return equalSecrets(digest.subarray(0, digest.length / 2).toString("base64url"), atHash);
}
