/**
 * Owns the requested range of rows: `limit`, `offset` and the `Range` header combined (PostgREST
 * documentation, "Pagination and Count").
 */
import { restErrors } from "../errors.ts";

/** Positions count from 0; `limit` undefined is no limit. */
export interface RowRange {
  offset: number;
  limit?: number;
}

/**
 * @param header the `Range` header of a GET, else undefined.
 * @throws RestError PGRST103.
 */
export function rowRange(
  limit: number | undefined,
  offset: number | undefined,
  header: string | undefined,
): RowRange {
  const first = offset ?? 0;
  const last = limit === undefined ? Infinity : first + limit - 1;
  // Upstream recognises `limit=0` by the range's end, whatever the header says.
  if (last === -1) return { offset: 0, limit: 0 };
  const asked = header === undefined ? null : /^(\d+)-(\d*)$/.exec(header);
  const askedFirst = asked ? Number(asked[1]) : 0;
  const askedLast = asked?.[2] ? Number(asked[2]) : Infinity;
  if (askedFirst > askedLast) throw restErrors.reversedRange();
  const from = Math.max(first, askedFirst);
  const to = Math.min(last, askedLast);
  if (to < from) throw restErrors.negativeLimit();
  return { offset: from, ...(to === Infinity ? {} : { limit: to - from + 1 }) };
}
