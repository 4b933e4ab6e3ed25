/** Owns: what one has begun to write and not sent; it outlives the tab's panel and the page. */
const KEY = "nosh.draft.";

export function readDraft(plan: string): string {
  try {
    return localStorage.getItem(KEY + plan) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(plan: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(KEY + plan);
    else localStorage.setItem(KEY + plan, text);
  } catch {
    // A browser that keeps nothing keeps no drafts either.
  }
}

/** For the next person on this device there is nothing begun. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
