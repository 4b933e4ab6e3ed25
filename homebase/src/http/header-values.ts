/**
 * Owns valid characters in status lines and headers: validating incoming values, and cleaning outgoing ones.
 * Node throws on invalid ones.
 */

/** A token (RFC 9110, 5.6.2), the only valid form of a header name. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/;
/** Characters that Node rejects in a value and in a reason phrase. */
const INVALID = /[^\t\x20-\x7e\x80-\xff]/;
const INVALID_RUNS = /[^\t\x20-\x7e\x80-\xff]+/g;
const CONTROLS = /\p{Cc}+/gu;

/** Whether a value is valid unchanged. */
export function isHeaderValue(value: string): boolean {
  return !INVALID.test(value);
}

/** A valid value: control characters become spaces, characters beyond Latin-1 are percent-encoded. */
export function cleanHeaderValue(value: string): string {
  if (!INVALID.test(value)) return value;
  return value.replace(INVALID_RUNS, (run) =>
    encodeURIComponent(run.replace(CONTROLS, " ").toWellFormed()).replaceAll("%20", " "),
  );
}

/**
 * A valid reason phrase: characters other than printable ASCII become "?", as in PostgREST's responses; the
 * body has the original text.
 */
export function cleanReason(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/gu, "?");
}

/** Valid headers: invalid names are dropped, values cleaned. */
export function cleanHeaders(headers: Record<string, unknown>): Record<string, string | string[]> {
  const clean: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name) || value === undefined || value === null) continue;
    clean[name] = Array.isArray(value)
      ? value.map((one) => cleanHeaderValue(String(one)))
      : cleanHeaderValue(String(value));
  }
  return clean;
}

/**
 * A URL for a `Location` header: spaces, control characters and characters beyond ASCII are percent-encoded
 * (RFC 3986, 2.1); existing escapes are unchanged.
 */
export function locationValue(address: string): string {
  return address.replace(/[^\x21-\x7e]+/g, (run) => encodeURIComponent(run.toWellFormed()));
}
