/**
 * Owns which rows are asked for: `limit`, `offset` and the `Range` header, put together (PostgREST
 * documentation, "Pagination and Count").
 */
import { restErrors } from "../errors.ts";

/** Positions count from 0; `limit` undefined is all. */
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
  if (limit !== undefined && limit < 0) throw restErrors.negativeLimit();
  const range: RowRange = { offset: Math.max(0, offset ?? 0), ...(limit === undefined ? {} : { limit }) };
  const asked = header === undefined ? null : /^(\d+)-(\d*)$/.exec(header);
  if (asked) {
    const first = Number(asked[1]);
    const last = asked[2] === "" ? undefined : Number(asked[2]);
    if (last !== undefined && first > last) throw restErrors.reversedRange();
    const ownLast = range.limit === undefined ? undefined : range.offset + range.limit - 1;
    const from = Math.max(first, range.offset);
    const to = last === undefined ? ownLast : ownLast === undefined ? last : Math.min(last, ownLast);
    if (to !== undefined && to < from) throw restErrors.reversedRange();
    return { offset: from, ...(to === undefined ? {} : { limit: to - from + 1 }) };
  }
  if (range.limit === 0 && range.offset > 0) throw restErrors.reversedRange();
  return range;
}
