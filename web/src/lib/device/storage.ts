/** Owns: texts stored on this device. Where the browser denies storage or it is full, nothing is stored or thrown. */

/** The text under this key; null if there is none. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores the text under this key, or removes it when null. */
export function store(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Without storage the text is lost when the page is left.
  }
}
