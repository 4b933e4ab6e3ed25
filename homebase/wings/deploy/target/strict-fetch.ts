/** Owns how a deploy calls the platform: a call ends, and its key goes to no other host. */

const TIMEOUT_MS = 120_000;
/** Bytes of an answer that are read; larger than any list of a project. */
export const LARGEST_ANSWER = 16 * 1024 ** 2;

/** fetch that follows no redirect, which would take a body or an `apikey` header along, and ends in time. */
export const strictFetch: typeof fetch = (input, init) =>
  fetch(input, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
