/** Owns the send limits of mails and messages: for one user, and in total (docs/compat/auth.md 2 and 5). */

import type { ServiceContext } from "../../service-context.ts";
import { perAuth } from "../kit/auth.ts";
import { AuthError } from "../kit/errors.ts";
import type { Settings } from "../kit/settings.ts";
import type { Instant } from "../users/user.ts";

const HOUR_MS = 3_600_000;

type Kind = "email" | "sms";

/** The send limit buckets of one Backend. */
export class SendLimits {
  readonly #context: ServiceContext;
  readonly #settings: Settings;
  readonly #buckets = new Map<Kind, { left: number; at: number }>();

  constructor(context: ServiceContext, settings: Settings) {
    this.#context = context;
    this.#settings = settings;
  }

  /**
   * Rejects a message when the previous one to the same user is too recent.
   * @throws AuthError 429 over_email_send_rate_limit, over_sms_send_rate_limit.
   */
  interval(kind: Kind, lastSent: Instant | null): void {
    if (!lastSent) return;
    const { email, sms } = this.#context.config.auth;
    const frequency = kind === "email" ? email.max_frequency : sms.max_frequency;
    const left = Date.parse(lastSent) + frequency - this.#context.clock.now();
    if (left <= 0) return;
    throw new AuthError(
      429,
      `over_${kind}_send_rate_limit`,
      `For security purposes, you can only request this after ${Math.floor(left / 1_000)} seconds.`,
    );
  }

  /**
   * Takes one message from the hourly allowance. Mail is limited only where SMTP is configured; mail and SMS
   * only where confirmation requires them. @throws AuthError 429
   */
  take(kind: Kind): void {
    const { config } = this.#context;
    const limited =
      kind === "email"
        ? config.auth.email.smtp?.enabled === true && !this.#settings.emailAutoconfirm
        : !this.#settings.phoneAutoconfirm;
    if (!limited) return;
    const size = kind === "email" ? config.auth.rate_limit.email_sent : config.auth.rate_limit.sms_sent;
    const now = this.#context.clock.now();
    const bucket = this.#buckets.get(kind) ?? { left: size, at: now };
    const left = Math.min(size, bucket.left + ((now - bucket.at) / HOUR_MS) * size);
    if (left < 1) {
      const name = kind === "email" ? "email" : "SMS";
      throw new AuthError(429, `over_${kind}_send_rate_limit`, `${name} rate limit exceeded`);
    }
    this.#buckets.set(kind, { left: left - 1, at: now });
  }
}

export const sendLimits = perAuth((auth) => new SendLimits(auth.context, auth.settings));
