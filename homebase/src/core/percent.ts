/** Owns undoing percent-encoding. */

/** The decoded text; the same text if an escape in it is invalid. */
export function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
