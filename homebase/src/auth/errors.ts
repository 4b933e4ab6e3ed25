/**
 * Owns how Auth refuses: the error types that stages throw, and the body and headers they become, which
 * depend on the client's API version (docs/compat/auth.md 0).
 */
import { BodyBroken, type ServiceResponse } from "../http/exchange.ts";
import { databaseOutage } from "../postgres/trouble.ts";

const NEW_SHAPE_SINCE = "2024-01-01";

/** An error with a status, a code of the catalogue and a message. */
export class AuthError extends Error {
  readonly status: number;
  readonly code: string;
  /** Members that stand beside the message, e.g. `weak_password`. */
  readonly extra: Record<string, unknown>;
  /** What was written before the refusal stays written, e.g. the revocation of a token family. */
  committed = false;

  constructor(status: number, code: string, message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.extra = extra;
  }

  /** Marks that the transaction commits though the request is refused. */
  keepingWrites(): this {
    this.committed = true;
    return this;
  }
}

/** An error in OAuth's own shape, always 400. */
export class OAuthError extends Error {
  readonly error: string;
  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** A failure of the database under a message that says what was being done. */
export class DatabaseFailure extends AuthError {
  readonly failure: PostgresError | undefined;
  constructor(message: string, cause: unknown) {
    super(500, "unexpected_failure", message);
    this.cause = cause;
    this.failure = isPostgresError(cause) ? cause : undefined;
  }
}

export interface PostgresError extends Error {
  code: string;
  detail?: string;
  hint?: string;
  constraint?: string;
}

export function isPostgresError(error: unknown): error is PostgresError {
  return (
    error instanceof Error && typeof (error as { code?: unknown }).code === "string" && "severity" in error
  );
}

export const validationFailed = (message: string) => new AuthError(400, "validation_failed", message);
export const notFound = (code: string, message: string) => new AuthError(404, code, message);
export const unprocessable = (code: string, message: string) => new AuthError(422, code, message);

/** A feature that is not built answers 501 and names itself. */
export const notImplemented = (what: string) =>
  new AuthError(
    501,
    "not_implemented",
    `Homebase does not have ${what}. Use a hosted project or supabase start.`,
  );

/** SQLSTATE of a text that its column is too short for, e.g. an audience of 300 characters. */
const VALUE_TOO_LONG = "22001";
const CONSTRAINT_STATES = new Set(["P0001", "23000", "23001", "23502", "23503", "23505", "23514", "23P01"]);

/** Whether the client asked for the newer error shape with `X-Supabase-Api-Version`. */
export function usesVersionedErrors(version: string | string[] | undefined): boolean {
  return typeof version === "string" && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= NEW_SHAPE_SINCE;
}

/** A text that is no UTF-8 or has a NUL, is too long, JSON with such a text, JSON nested too deeply (SQLSTATE). */
const UNSTORABLE_STATES = new Set(["22001", "22021", "22P05", "54001"]);

/** Whether what was sent cannot be stored, by whatever way it reached Postgres. */
export function isUnstorable(error: unknown): boolean {
  const failure = error instanceof DatabaseFailure ? error.failure : error;
  return isPostgresError(failure) && UNSTORABLE_STATES.has(failure.code);
}

/** What a unique constraint refuses, in the words of the checks that look before writing. */
const TAKEN: Record<string, () => AuthError> = {
  users_email_partial_key: () =>
    unprocessable("email_exists", "A user with this email address has already been registered"),
  users_phone_key: () => unprocessable("phone_exists", "Phone number already registered by another user"),
  mfa_factors_user_friendly_name_unique: () =>
    unprocessable("mfa_factor_name_conflict", "A factor with this friendly name already exists"),
  unique_phone_factor_per_user: () =>
    unprocessable("mfa_verified_factor_exists", "A factor with this phone number already exists"),
};

/** What is said of a write that Postgres refused: that something is taken, or a failure under `message`. */
export function writeFailure(message: string, error: unknown): AuthError {
  const failure = new DatabaseFailure(message, error);
  return TAKEN[failure.failure?.constraint ?? ""]?.() ?? failure;
}

/** The answer for anything that was thrown. */
export function errorResponse(error: unknown, newShape: boolean, requestId: string): ServiceResponse {
  if (error instanceof OAuthError) {
    return answer(400, { error: error.error, error_description: error.message }, {});
  }
  if (error instanceof BodyBroken) {
    return answer(400, { code: 400, error_code: "bad_json", msg: error.message }, {});
  }
  const trouble = databaseOutage(error);
  const tooLong = error instanceof DatabaseFailure && error.failure?.code === VALUE_TOO_LONG;
  const known = tooLong
    ? validationFailed("A value is longer than its column takes")
    : isUnstorable(error)
      ? validationFailed("The request contains text that cannot be stored")
      : trouble
        ? new AuthError(503, "unexpected_failure", trouble.message)
        : error instanceof AuthError
          ? error
          : new AuthError(
              500,
              "unexpected_failure",
              "Unexpected failure, please check server logs for more information",
            );
  const headers = {
    "x-sb-error-code": known.code,
    ...(trouble ? { "retry-after": trouble.retryAfter } : {}),
  };
  if (newShape) {
    const body = { code: known.code, message: known.message, ...known.extra };
    return answer(known.status, body, { ...headers, "x-supabase-api-version": NEW_SHAPE_SINCE });
  }
  const raised = known instanceof DatabaseFailure ? known.failure : undefined;
  if (raised && (CONSTRAINT_STATES.has(raised.code) || /^PT[2-5]\d\d$/.test(raised.code))) {
    const status = raised.code.startsWith("PT") ? Number(raised.code.slice(2)) : 500;
    const body = { code: raised.code, message: raised.message, hint: raised.hint, detail: raised.detail };
    return answer(status, body, headers);
  }
  const body = {
    code: known.status,
    error_code: known.code,
    msg: known.message,
    ...(known.status >= 500 ? { error_id: requestId } : {}),
    ...known.extra,
  };
  return answer(known.status, body, headers);
}

function answer(status: number, body: unknown, headers: Record<string, string>): ServiceResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}
