/** Owns: turns at a shared server: one request in an interval, in order, and no queue longer than people wait. */

export interface Throttle {
  /** Resolves when it is the caller's turn; false at once if that would take too long. */
  acquire(): Promise<boolean>;
}

export function throttle(
  everyMs: number,
  patienceMs: number,
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
      if (at - now > patienceMs) return false;
      next = at + everyMs;
      if (at > now) await clock.wait(at - now);
      return true;
    },
  };
}
