/** Owns recognising UUIDs (RFC 9562, 4), and those that are made of a text. */
import { createHash } from "node:crypto";

/** The UUID without any bit set. */
export const NIL = "00000000-0000-0000-0000-000000000000";

const PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID in its usual notation, in upper or lower case. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text);
}

/** A UUID that is the same for the same text (RFC 9562, 5.8). */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
