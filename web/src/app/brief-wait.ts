/**
 * Owns: waiting a moment for a screen's data before the screen is shown. An answer that was prefetched
 * (lib/backend/prefetch.ts) then appears without a skeleton; skeletons are for requests that take longer.
 */
const MOMENT_MS = 50;

/** Resolves when all reads are done or the moment is over. @param reads promises that never reject */
export async function waitBriefly(...reads: Promise<unknown>[]): Promise<void> {
  await Promise.race([Promise.all(reads), new Promise((over) => setTimeout(over, MOMENT_MS))]);
}
