/**
 * Owns: the app's error type. Errors of all services become one of five kinds, each displayed in one way.
 * Database functions send their own code in `details` and advice in `hint` (docs/specification.md, section
 * 8).
 */
import { type ErrorText, errorWords } from "./words.ts";

export type ErrorKind = "network" | "permission" | "conflict" | "invalid" | "unexpected";

export class AppError extends Error {
  readonly kind: ErrorKind;
  /** The catalogue's code, the service's own, or "unexpected". */
  readonly code: string;
  /** Advice for the person. */
  readonly hint: string;

  constructor(kind: ErrorKind, code: string, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.code = code;
    this.hint = hint;
  }
}

/** The error types of supabase-js, for all its services. */
interface ServiceError {
  message?: unknown;
  code?: unknown;
  details?: unknown;
  hint?: unknown;
  status?: unknown;
  statusCode?: unknown;
  name?: unknown;
}

/** Converts anything that was thrown or returned as an error to an AppError. Never throws. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const error: ServiceError = typeof thrown === "object" && thrown !== null ? thrown : {};
  const code = text(error.code);
  const message = text(error.message);
  const status = Number(error.status ?? error.statusCode ?? 0);

  const words = errorWords();
  const known = (kind: ErrorKind, as: string, said: ErrorText) =>
    new AppError(kind, as, said.message, said.hint, thrown);

  if (isNetwork(error, message)) {
    return known("network", /timeout|timed out/i.test(message) ? "late" : "offline", words.offline);
  }
  if (/^PT4\d\d$/.test(code)) {
    const refusal = text(error.details);
    return known(
      kindOfStatus(Number(code.slice(2))),
      refusal,
      words.refusals[refusal] ?? { message, hint: text(error.hint) },
    );
  }
  const auth = words.auth[code];
  if (auth) return known("invalid", code, auth);
  if (code === "42501" || status === 401 || status === 403) {
    return known("permission", code || "forbidden", words.forbidden);
  }
  if (code === "23505") return known("conflict", code, words.duplicate);
  if (code.startsWith("23") || code.startsWith("22")) return known("invalid", code, words.invalid);
  return known("unexpected", code || "unexpected", words.unexpected);
}

/** A successful result of a service. */
type Worked<Answer> =
  Extract<Answer, { error: null }> extends { data: infer Data } ? NonNullable<Data> : never;

/** The data of a supabase-js result; throws its error as an AppError. */
export function orThrow<Answer extends { data?: unknown; error: unknown }>(answer: Answer): Worked<Answer> {
  if (answer.error) throw toAppError(answer.error);
  return answer.data as Worked<Answer>;
}

function kindOfStatus(status: number): ErrorKind {
  if (status === 403) return "permission";
  if (status === 400) return "invalid";
  return "conflict"; // 404, 409, 410, 429: the state on the server differs from what the request assumed.
}

function isNetwork(error: ServiceError, message: string): boolean {
  return (
    error.name === "AuthRetryableFetchError" ||
    error.name === "FunctionsFetchError" ||
    /failed to fetch|networkerror|load failed|fetch failed|timeouterror|signal timed out/i.test(message)
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
