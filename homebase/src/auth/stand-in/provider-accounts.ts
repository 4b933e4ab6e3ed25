/**
 * Owns the provider accounts that the local stand-in invents: their data, and the codes of consents until the
 * callback redeems them. Kept in memory: a code is valid for minutes.
 */

import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { perAuth } from "../kit/auth.ts";
import type { Metadata } from "../users/user.ts";

const CODE_LIFETIME_MS = 600_000;

/** An account at a provider. */
export interface ProviderAccount {
  provider: string;
  /** The account's id at the provider. */
  sub: string;
  email: string;
  emailVerified: boolean;
  name: string;
  userName: string;
  avatarUrl: string;
  /** The issuer; the provider's default when undefined. */
  issuer?: string;
  /** More data for the identity, copied unchanged. */
  profile?: Metadata;
  customClaims?: Metadata;
}

/** A consent: the account and the provider's tokens for it. */
export interface Consent {
  account: ProviderAccount;
  accessToken: string;
  refreshToken: string;
}

const ISSUERS: Record<string, string> = {
  google: "https://accounts.google.com",
  github: "https://api.github.com",
  apple: "https://appleid.apple.com",
  facebook: "https://graph.facebook.com",
  discord: "https://discord.com/api",
  gitlab: "https://gitlab.com",
  azure: "https://login.microsoftonline.com/common/v2.0",
};

/** The provider's id for an address, always the same: a number, as with most providers. */
export function subOf(provider: string, email: string): string {
  const digest = createHash("sha256").update(`${provider}:${email.toLowerCase()}`).digest();
  return String(digest.readUIntBE(0, 6));
}

/** An account in the format of identity_data (docs/compat/auth.md 2, "OAuth"). */
export function identityData(account: ProviderAccount): Metadata {
  const { name, avatarUrl, userName } = account;
  // A wallet has no issuer.
  const issuer = account.issuer ?? ISSUERS[account.provider] ?? `https://${account.provider}.invalid`;
  return {
    ...(issuer === "" ? {} : { iss: issuer, provider_id: account.sub }),
    sub: account.sub,
    ...(account.email ? { email: account.email } : {}),
    email_verified: account.emailVerified,
    phone_verified: false,
    ...(name ? { name, full_name: name } : {}),
    ...(avatarUrl ? { avatar_url: avatarUrl } : {}),
    ...(avatarUrl && account.provider !== "github" ? { picture: avatarUrl } : {}),
    ...(userName ? { preferred_username: userName, user_name: userName } : {}),
    ...Object.fromEntries(Object.entries(account.profile ?? {}).filter(([, value]) => value !== "")),
    ...(account.customClaims ? { custom_claims: account.customClaims } : {}),
  };
}

/** The pending codes of one Backend's stand-in. */
export class Consents {
  readonly #clock: Clock;
  readonly #codes = new Map<string, { consent: Consent; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Issues a single-use code for an account, valid for ten minutes. */
  issue(account: ProviderAccount): string {
    const now = this.#clock.now();
    for (const [code, { until }] of this.#codes) if (until < now) this.#codes.delete(code);
    const code = randomBytes(20).toString("hex");
    const consent = {
      account,
      accessToken: `local_${randomBytes(20).toString("hex")}`,
      refreshToken: `local_${randomBytes(20).toString("hex")}`,
    };
    this.#codes.set(code, { consent, until: now + CODE_LIFETIME_MS });
    return code;
  }

  /** Redeems a code; it is invalid afterwards. */
  redeem(code: string): Consent | undefined {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    return found && found.until >= this.#clock.now() ? found.consent : undefined;
  }
}

export const consents = perAuth((auth) => new Consents(auth.context.clock));
