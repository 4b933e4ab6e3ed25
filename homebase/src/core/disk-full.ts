/** Owns the codes by which the system and Postgres say that a file cannot grow. */

/** No space, no quota, or the process's limit of a file's size; Postgres's of the same. */
const FULL = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", "53100"]);

export function isDiskFull(error: unknown): error is Error {
  return error instanceof Error && "code" in error && FULL.has(error.code);
}
