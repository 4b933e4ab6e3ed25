/**
 * Owns translating Postgres errors to HTTP: status by SQLSTATE, `PTxyz` statuses, and complete responses from
 * `raise sqlstate 'PGRST'` (PostgREST documentation, "Errors", "RAISE errors").
 */

import { ConnectionRefused, PoolExhausted } from "../postgres/pipeline/pool.ts";
import { PostgresError } from "../postgres/pipeline/wire.ts";
import { RestError, restErrors } from "./errors.ts";
import { HEADER_NAME, wireText } from "./header-text.ts";

/** The members of pg's DatabaseError that are used here. */
export interface PostgresFailure {
  code?: string;
  message: string;
  detail?: string;
  hint?: string;
}

const EXACT: Record<string, number> = {
  "23503": 409,
  "23505": 409,
  "25006": 405,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  "53400": 500,
  "57P01": 503,
  P0001: 400,
};

const BY_CLASS: Record<string, number> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "25": 500,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "53": 503,
  "54": 500,
  "55": 500,
  "57": 500,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
};

/** Any failure of a session, also one without an answer of Postgres: PGRST000, 001, 003. */
export function fromDatabase(error: unknown, anonymous: boolean): RestError {
  if (error instanceof RestError) return error;
  if (error instanceof PostgresError) return fromPostgres(error, anonymous);
  if (error instanceof PoolExhausted) return restErrors.poolExhausted();
  const { message } = error as Error;
  return error instanceof ConnectionRefused
    ? restErrors.databaseUnreachable(message)
    : restErrors.databaseLost(message);
}

/**
 * @param anonymous whether the request's role is the anonymous one: insufficient privilege is then 401, not
 * 403.
 */
export function fromPostgres(failure: PostgresFailure, anonymous: boolean): RestError {
  const code = failure.code ?? "";
  if (code === "PGRST") return raised(failure);
  const common = {
    code,
    message: failure.message,
    details: failure.detail ?? null,
    hint: failure.hint ?? null,
  };
  if (code.startsWith("PT")) {
    const status = Number(code.slice(2));
    return new RestError({ ...common, status: isStatus(status) ? status : 500, statusText: failure.message });
  }
  const status = statusOf(code, failure.message, anonymous);
  const headers: Record<string, string> = {};
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (status === 503) headers["retry-after"] = "1";
  return new RestError({ ...common, status, headers });
}

function statusOf(code: string, message: string, anonymous: boolean): number {
  switch (code) {
    case "42501":
      return anonymous ? 401 : 403;
    case "21000":
      return message.endsWith("requires a WHERE clause") ? 400 : 500;
    case "22023":
      return message.startsWith("role") && message.endsWith("does not exist") ? 401 : 400;
    case "42883":
      return message.startsWith("function xmlagg(") ? 406 : 404;
    default:
      return EXACT[code] ?? BY_CLASS[code.slice(0, 2)] ?? 400;
  }
}

function raised(failure: PostgresFailure): RestError {
  const message = jsonObject(failure.message);
  if (
    !message ||
    typeof message.code !== "string" ||
    typeof message.message !== "string" ||
    !isOptionalText(message.details) ||
    !isOptionalText(message.hint)
  ) {
    return restErrors.raisedMessage(failure.message);
  }
  const detail = failure.detail === undefined ? undefined : jsonObject(failure.detail);
  const headers = detail?.headers;
  if (
    !detail ||
    !isStatus(detail.status) ||
    !isOptionalText(detail.status_text) ||
    typeof headers !== "object" ||
    headers === null ||
    Array.isArray(headers)
  ) {
    return restErrors.raisedDetail(failure.detail);
  }
  const added: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string") return restErrors.raisedDetail(failure.detail);
    const key = name.toLowerCase();
    if (!HEADER_NAME.test(key)) return restErrors.raisedDetail(failure.detail);
    added[key] = wireText(value);
  }
  return new RestError({
    status: detail.status,
    code: message.code,
    message: message.message,
    details: typeof message.details === "string" ? message.details : null,
    hint: typeof message.hint === "string" ? message.hint : null,
    headers: added,
    ...(typeof detail.status_text === "string" ? { statusText: detail.status_text } : {}),
  });
}

function isOptionalText(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === "string";
}

/** The valid range of HTTP statuses. */
function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 999;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
