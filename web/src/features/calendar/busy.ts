/** Owns: when a person is busy, as intervals, and whether a meal runs into one. Pure. */

/** Instants in ms; `end` is the first moment that is free again. */
export interface Busy {
  start: number;
  end: number;
}

/** In order, with what overlaps or touches put together; empty ones are left out. */
export function merge(intervals: readonly Busy[]): Busy[] {
  const merged: Busy[] = [];
  for (const next of intervals.filter((each) => each.end > each.start).sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && next.start <= last.end) last.end = Math.max(last.end, next.end);
    else merged.push({ ...next });
  }
  return merged;
}

/** Whether a calendar entry overlaps the meal (ISO instants); one that ends as the meal begins does not. */
export function isBusy(busy: readonly Busy[], startsAt: string, endsAt: string): boolean {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  return busy.some((each) => each.start < end && each.end > start);
}
