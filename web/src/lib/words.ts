/** Owns: what times and errors are called, in English. */
import { defineWords, plural } from "./i18n/words.ts";

export const timeWords = defineWords("time", {
  /** Beside the plan's own time: what the viewer's clock shows. */
  yours: (time: string) => `yours ${time}`,
  length: (hours: number, minutes: number) =>
    hours === 0
      ? `${minutes} min`
      : minutes === 0
        ? `${hours} h`
        : `${hours} h ${String(minutes).padStart(2, "0")}`,
  now: "now",
  inMinutes: (minutes: number) => `in ${minutes} min`,
  minutesAgo: (minutes: number) => `${minutes} min ago`,
  inHours: (hours: number) => `in ${hours} h`,
  hoursAgo: (hours: number) => `${hours} h ago`,
  tomorrow: "tomorrow",
  yesterday: "yesterday",
  inDays: (days: number) => plural(days, { one: "in # day", other: "in # days" }),
  daysAgo: (days: number) => plural(days, { one: "# day ago", other: "# days ago" }),
});

/** What is said of an error, and what can be done. */
export interface Said {
  message: string;
  hint: string;
}

export const errorWords = defineWords("errors", {
  offline: {
    message: "The kitchen cannot be reached.",
    hint: "Check your connection. What you wrote is kept.",
  },
  forbidden: {
    message: "That is not yours to do.",
    hint: "Ask the host, or sign in with another account.",
  },
  duplicate: { message: "That is already there.", hint: "Reload to see it." },
  invalid: { message: "Something in there is not as it should be.", hint: "Check what you entered." },
  unreadablePicture: {
    message: "That file is not a picture we can read.",
    hint: "Choose a JPEG, PNG, WebP or AVIF picture.",
  },
  unexpected: {
    message: "That did not work, and it is not your doing.",
    hint: "Try again. If it stays like this, tell us when it happened.",
  },
  /** Refusals of the auth service, by its error codes. */
  auth: {
    invalid_credentials: {
      message: "That email and password do not belong together.",
      hint: "Try again, or ask for a code.",
    },
    mfa_verification_failed: {
      message: "Those digits are not right, or a moment too old.",
      hint: "Enter the ones that the app shows now.",
    },
    otp_expired: { message: "That code is wrong or too old.", hint: "Ask for a new one." },
    email_exists: { message: "That address already has an account.", hint: "Sign in with it instead." },
    user_already_exists: {
      message: "That address already has an account.",
      hint: "Sign in with it instead.",
    },
    weak_password: {
      message: "That password is too easy to guess.",
      hint: "Use at least eight characters.",
    },
    over_email_send_rate_limit: {
      message: "A mail was sent a moment ago.",
      hint: "Wait a minute before asking again.",
    },
    over_request_rate_limit: {
      message: "That was many tries in a short time.",
      hint: "Wait a minute, then try again.",
    },
    anonymous_provider_disabled: {
      message: "Guests are not let in here.",
      hint: "Sign in with an email address.",
    },
    email_address_invalid: {
      message: "That is not an address we can send to.",
      hint: "Check how it is written.",
    },
  } as Record<string, Said>,
  /** Refusals of the database, by the catalogue's codes. The database itself says them in English. */
  refusals: {} as Record<string, Said>,
});

export type TimeWords = ReturnType<typeof timeWords>;
export type ErrorWords = ReturnType<typeof errorWords>;
