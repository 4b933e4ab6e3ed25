/**
 * Owns: unsent texts, stored on this device. They survive a closed panel, a reload and an expired session;
 * signing out removes them.
 */
import { readStored, store } from "./storage.ts";

const KEY = "nosh.draft.";

/** The text under this name, or null. Also null if the browser allows no storage. */
export function draftText(person: string, what: string): string | null {
  return readStored(`${KEY}${person}.${what}`);
}

/** Stores the text under this name, or removes it when null. */
export function storeDraftText(person: string, what: string, text: string | null): void {
  store(`${KEY}${person}.${what}`, text);
}

/** Passes one person's drafts to another, except where the other has one of that name: a guest moved into an account. */
export function passDrafts(from: string, to: string): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(`${KEY}${from}.`)) continue;
      const passed = `${KEY}${to}.${key.slice(`${KEY}${from}.`.length)}`;
      const text = localStorage.getItem(key);
      if (text !== null && localStorage.getItem(passed) === null) localStorage.setItem(passed, text);
      localStorage.removeItem(key);
    }
  } catch {
    // The browser denies storage.
  }
}

/** Removes all drafts when a person signs out. A session that expires by itself keeps them. */
export function removeDrafts(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) localStorage.removeItem(key);
  } catch {
    // The browser allows no storage.
  }
}
