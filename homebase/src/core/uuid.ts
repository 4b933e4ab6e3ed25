/** Owns recognising UUIDs (RFC 9562, 4). */

/** The UUID without any bit set. */
export const NIL = "00000000-0000-0000-0000-000000000000";

const PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID in its usual notation, in upper or lower case. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text);
}
