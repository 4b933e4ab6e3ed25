/**
 * Owns waiting for a port that nobody listens on: after any connection of this machine that had it as its local
 * port, the system keeps it for up to a minute (TIME-WAIT, RFC 9293 3.3.2). Linux says for how long.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { portFree } from "./ports.ts";

/** The states of a socket in /proc/net/tcp (net/tcp_states.h of Linux). */
const TIME_WAIT = "06";
/** Timers count in hundredths of a second (USER_HZ). */
const TICKS = 100;
const CHECK_MS = 250;
/** The system's own limit is 60 s. */
const PATIENCE_MS = 65_000;

/** What the wait depends on; a test passes its own. */
export interface PortState {
  free(port: number): Promise<boolean>;
  /** Seconds until the system lets go of the port; undefined when something else has it. */
  remaining(port: number): number | undefined;
  pause(milliseconds: number): Promise<unknown>;
  now(): number;
}

const system: PortState = {
  free: (port) => portFree(port),
  remaining: (port) => remainingTimeWait(port),
  pause: (milliseconds) => delay(milliseconds),
  now: () => performance.now(),
};

/**
 * Waits for a port while it is in TIME-WAIT only.
 * @param onWait called at the beginning and for each further second, with the seconds that are left
 * @returns whether the port is free
 */
export async function waitForPort(
  port: number,
  onWait: (seconds: number) => void,
  state: PortState = system,
): Promise<boolean> {
  const began = state.now();
  let said = Number.POSITIVE_INFINITY;
  while (!(await state.free(port))) {
    const remaining = state.remaining(port);
    if (remaining === undefined || state.now() - began > PATIENCE_MS) return state.free(port);
    const seconds = Math.max(1, Math.ceil(remaining));
    if (seconds < said) onWait(seconds);
    said = Math.min(said, seconds);
    await state.pause(CHECK_MS);
  }
  return true;
}

/** Seconds until the last socket in TIME-WAIT lets go of a port; undefined when others have it, or none. */
export function remainingTimeWait(
  port: number,
  tables: readonly string[] = ["/proc/net/tcp", "/proc/net/tcp6"],
): number | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const found: number[] = [];
  for (const line of tables.flatMap(linesOf)) {
    const [, local, , state, , timer] = line.trim().split(/\s+/);
    if (!local?.endsWith(suffix)) continue;
    if (state !== TIME_WAIT) return undefined;
    found.push(Number.parseInt(timer?.split(":")[1] ?? "0", 16) / TICKS);
  }
  return found.length === 0 ? undefined : Math.max(...found);
}

function linesOf(table: string): string[] {
  try {
    return readFileSync(table, "utf8").split("\n").slice(1);
  } catch {
    return []; // Another system, or one without IPv6.
  }
}
