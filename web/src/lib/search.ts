/**
 * Owns: reading the search part of an address. Whatever stands there was typed or sent by anybody: what is not
 * as it should be counts as absent. Own code of four lines each, so that the first view needs no validator.
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

/** Only paths of this app: a foreign address in `next` would make the sign-in a way to send people off. */
export function nextPath(given: unknown): string | undefined {
  return typeof given === "string" && /^\/(?![/\\])/.test(given) ? given : undefined;
}
