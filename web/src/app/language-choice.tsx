/** Owns: choosing the language, small enough for a corner. Each language is called by its own name. */
import { useMutation } from "@tanstack/react-query";
import { type Language, language, languages } from "../lib/i18n/language.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { changeLanguage } from "./languages/language.ts";
import { landingWords } from "./words/landing-words.ts";

const all = Object.keys(languages) as Language[];

/** @param others whether a narrow screen shows the other languages only, but while the keyboard is here */
export function LanguageChoice({ className = "", others = false }: { className?: string; others?: boolean }) {
  const words = landingWords();
  const change = useMutation({ mutationFn: changeLanguage });
  return (
    <div className={className}>
      <fieldset className="flex gap-1 text-sm">
        <legend className="sr-only">{words.language}</legend>
        {all.map((each) => (
          <label
            key={each}
            lang={each}
            className={`${others ? "max-sm:has-checked:not-has-focus-visible:sr-only " : ""}relative grid min-h-11 min-w-11 cursor-pointer place-items-center rounded-full px-2.5 text-ink-soft transition-colors duration-150 hover:text-ink has-checked:font-semibold has-checked:text-ink has-checked:underline has-checked:decoration-action has-checked:decoration-2 has-checked:underline-offset-4 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ink`}
          >
            <input
              type="radio"
              name="language"
              className="absolute inset-0 cursor-pointer opacity-0"
              checked={each === language()}
              onChange={() => change.mutate(each)}
            />
            {languages[each]}
          </label>
        ))}
      </fieldset>
      {change.isError ? <ErrorNotice error={change.error} /> : null}
    </div>
  );
}
