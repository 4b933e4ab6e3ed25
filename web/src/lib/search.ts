/**
 * Owns: parsing the search part of a URL. It can have any content, so an invalid value counts as absent.
 * Written by hand, so that the first view needs no validation library.
 */

export function text(given: unknown): string | undefined {
  return typeof given === "string" ? given : undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function uuid(given: unknown): string | undefined {
  return typeof given === "string" && UUID.test(given) ? given : undefined;
}

export function oneOf<Value extends string>(values: readonly Value[], given: unknown): Value | undefined {
  return values.find((value) => value === given);
}

/** Only paths of this app: another URL in `next` would make the sign-in an open redirect. */
export function nextPath(given: unknown): string | undefined {
  return typeof given === "string" && /^\/(?![/\\])/.test(given) ? given : undefined;
}
