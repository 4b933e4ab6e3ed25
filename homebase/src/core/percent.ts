/** Owns percent-encoding, and undoing it. */

/** The decoded text; the same text if an escape in it is invalid. */
export function percentDecoded(text: string): string {
  return validPercentDecoded(text) ?? text;
}

/** The decoded text; undefined if an escape in it is invalid. */
export function validPercentDecoded(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Percent-encoding of RFC 3986, which escapes more characters than JavaScript's own. */
export function encodeStrict(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
