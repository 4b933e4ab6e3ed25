/**
 * Owns what may stand in a status line and in headers: checks for values that come in, and the cleaning of
 * values that go out. Node throws on anything else.
 */

/** A token (RFC 9110, 5.6.2): nothing else may be a header's name. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-zA-Z-]+$/;
/** What Node refuses in a value and in a reason phrase. */
const INVALID = /[^\t\x20-\x7e\x80-\xff]/;
const INVALID_RUNS = /[^\t\x20-\x7e\x80-\xff]+/g;
const CONTROLS = /\p{Cc}+/gu;

/** Whether a value can be sent as it is. */
export function isHeaderValue(value: string): boolean {
  return !INVALID.test(value);
}

/** A value that can be sent: control characters become spaces, what is beyond Latin-1 percent-encoded. */
export function cleanHeaderValue(value: string): string {
  if (!INVALID.test(value)) return value;
  return value.replace(INVALID_RUNS, (run) =>
    encodeURIComponent(run.replace(CONTROLS, " ").toWellFormed()).replaceAll("%20", " "),
  );
}

/**
 * A reason phrase that can be sent: what is not printable ASCII becomes "?", as in PostgREST's answers;
 * the body has the text as it is.
 */
export function cleanReason(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/gu, "?");
}

/** Headers that can be sent: without names that are none, and with clean values. */
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
 * An address for a `Location` header: spaces, control characters and what is beyond ASCII are
 * percent-encoded (RFC 3986, 2.1); what is encoded already stays as it is.
 */
export function locationValue(address: string): string {
  return address.replace(/[^\x21-\x7e]+/g, (run) => encodeURIComponent(run.toWellFormed()));
}
