/** Owns the encoding of header text: HTTP carries bytes, PostgREST reads them as UTF-8, Node as Latin-1. */

// A token (RFC 9110 5.6.2), the only valid form of a header name.
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

const BEYOND_ASCII = /[^\t\x20-\x7e]/;

/** Encodes a header value for sending: UTF-8 bytes, one character each, without control characters. */
export function wireText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  return Buffer.from(value.replace(/[^\P{Cc}\t]/gu, " "), "utf8").toString("latin1");
}

/** Whether a value is an encoded one that is not plain ASCII. */
export function needsBytes(headers: Record<string, string | string[]>): boolean {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string" ? BEYOND_ASCII.test(value) : value?.some((one) => BEYOND_ASCII.test(one))) {
      return true;
    }
  }
  return false;
}

/** Decodes a header value: Node reads each byte as one character, but the client sent UTF-8. */
export function readText(value: string): string {
  return BEYOND_ASCII.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
}
