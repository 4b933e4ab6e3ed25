/** Owns: an estimated arrival as minutes from now. */

/** Whole minutes until an estimated arrival, 0 when it is due; null when none was given. */
export function minutesAway(eta: string | null, now: number): number | null {
  return eta === null ? null : Math.max(0, Math.round((Date.parse(eta) - now) / 60_000));
}
