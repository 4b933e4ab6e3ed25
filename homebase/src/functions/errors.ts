/** Owns the platform's own responses for functions (docs/compat/functions.md 1, 2, 7). */
import { jsonResponse, type ServiceResponse } from "../http/exchange.ts";

type Code =
  | "NOT_FOUND"
  | "UNAUTHORIZED_NO_AUTH_HEADER"
  | "UNAUTHORIZED_INVALID_JWT_FORMAT"
  | "UNAUTHORIZED_LEGACY_JWT"
  | "UNAUTHORIZED_ASYMMETRIC_JWT"
  | "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM"
  | "BOOT_ERROR"
  | "WORKER_ERROR"
  | "WORKER_LIMIT"
  | "IDLE_TIMEOUT"
  | "REQUEST_TIMEOUT";

const STATUS: Record<Code, number> = {
  NOT_FOUND: 404,
  UNAUTHORIZED_NO_AUTH_HEADER: 401,
  UNAUTHORIZED_INVALID_JWT_FORMAT: 401,
  UNAUTHORIZED_LEGACY_JWT: 401,
  UNAUTHORIZED_ASYMMETRIC_JWT: 401,
  UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM: 401,
  BOOT_ERROR: 503,
  WORKER_ERROR: 500,
  WORKER_LIMIT: 546,
  IDLE_TIMEOUT: 504,
  REQUEST_TIMEOUT: 408,
};

const MESSAGE: Record<Code, string> = {
  NOT_FOUND: "Requested function was not found",
  UNAUTHORIZED_NO_AUTH_HEADER: "Missing authorization header",
  UNAUTHORIZED_INVALID_JWT_FORMAT: "Invalid JWT",
  UNAUTHORIZED_LEGACY_JWT: "Invalid JWT",
  UNAUTHORIZED_ASYMMETRIC_JWT: "Invalid JWT",
  UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM: "Invalid JWT",
  BOOT_ERROR: "Function failed to start (please check logs)",
  WORKER_ERROR: "Function exited due to an error (please check logs)",
  WORKER_LIMIT: "Function failed due to not having enough compute resources (please check logs)",
  IDLE_TIMEOUT: "The upstream server is timing out",
  REQUEST_TIMEOUT: "The request body did not arrive in time",
};

/** An error of the platform while handling a request to a function. */
export class FunctionError extends Error {
  readonly code: Code;
  /** For the developer: in the log and, for boot errors, in the response's `details`. */
  readonly details: string | undefined;

  constructor(code: Code, details?: string) {
    super(MESSAGE[code]);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return STATUS[this.code];
  }

  /** Hosted's body, with `details` if any, for the developer. */
  get body(): { code: string; message: string; details?: string } {
    return { code: this.code, message: this.message, ...(this.details ? { details: this.details } : {}) };
  }

  response(): ServiceResponse {
    return jsonResponse(this.status, this.body, {
      "content-type": "application/json",
      "sb-error-code": this.code,
    });
  }
}
