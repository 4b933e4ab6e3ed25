/**
 * Owns whether connections, servers, watches and functions keep the process alive. They do, except in a test's process,
 * which ends with the work of the test.
 */
let alive = true;

export function keepsAlive(): boolean {
  return alive;
}

/** From now on nothing that is opened keeps this process alive. */
export function endWithOwnWork(): void {
  alive = false;
}

/** Lets the process end although this is open, if it is a test's. */
export function released(open: { unref(): unknown } | null | undefined): void {
  if (!alive) open?.unref();
}
