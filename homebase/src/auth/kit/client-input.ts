/** Owns the validation of client input: addresses, numbers, PKCE challenges, ids (docs/compat/auth.md 1). */
import { z } from "zod";
import { validationFailed } from "./errors.ts";

const EMAIL_MAX = 255;
/** The pattern of HTML's e-mail field: https://html.spec.whatwg.org/#valid-e-mail-address */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** E.164 without the plus sign. */
const PHONE = /^[1-9][0-9]{1,14}$/;
const CHALLENGE_MIN = 43;
const CHALLENGE_MAX = 128;

const INVALID_CHANNEL =
  "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.";

/** Refuses a channel of messages that is neither of the two; empty stands for the default. @throws AuthError */
export function checkChannel(channel: string): void {
  if (channel !== "" && channel !== "sms" && channel !== "whatsapp") throw validationFailed(INVALID_CHANNEL);
}

/** Whether a text is a valid email address. */
export function isEmail(text: string): boolean {
  return text.length <= EMAIL_MAX && EMAIL.test(text);
}

/** Whether a text is a valid phone number. */
export function isPhone(text: string): boolean {
  return PHONE.test(formatPhone(text));
}

/** An email address as stored: lower case. @throws AuthError validation_failed */
export function checkEmail(email: string): string {
  if (email === "") throw validationFailed("An email address is required");
  if (email.length > EMAIL_MAX) throw validationFailed("An email address is too long");
  if (!EMAIL.test(email)) throw validationFailed("Unable to validate email address: invalid format");
  return email.toLowerCase();
}

/** A phone number as it is stored: digits without plus and spaces. @throws AuthError validation_failed */
export function checkPhone(phone: string): string {
  const digits = formatPhone(phone);
  if (!PHONE.test(digits)) {
    throw validationFailed("Invalid phone number format (E.164 required)");
  }
  return digits;
}

export function formatPhone(phone: string): string {
  return phone.replace(/^\+/, "").replaceAll(" ", "");
}

/** A PKCE challenge, stored until its flow's code is exchanged. */
export interface Challenge {
  method: "s256" | "plain";
  value: string;
}

/** The PKCE fields, both or none. @throws AuthError validation_failed */
export function checkChallenge(value: string | undefined, method: string | undefined): Challenge | undefined {
  if (!value && !method) return undefined;
  if (!value || !method) {
    throw validationFailed("PKCE flow requires code_challenge_method and code_challenge");
  }
  if (value.length < CHALLENGE_MIN || value.length > CHALLENGE_MAX) {
    throw validationFailed("code challenge has to be between 43 and 128 characters");
  }
  if (!/^[A-Za-z0-9._~-]+$/.test(value)) {
    throw validationFailed(
      "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
    );
  }
  const known = method.toLowerCase();
  if (known !== "s256" && known !== "plain")
    throw validationFailed("code_challenge_method must be s256 or plain");
  return { method: known, value };
}

/**
 * The user's own metadata stands in each of the user's tokens, which a request must carry in its headers: more would make
 * tokens that no request can send, and memory that anybody can fill.
 */
const MOST_METADATA_BYTES = 40_000;

const TOO_MUCH_METADATA = `user_metadata cannot exceed ${MOST_METADATA_BYTES} bytes`;
const isFitting = (data: unknown) => Buffer.byteLength(JSON.stringify(data)) <= MOST_METADATA_BYTES;

/** Metadata that a user may set. */
export const userMetadata = z.record(z.string(), z.unknown()).refine(isFitting, TOO_MUCH_METADATA);

/** Metadata after a user's change, which adds to it. @throws AuthError validation_failed */
export function checkMetadata<Data>(data: Data): Data {
  if (!isFitting(data)) throw validationFailed(TOO_MUCH_METADATA);
  return data;
}
