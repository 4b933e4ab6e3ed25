/** Owns validating names that come from rows and become part of a path: any SQL can write such rows. */
import { isUuid } from "../../core/uuid.ts";

const MD5 = /^[0-9a-f]{32}$/;

/** Whether this is a valid version of a stored body, or id of a multipart upload. */
export function isVersion(text: string | null | undefined): text is string {
  return typeof text === "string" && isUuid(text);
}

/** Whether this is a valid hash in a part's name. */
export function isMd5(text: string): boolean {
  return MD5.test(text);
}
