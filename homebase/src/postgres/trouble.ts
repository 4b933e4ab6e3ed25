/**
 * Owns recognising a temporarily unavailable database: stopped, starting, full, or out of connections.
 * Services respond with 503 and `Retry-After`, because the same request may soon succeed.
 */
import { DatabaseClosed } from "./database.ts";
import { ConnectionLost } from "./pipeline/connection.ts";
import { ConnectionRefused, PoolExhausted } from "./pipeline/pool.ts";

/** A temporarily unavailable database. */
export interface DatabaseOutage {
  message: string;
  /** Seconds, as the value of `Retry-After`. */
  retryAfter: string;
}

const AWAY = "The database cannot be reached. Try again in a moment.";
const FULL = "The database's disk is full.";
const BUSY = "The database has no connection free. Try again in a moment.";
const MEMORY = "The database is out of memory. Try again in a moment.";

/** SQLSTATEs (PostgreSQL documentation, appendix A). */
const STATES: Record<string, string> = {
  "53100": FULL,
  "53200": MEMORY,
  "53300": BUSY,
  "57P01": AWAY,
  "57P02": AWAY,
  "57P03": AWAY,
};

const SYSTEM = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);
/** pg has no error code for these messages. */
const MESSAGES =
  /^(?:Connection terminated|Cannot use a pool after calling end|timeout exceeded when trying to connect|Client has encountered a connection error)/;
const DEPTH = 5;

/** Why the database is unavailable, if an error or one of its causes says so. */
export function databaseOutage(error: unknown): DatabaseOutage | undefined {
  let one = error;
  // fetch throws TypeErrors, for servers other than the database.
  for (let depth = 0; depth < DEPTH && one instanceof Error && !(one instanceof TypeError); depth++) {
    const message = messageOf(one);
    if (message !== undefined) return { message, retryAfter: message === FULL ? "30" : "1" };
    one = one.cause;
  }
  return undefined;
}

function messageOf(error: Error): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code !== undefined && "severity" in error)
    return STATES[code] ?? (code.startsWith("08") ? AWAY : undefined);
  if (code !== undefined && STATES[code] !== undefined) return STATES[code];
  // The socket's file is missing while Postgres is stopped.
  if (syscall === "connect" && (code === "ENOENT" || SYSTEM.has(code ?? ""))) return AWAY;
  if (error instanceof DatabaseClosed) return AWAY;
  if (error instanceof PoolExhausted) return BUSY;
  // Postgres's reason for refusing the connection is in the cause, and is more precise.
  if (error instanceof ConnectionRefused || error instanceof ConnectionLost) return causeOf(error) ?? AWAY;
  return MESSAGES.test(error.message) ? AWAY : undefined;
}

function causeOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? messageOf(cause) : undefined;
}
