/**
 * Owns the caller of a request: from the Authorization header to a role and its claims (PostgREST documentation,
 * "Authentication").
 */
import type { ServiceRequest } from "../../http/exchange.ts";
import { bearerToken, type Claims, type TokenCheck } from "../../tokens/verify-token.ts";
import { restErrors } from "../errors.ts";
import { parseSecret } from "../jwt-secret.ts";
import type { RestOptions, RestSettings } from "../postgrest-settings.ts";
import { secretVerifier } from "./token-verifier.ts";

export interface Caller {
  role: string;
  /** The value of `request.jwt.claims`. */
  claims: string;
  anonymous: boolean;
}

const SKEW_SECONDS = 30;

/** Serialises claims; cached by object, because one cached token always has the same claims object. */
const texts = new WeakMap<Claims, string>();

/** @throws RestError PGRST300 to 303; ForeignRefused */
export async function identify(
  { authorization, foreign, record }: Pick<ServiceRequest, "authorization" | "foreign" | "record">,
  options: RestOptions,
  settings: RestSettings,
): Promise<Caller> {
  const token = bearerToken(authorization);
  if (token === undefined) return anonymous(settings);
  const verifier = verifierOf(settings, options);
  if (!verifier.checkToken) throw restErrors.noSecret();
  if (token === "") throw restErrors.token("Empty JWT is sent in Authorization header");
  const parts = token.split(".").length;
  if (parts !== 3) throw restErrors.token(`Expected 3 parts in JWT; got ${parts}`);
  let check = verifier.cachedCheck?.(token);
  if (!check) {
    if (!token.split(".").every(isBase64Url)) throw undecodable();
    check = await verifier.checkToken(token);
  }
  if (!check.ok) throw tokenError(check);
  // An expired token is signed as well, so that the record knows whose it was.
  if (record) record.claims = check.claims;
  checkClaims(check.claims, Math.floor(options.clock.now() / 1000), settings);
  const caller = fromClaims(check.claims, settings);
  if (foreign) await options.requireOwnRole?.(foreign, caller.role);
  return caller;
}

type Verifier = Pick<RestOptions, "checkToken" | "cachedCheck">;

const verifiers = new WeakMap<RestSettings, Verifier>();

/** The settings' own secret takes precedence over `RestOptions.checkToken`. */
function verifierOf(settings: RestSettings, options: RestOptions): Verifier {
  if (settings.jwtSecret === undefined) return options;
  let verifier = verifiers.get(settings);
  if (!verifier) {
    const { keys } = parseSecret(settings.jwtSecret, settings.jwtSecretIsBase64);
    verifier = secretVerifier(keys, options.tokenCacheEntries, options.metrics);
    verifiers.set(settings, verifier);
  }
  return verifier;
}

function anonymous({ anonRole }: RestSettings): Caller {
  if (anonRole === undefined) throw restErrors.anonymousDisabled();
  return { role: anonRole, claims: JSON.stringify({ role: anonRole }), anonymous: true };
}

function fromClaims(claims: Claims, settings: RestSettings): Caller {
  const named = settings.roleClaim.read(claims);
  // Null is a value: a token may not name nobody and continue as anonymous.
  if (named === undefined) {
    const { role } = anonymous(settings);
    return { role, claims: JSON.stringify({ ...claims, role }), anonymous: true };
  }
  const role = typeof named === "string" ? named : JSON.stringify(named);
  let text = texts.get(claims);
  if (text === undefined) {
    text = JSON.stringify({ ...claims, role });
    texts.set(claims, text);
  }
  return { role, claims: text, anonymous: role === settings.anonRole };
}

/** Unpadded base64url of a possible length. */
function isBase64Url(part: string): boolean {
  return part.length % 4 !== 1 && /^[A-Za-z0-9_-]*$/.test(part);
}

/** Upstream's library reports every malformed token this way (jose-jwt, Internal/Parser.hs). */
function undecodable() {
  return restErrors.token("JWT cryptographic operation failed");
}

function tokenError(check: Extract<TokenCheck, { ok: false }>) {
  switch (check.failure) {
    case "malformed":
      // The header was readable, so the claims are malformed.
      return check.header ? restErrors.claims("Parsing claims failed") : undecodable();
    case "algorithm":
      if (check.header?.alg !== "none") return undecodable();
      return restErrors.token(
        "Wrong or unsupported encoding algorithm",
        "JWT is unsecured but expected 'alg' was not 'none'",
      );
    case "unknown_key":
      return restErrors.token(
        "No suitable key or wrong key type",
        "No suitable key was found to decode the JWT",
      );
    case "signature":
      return restErrors.token(
        "No suitable key or wrong key type",
        "None of the keys was able to decode the JWT",
      );
  }
}

/**
 * Checks times and audience as PostgREST does. These rules differ from tokens/verify, which follow Auth:
 * clocks may differ by 30 s, `iat` is checked, and the first invalid claim, by its type or its time, decides
 * on the error.
 */
function checkClaims(claims: Claims, now: number, { jwtAudience }: RestSettings): void {
  const exp = numeric(claims, "exp");
  if (exp !== undefined && now - SKEW_SECONDS > exp) throw restErrors.claims("JWT expired");
  const nbf = numeric(claims, "nbf");
  if (nbf !== undefined && now + SKEW_SECONDS < nbf) throw restErrors.claims("JWT not yet valid");
  const iat = numeric(claims, "iat");
  if (iat !== undefined && now + SKEW_SECONDS < iat) throw restErrors.claims("JWT issued at future");
  const { aud } = claims;
  if (aud === undefined || aud === null) return;
  const audiences = typeof aud === "string" ? [aud] : aud;
  if (!Array.isArray(audiences) || !audiences.every((one) => typeof one === "string")) {
    throw restErrors.claims("The JWT 'aud' claim must be a string or an array of strings");
  }
  if (jwtAudience !== undefined && audiences.length > 0 && !audiences.includes(jwtAudience)) {
    throw restErrors.claims("JWT not in audience");
  }
}

function numeric(claims: Claims, name: string): number | undefined {
  const value = claims[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") throw restErrors.claims(`The JWT '${name}' claim must be a number`);
  // Upstream reads a fractional timestamp as 0.
  return Number.isSafeInteger(value) ? value : 0;
}
