/**
 * Owns: how words reach a screen. English stands beside the code that says it (`words.ts`) and gives the
 * shape; each other language has the same shape in a file next to it (`words.de.ts`), so that the compiler
 * finds what is missing. Words with something in them are functions: plural and order are the language's own.
 */
import { catalogue, locale } from "./language.ts";

/**
 * The words of one noun, in the language spoken now.
 * @param noun the key under which other languages' catalogues hold them; once in the app
 */
export function defineWords<Words extends object>(noun: string, english: Words): () => Words {
  return () => (catalogue()[noun] as Words | undefined) ?? english;
}

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The form that the locale's rules pick for a count, "#" replaced by the count: `plural(2, {one: "# seat", other: "# seats"})`. */
export function plural(count: number, forms: Forms): string {
  const form = forms[rules(locale()).select(count)] ?? forms.other;
  return form.replaceAll("#", number(count));
}

/** "1,234.5" as the locale writes it. */
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

/** Compares as the locale sorts. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, locale());
}

// Making one of these costs a hundred times what using it does.
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
