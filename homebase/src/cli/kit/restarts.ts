/**
 * Owns what a command that serves does with an error that no boundary has caught: it is logged with an id, and the
 * command's servers restart on their ports. The process neither goes on in a state that nobody knows nor ends.
 */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { errorText } from "../../core/error-boundary.ts";
import type { Log } from "../../core/log.ts";

/** The pause before each restart in a row: an error at every start must not become a loop. */
const PAUSES_MS = [0, 1_000, 2_000, 5_000, 15_000, 30_000];
/** A restart this long after the last one is the first of a row. */
const QUIET_MS = 60_000;

/**
 * Installs the process's handlers of last resort. Called once the servers are ready: before that an error ends the
 * command.
 * @param restart restarts the servers on their ports.
 */
export function restartOnErrors(log: Log, restart: () => Promise<void>): void {
  const caught = restarter(log, restart);
  process.on("uncaughtException", caught);
  process.on("unhandledRejection", caught);
}

/** Time, as far as restarts depend on it. */
export interface RestartTime {
  /** Milliseconds. */
  now(): number;
  pause(milliseconds: number): Promise<unknown>;
}

const SYSTEM_TIME: RestartTime = {
  now: () => performance.now(),
  pause: (milliseconds) => setTimeout(milliseconds),
};

/** The handler of each error: restarts one after another, with growing pauses within a row. */
export function restarter(
  log: Log,
  restart: () => Promise<void>,
  time: RestartTime = SYSTEM_TIME,
): (error: unknown) => void {
  let row = 0;
  let last = Number.NEGATIVE_INFINITY;
  let running = false;
  let again = false;
  const run = async () => {
    running = true;
    do {
      again = false;
      row = time.now() - last > QUIET_MS ? 1 : row + 1;
      await time.pause(PAUSES_MS[Math.min(row, PAUSES_MS.length) - 1] ?? 0);
      last = time.now();
      try {
        await restart();
        write(() => log.warn("Restarted after an unexpected error.", { restart: row }));
      } catch (error) {
        again = true;
        write(() =>
          log.error("The restart failed; trying again.", { restart: row, error: errorText(error) }),
        );
      }
    } while (again);
    running = false;
  };
  return (error) => {
    const fields = { id: randomUUID(), error: errorText(error) };
    write(() => log.error("An unexpected error; restarting on the same ports.", fields));
    if (running) again = true;
    else void run();
  };
}

/** The log may be what fails. */
function write(entry: () => void): void {
  try {
    entry();
  } catch (error) {
    process.stderr.write(`The log failed: ${errorText(error)}\n`);
  }
}
