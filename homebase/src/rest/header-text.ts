/**
 * Owns text in headers: HTTP carries bytes, PostgREST takes them for UTF-8, Node for Latin-1.
 */

// A token (RFC 9110 5.6.2): nothing else may be a header's name.
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

const BEYOND_ASCII = /[^\t\x20-\x7e]/;

/** A header's value as it can be sent: UTF-8 bytes, one character each, and no control characters. */
export function wireText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  return Buffer.from(value.replace(/[^\P{Cc}\t]/gu, " "), "utf8").toString("latin1");
}

/** Whether a value was written by `wireText` that is not plain ASCII. */
export function needsBytes(headers: Record<string, string | string[]>): boolean {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string" ? BEYOND_ASCII.test(value) : value?.some((one) => BEYOND_ASCII.test(one))) {
      return true;
    }
  }
  return false;
}

/** A header's value as the client meant it: Node reads each byte as one character, but it was UTF-8. */
export function readText(value: string): string {
  return BEYOND_ASCII.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
}
