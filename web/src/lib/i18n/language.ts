/**
 * Owns: the current language and locale. The language determines the words, the locale how dates, numbers,
 * lists and plurals are formatted; a locale always belongs to the language, so that a page never mixes two.
 * Changing it renders nothing by itself: the app mounts its tree again.
 */
import { readStored, store } from "../device/storage.ts";

export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/**
 * A language's words by catalogue; English has none here, because its words are imported where they are used.
 */
export type Catalogue = Readonly<Record<string, unknown>>;

const usual: Record<Language, string> = { en: "en-GB", de: "de-DE" };
const KEY = "nosh.language";

interface Spoken {
  language: Language;
  /** BCP 47, "de-AT". */
  locale: string;
  catalogue: Catalogue;
}

let spoken: Spoken = { language: "en", locale: usual.en, catalogue: {} };

export function speak(next: Spoken): void {
  spoken = next;
}

export function language(): Language {
  return spoken.language;
}

export function locale(): string {
  return spoken.locale;
}

export function catalogue(): Catalogue {
  return spoken.catalogue;
}

/**
 * The language for a person: their earlier choice here, else the first supported one of the browser's, else
 * English.
 * @param wanted BCP 47 tags in order of preference, as in `navigator.languages`
 */
export function chooseLanguage(chosen: string | null, wanted: readonly string[]): Language {
  const candidates = chosen === null ? wanted : [chosen, ...wanted];
  for (const tag of candidates) {
    const base = tag.toLowerCase().split("-")[0];
    if (base === "en" || base === "de") return base;
  }
  return "en";
}

/** The browser's own regional variant of the language ("de-AT"), else the default one. */
export function chooseLocale(language: Language, wanted: readonly string[]): string {
  const own = wanted.find((tag) => tag.toLowerCase().startsWith(`${language}-`));
  return own !== undefined && isSupported(own) ? own : usual[language];
}

function isSupported(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false; // not a tag at all
  }
}

/** Null if nothing was chosen, or the browser allows no storage. */
export function chosenLanguage(): string | null {
  return readStored(KEY);
}

export function keepLanguage(language: Language): void {
  store(KEY, language);
}
