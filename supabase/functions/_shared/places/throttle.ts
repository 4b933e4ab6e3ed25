/** Owns: limiting the rate of requests to a shared server: one in an interval, in order, with a bounded wait. */

export interface Throttle {
  /** Resolves to true when it is the caller's turn, and to false at once if that would take too long. */
  acquire(): Promise<boolean>;
}

export function throttle(
  everyMs: number,
  mostWaitMs: number,
  clock: { now(): number; wait(ms: number): Promise<void> } = {
    now: () => Date.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  },
): Throttle {
  let next = 0;
  return {
    async acquire() {
      const now = clock.now();
      const at = Math.max(now, next);
      if (at - now > mostWaitMs) return false;
      next = at + everyMs;
      if (at > now) await clock.wait(at - now);
      return true;
    },
  };
}
