/**
 * Owns: what one has begun to write and not sent, on this device: it outlives the panel, the page, and a session
 * that ended by itself. Who signs out on purpose leaves none behind.
 */
const KEY = "nosh.draft.";

/** The text under this name, or null. A browser that keeps nothing keeps no drafts either. */
export function draftText(person: string, what: string): string | null {
  try {
    return localStorage.getItem(`${KEY}${person}.${what}`);
  } catch {
    return null;
  }
}

/** Keeps the text under this name, or with null forgets it. */
export function storeDraftText(person: string, what: string, text: string | null): void {
  const key = `${KEY}${person}.${what}`;
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Nothing can be kept here.
  }
}

/** For who signs out on purpose. A session that ended by itself takes nothing along. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
