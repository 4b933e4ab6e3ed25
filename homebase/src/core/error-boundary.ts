/**
 * Owns the boundary between an event source (timer, socket, worker, child process, stream) and the code that it calls:
 * an exception there would otherwise end the process.
 */
import { randomUUID } from "node:crypto";
import type { Log } from "./log.ts";

/**
 * Wraps what an event source calls: an exception or a rejection ends this call only, and is logged with an id.
 * `this` is passed on, so that one function can serve the events of many objects.
 * @param source names the source in the log, e.g. "the timer of scheduled jobs".
 * @param failed cleans up after a failure.
 */
export function errorBoundary<Args extends unknown[], This = void>(
  log: Log,
  source: string,
  work: (this: This, ...args: Args) => unknown,
  failed: (error: unknown) => void = () => {},
): (this: This, ...args: Args) => void {
  const report = (error: unknown) => {
    try {
      failed(error);
      log.error(`An unexpected error in ${source}.`, { id: randomUUID(), error: errorText(error) });
    } catch {
      // Neither the log nor the clean-up may end the process.
    }
  };
  return function (...args) {
    try {
      const result = work.apply(this, args);
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  };
}

/** Starts work that nobody waits for; a failure is logged. */
export function inBackground(log: Log, what: string, work: () => Promise<unknown>): void {
  errorBoundary(log, what, work)();
}

/** An error's stack, or its text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
