/**
 * Owns: giving what a screen shows a moment to come before the screen does. An answer that is there already (the
 * page asks before the app is there, lib/backend/prefetch.ts) is shown at once; bones are for what takes longer.
 */
const MOMENT_MS = 50;

/** Resolves when all of it is there, or the moment is over. @param reads that never reject */
export async function waitBriefly(...reads: Promise<unknown>[]): Promise<void> {
  await Promise.race([Promise.all(reads), new Promise((over) => setTimeout(over, MOMENT_MS))]);
}
