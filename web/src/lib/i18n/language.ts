/**
 * Owns: which language and locale the app speaks now. The language decides the words, the locale how dates,
 * numbers, lists and plurals are written; a locale always belongs to the language, so that a page is never
 * in two languages. Changing it renders nothing by itself: the app mounts its tree again.
 */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** A language's words, by the noun they belong to; English has none here, it stands where it is used. */
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
 * The language a person gets: what they chose here before, else the first of the browser's that we speak,
 * else English.
 * @param wanted BCP 47 tags in order of preference, as `navigator.languages` has them
 */
export function chooseLanguage(chosen: string | null, wanted: readonly string[]): Language {
  const candidates = chosen === null ? wanted : [chosen, ...wanted];
  for (const tag of candidates) {
    const base = tag.toLowerCase().split("-")[0];
    if (base === "en" || base === "de") return base;
  }
  return "en";
}

/** The browser's own kind of the language ("de-AT"), else its usual one. */
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

/** Null where nothing was chosen, or where the browser keeps nothing. */
export function chosenLanguage(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}
