/**
 * Owns: what an error is to this app. Whatever a service threw becomes one of five kinds, each with one way
 * of showing. Database functions send their own code in `details` and a way on in `hint`
 * (docs/specification.md, section 8).
 */
export type ErrorKind = "network" | "permission" | "conflict" | "invalid" | "unexpected";

export class AppError extends Error {
  readonly kind: ErrorKind;
  /** The catalogue's code, the service's own, or "unexpected". */
  readonly code: string;
  /** What the person can do. */
  readonly hint: string;

  constructor(kind: ErrorKind, code: string, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.code = code;
    this.hint = hint;
  }
}

/** What supabase-js hands out as an error, over all its services. */
interface ServiceError {
  message?: unknown;
  code?: unknown;
  details?: unknown;
  hint?: unknown;
  status?: unknown;
  statusCode?: unknown;
  name?: unknown;
}

const authWords: Record<string, [string, string]> = {
  invalid_credentials: ["That email and password do not belong together.", "Try again, or ask for a code."],
  otp_expired: ["That code is wrong or too old.", "Ask for a new one."],
  email_exists: ["That address already has an account.", "Sign in with it instead."],
  user_already_exists: ["That address already has an account.", "Sign in with it instead."],
  weak_password: ["That password is too easy to guess.", "Use at least eight characters."],
  over_email_send_rate_limit: ["A mail was sent a moment ago.", "Wait a minute before asking again."],
  over_request_rate_limit: ["That was many tries in a short time.", "Wait a minute, then try again."],
  anonymous_provider_disabled: ["Guests are not let in here.", "Sign in with an email address."],
  email_address_invalid: ["That is not an address we can send to.", "Check how it is written."],
};

/** Turns anything that was thrown or returned as an error into an AppError. Never throws. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const error: ServiceError = typeof thrown === "object" && thrown !== null ? thrown : {};
  const code = text(error.code);
  const message = text(error.message);
  const status = Number(error.status ?? error.statusCode ?? 0);

  if (isNetwork(error, message)) {
    return new AppError(
      "network",
      "offline",
      "The kitchen cannot be reached.",
      "Check your connection. What you wrote is kept.",
      thrown,
    );
  }
  if (/^PT4\d\d$/.test(code)) {
    return new AppError(
      kindOfStatus(Number(code.slice(2))),
      text(error.details),
      message,
      text(error.hint),
      thrown,
    );
  }
  const words = authWords[code];
  if (words) return new AppError("invalid", code, words[0], words[1], thrown);
  if (code === "42501" || status === 401 || status === 403) {
    return new AppError(
      "permission",
      code || "forbidden",
      "That is not yours to do.",
      "Ask the host, or sign in with another account.",
      thrown,
    );
  }
  if (code === "23505") {
    return new AppError("conflict", code, "That is already there.", "Reload to see it.", thrown);
  }
  if (code.startsWith("23") || code.startsWith("22")) {
    return new AppError(
      "invalid",
      code,
      "Something in there is not as it should be.",
      "Check what you entered.",
      thrown,
    );
  }
  return new AppError(
    "unexpected",
    code || "unexpected",
    "That did not work, and it is not your doing.",
    "Try again. If it stays like this, tell us when it happened.",
    thrown,
  );
}

/** What a service answers when it worked. */
type Worked<Answer> =
  Extract<Answer, { error: null }> extends { data: infer Data } ? NonNullable<Data> : never;

/** The data of a supabase-js answer; throws its error as an AppError. */
export function orThrow<Answer extends { data: unknown; error: unknown }>(answer: Answer): Worked<Answer> {
  if (answer.error) throw toAppError(answer.error);
  return answer.data as Worked<Answer>;
}

function kindOfStatus(status: number): ErrorKind {
  if (status === 403) return "permission";
  if (status === 400) return "invalid";
  return "conflict"; // 404, 409, 410, 429: the world is not as the request assumed
}

function isNetwork(error: ServiceError, message: string): boolean {
  return (
    error.name === "AuthRetryableFetchError" ||
    error.name === "FunctionsFetchError" ||
    /failed to fetch|networkerror|load failed|fetch failed/i.test(message)
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
