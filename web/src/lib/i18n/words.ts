/**
 * Owns: looking up words in the current language. English is next to the code that uses it (`words.ts`) and
 * defines the type; each other language has the same type in a file next to it (`words.de.ts`), so that the
 * compiler finds missing ones. Messages with values are functions: plural and order belong to the language.
 */
import { catalogue, locale } from "./language.ts";

/**
 * The words of one catalogue in the current language.
 * @param noun the key of the catalogue in other languages; unique in the app
 */
export function defineWords<Words extends object>(noun: string, english: Words): () => Words {
  return () => (catalogue()[noun] as Words | undefined) ?? english;
}

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/**
 * The form for a count by the locale's plural rules, "#" replaced by the count: `plural(2, {one: "# seat",
 * other: "# seats"})`.
 */
export function plural(count: number, forms: Forms): string {
  const form = forms[rules(locale()).select(count)] ?? forms.other;
  return form.replaceAll("#", number(count));
}

/** A number in the locale's format: "1,234.5". */
export function number(value: number, options?: Intl.NumberFormatOptions): string {
  if (options) return new Intl.NumberFormat(locale(), options).format(value);
  return kept(plainNumbers, locale(), (of) => new Intl.NumberFormat(of)).format(value);
}

/** "Ana, Bo and Chiara". */
export function listOf(
  items: readonly string[],
  type: "conjunction" | "disjunction" = "conjunction",
): string {
  return new Intl.ListFormat(locale(), { type }).format(items);
}

/** Compares by the locale's sort order. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, locale());
}

// Cached: constructing one costs a hundred times as much as using it.
const plainNumbers = new Map<string, Intl.NumberFormat>();
const pluralRules = new Map<string, Intl.PluralRules>();
function rules(of: string): Intl.PluralRules {
  return kept(pluralRules, of, (tag) => new Intl.PluralRules(tag));
}

function kept<Made>(before: Map<string, Made>, of: string, make: (of: string) => Made): Made {
  const known = before.get(of);
  if (known) return known;
  const made = make(of);
  before.set(of, made);
  return made;
}
