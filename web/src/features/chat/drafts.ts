/** Owns: what one has begun to write and not sent; it outlives the tab's panel, the page, and a session that ended. */
const KEY = "nosh.draft.";

export function readDraft(person: string, plan: string): string {
  try {
    return localStorage.getItem(`${KEY}${person}.${plan}`) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(person: string, plan: string, text: string): void {
  const key = `${KEY}${person}.${plan}`;
  try {
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing keeps no drafts either.
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
