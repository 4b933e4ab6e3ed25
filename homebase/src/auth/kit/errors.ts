/**
 * Owns Auth's errors: the types that stages throw, and the response body and headers made from them, which
 * depend on the client's API version (docs/compat/auth.md 0).
 */
import { BodyBroken, jsonResponse, type ServiceResponse } from "../../http/exchange.ts";
import { databaseOutage } from "../../postgres/trouble.ts";

const NEW_SHAPE_SINCE = "2024-01-01";
/** Without a charset, as upstream. */
const JSON_TYPE = { "content-type": "application/json" };

/** An error with a status, a code from upstream's error catalogue, and a message. */
export class AuthError extends Error {
  readonly status: number;
  readonly code: string;
  /** Additional members of the error body, e.g. `weak_password`. */
  readonly extra: Record<string, unknown>;
  /**
   * Whether the transaction commits despite the error, e.g. so that the revocation of a token family
   * persists.
   */
  committed = false;
  /** Whether a hook has refused the request, or could not be run. */
  ofHook = false;

  constructor(status: number, code: string, message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.extra = extra;
  }

  /** Makes the transaction commit although the request fails. */
  keepingWrites(): this {
    this.committed = true;
    return this;
  }
}

/** An error in OAuth's format; the status is always 400. */
export class OAuthError extends Error {
  readonly error: string;
  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** A database failure, with a message that names the operation. */
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
export const badRequest = (code: string, message: string) => new AuthError(400, code, message);
export const forbidden = (code: string, message: string) => new AuthError(403, code, message);
export const unexpected = (message: string) => new AuthError(500, "unexpected_failure", message);
export const notFound = (code: string, message: string) => new AuthError(404, code, message);
export const unprocessable = (code: string, message: string) => new AuthError(422, code, message);

export const emailTaken = () =>
  unprocessable("email_exists", "A user with this email address has already been registered");
export const linkingDisabled = () => notFound("manual_linking_disabled", "Manual linking is disabled");

/** An error for a feature that is not implemented: 501 with the feature's name. */
export const notImplemented = (what: string) =>
  new AuthError(
    501,
    "not_implemented",
    `Homebase does not have ${what}. Use a hosted project or supabase start.`,
  );

/** An endpoint for a path's other methods. @throws AuthError 405 */
export const methodNotAllowed = (): never => {
  throw new AuthError(405, "unknown", "Method not allowed");
};

/** SQLSTATE of a value that is too long for its column, e.g. an audience of 300 characters. */
const VALUE_TOO_LONG = "22001";
const CONSTRAINT_STATES = new Set(["P0001", "23000", "23001", "23502", "23503", "23505", "23514", "23P01"]);

/** Whether the client requested the newer error format with `X-Supabase-Api-Version`. */
export function usesVersionedErrors(version: string | string[] | undefined): boolean {
  return typeof version === "string" && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= NEW_SHAPE_SINCE;
}

/**
 * SQLSTATEs of text that Postgres cannot store: invalid UTF-8 or a NUL, too long, JSON with such text, JSON
 * nested too deeply.
 */
const UNSTORABLE_STATES = new Set(["22001", "22021", "22P05", "54001"]);

/** Whether Postgres rejected the input because it cannot be stored. */
export function isUnstorable(error: unknown): boolean {
  const failure = error instanceof DatabaseFailure ? error.failure : error;
  return isPostgresError(failure) && UNSTORABLE_STATES.has(failure.code);
}

/** Unique constraints, with the errors of the checks that run before a write. */
const TAKEN: Record<string, () => AuthError> = {
  users_email_partial_key: emailTaken,
  users_phone_key: () => unprocessable("phone_exists", "Phone number already registered by another user"),
  mfa_factors_user_friendly_name_unique: () =>
    unprocessable("mfa_factor_name_conflict", "A factor with this friendly name already exists"),
  unique_phone_factor_per_user: () =>
    unprocessable("mfa_verified_factor_exists", "A factor with this phone number already exists"),
};

/** The error for a write that Postgres rejected: a duplicate, or a failure with `message`. */
export function writeFailure(message: string, error: unknown): AuthError {
  const failure = new DatabaseFailure(message, error);
  return TAKEN[failure.failure?.constraint ?? ""]?.() ?? failure;
}

/** The code that a response has for anything that was thrown. */
export function codeOf(error: unknown): string {
  if (error instanceof OAuthError) return error.error;
  return error instanceof BodyBroken ? "bad_json" : known(error).code;
}

function known(error: unknown): AuthError {
  if (error instanceof DatabaseFailure && error.failure?.code === VALUE_TOO_LONG)
    return validationFailed("A value is longer than its column takes");
  if (isUnstorable(error)) return validationFailed("The request contains text that cannot be stored");
  const trouble = databaseOutage(error);
  if (trouble) return new AuthError(503, "unexpected_failure", trouble.message);
  if (error instanceof AuthError) return error;
  return unexpected("Unexpected failure, please check server logs for more information");
}

/** The response for anything that was thrown. */
export function errorResponse(thrown: unknown, newShape: boolean, requestId: string): ServiceResponse {
  if (thrown instanceof OAuthError) {
    return jsonResponse(400, { error: thrown.error, error_description: thrown.message }, JSON_TYPE);
  }
  if (thrown instanceof BodyBroken) {
    return jsonResponse(400, { code: 400, error_code: "bad_json", msg: thrown.message }, JSON_TYPE);
  }
  const error = known(thrown);
  const trouble = databaseOutage(thrown);
  const headers = {
    ...JSON_TYPE,
    "x-sb-error-code": error.code,
    ...(trouble ? { "retry-after": trouble.retryAfter } : {}),
  };
  if (newShape) {
    const body = { code: error.code, message: error.message, ...error.extra };
    return jsonResponse(error.status, body, { ...headers, "x-supabase-api-version": NEW_SHAPE_SINCE });
  }
  const raised = error instanceof DatabaseFailure ? error.failure : undefined;
  if (raised && (CONSTRAINT_STATES.has(raised.code) || /^PT[2-5]\d\d$/.test(raised.code))) {
    const status = raised.code.startsWith("PT") ? Number(raised.code.slice(2)) : 500;
    const body = { code: raised.code, message: raised.message, hint: raised.hint, detail: raised.detail };
    return jsonResponse(status, body, headers);
  }
  const body = {
    code: error.status,
    error_code: error.code,
    msg: error.message,
    ...(error.status >= 500 ? { error_id: requestId } : {}),
    ...error.extra,
  };
  return jsonResponse(error.status, body, headers);
}
