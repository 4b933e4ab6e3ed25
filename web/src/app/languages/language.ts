/** Owns: choosing the language at the start and changing it later; other languages' words are fetched here. */
import {
  type Catalogue,
  chooseLanguage,
  chooseLocale,
  chosenLanguage,
  keepLanguage,
  type Language,
  language,
  speak,
} from "../../lib/i18n/language.ts";
import { removeSnapshot } from "../home-snapshot-key.ts";

const catalogues: Record<Language, () => Promise<Catalogue>> = {
  en: async () => ({}),
  de: async () => (await import("./de.ts")).de,
};
const listeners = new Set<() => void>();

/** Before the first render: what was chosen here, or what the browser asks for. */
export async function startLanguage(): Promise<void> {
  try {
    await speakIn(chooseLanguage(chosenLanguage(), navigator.languages));
  } catch (cause) {
    // Without a connection the words may not load; English is part of the code.
    console.warn("The chosen language could not be fetched.", cause);
    await speakIn("en");
  }
}

/** Changes the language now and for the next time. Throws when its words cannot be fetched; nothing changes then. */
export async function changeLanguage(next: Language): Promise<void> {
  await speakIn(next);
  keepLanguage(next);
  removeSnapshot();
}

export function currentLanguage(): Language {
  return language();
}

export function onLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function speakIn(next: Language): Promise<void> {
  speak({
    language: next,
    locale: chooseLocale(next, navigator.languages),
    catalogue: await catalogues[next](),
  });
  document.documentElement.lang = next;
  for (const listener of listeners) listener();
}
