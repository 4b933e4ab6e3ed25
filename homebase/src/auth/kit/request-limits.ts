/**
 * Owns rate limits by IP address: a token bucket for each kind of request, with a burst size and a steady
 * refill, on the Backend's clock (docs/compat/auth.md 5, "Rate limits"). The address comes from a header set
 * by the proxy; when no such header is configured, nothing is limited, as with the CLI.
 */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { AuthError } from "./errors.ts";
import { type AuthRequest, bodyMembers } from "./request-fields.ts";
import { Buckets, type Rate } from "./token-buckets.ts";

const HOUR_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;
const MINUTE_MS = 60_000;
const BURST = 30;
const MFA_PER_MINUTE = 15;
const SSO_PER_FIVE_MINUTES = 30;
type Kind =
  | "signup"
  | "anonymous"
  | "recover"
  | "resend"
  | "magiclink"
  | "otp"
  | "token"
  | "verify"
  | "user"
  | "challenge"
  | "factor"
  | "sso"
  | "assertion"
  | "web3"
  | "passkey";

/** The rate limit buckets of one Backend. */
export class RequestLimits {
  readonly #header: string;
  readonly #rates: Record<Kind, Rate>;
  readonly #buckets: Buckets;

  /** @param header the header's name in lower case, "" for none. */
  constructor(clock: Clock, config: Config["auth"]["rate_limit"] & { assertions: number }, header: string) {
    const per = (amount: number, span: number, burst = BURST) => ({ perMs: amount / span, burst });
    const otp = per(config.sign_in_sign_ups, FIVE_MINUTES_MS);
    const factor = per(MFA_PER_MINUTE, MINUTE_MS);
    this.#buckets = new Buckets(clock);
    this.#header = header;
    this.#rates = {
      signup: otp,
      recover: otp,
      resend: otp,
      magiclink: otp,
      otp,
      user: otp,
      anonymous: per(config.anonymous_users, HOUR_MS, config.anonymous_users),
      token: per(config.token_refresh, FIVE_MINUTES_MS),
      verify: per(config.token_verifications, FIVE_MINUTES_MS),
      web3: per(config.web3, FIVE_MINUTES_MS),
      challenge: factor,
      factor,
      sso: per(SSO_PER_FIVE_MINUTES, FIVE_MINUTES_MS),
      assertion: per(config.assertions, FIVE_MINUTES_MS),
      passkey: per(SSO_PER_FIVE_MINUTES, FIVE_MINUTES_MS),
    };
  }

  /** Whether requests are limited. */
  get on(): boolean {
    return this.#header !== "";
  }

  /** Counts a request. @throws AuthError 429 over_request_rate_limit */
  async take(request: AuthRequest): Promise<void> {
    const header = request.headers[this.#header];
    const kind = header ? await kindOf(request) : undefined;
    if (!kind) return;
    if (!this.#buckets.take(`${kind} ${header}`, this.#rates[kind])) {
      throw new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
    }
  }
}

const BY_PATH: Record<string, Kind> = {
  "POST recover": "recover",
  "POST resend": "resend",
  "POST magiclink": "magiclink",
  "POST otp": "otp",
  "GET verify": "verify",
  "POST verify": "verify",
  "PUT user": "user",
  "POST sso": "sso",
  "POST sso/saml/acs": "assertion",
  "POST passkeys/authentication/options": "passkey",
};

async function kindOf(request: AuthRequest): Promise<Kind | undefined> {
  const { method, segments } = request;
  const name = `${method} ${segments.join("/")}`;
  if (name === "POST token") return request.query.get("grant_type") === "web3" ? "web3" : "token";
  if (name === "POST signup") {
    const { email, phone } = await bodyMembers(request);
    return email || phone ? "signup" : "anonymous";
  }
  if (method === "POST" && segments[0] === "factors" && segments[2] === "challenge") return "challenge";
  if (method === "POST" && segments[0] === "factors" && segments[2] === "verify") return "factor";
  return BY_PATH[name];
}
