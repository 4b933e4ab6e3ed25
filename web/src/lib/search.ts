/**
 * Owns: parsing the search part of a URL. It can have any content, so an invalid value counts as absent.
 * Written by hand, so that the first view needs no validation library.
 */
import { isUuid } from "../../../supabase/functions/_shared/uuid.ts";

export function text(given: unknown): string | undefined {
  return typeof given === "string" ? given : undefined;
}

export function uuid(given: unknown): string | undefined {
  return isUuid(given) ? given : undefined;
}

export function oneOf<Value extends string>(values: readonly Value[], given: unknown): Value | undefined {
  return values.find((value) => value === given);
}

/** Only paths of this app: another URL in `next` would make the sign-in an open redirect. */
export function nextPath(given: unknown): string | undefined {
  return typeof given === "string" && /^\/(?![/\\])/.test(given) ? given : undefined;
}
