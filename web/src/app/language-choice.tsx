/** Owns: choosing the language, small enough for a corner. Each language is called by its own name. */
import { useMutation } from "@tanstack/react-query";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { type Language, language, languages } from "../lib/i18n/language.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { changeLanguage } from "./languages/language.ts";
import { landingWords } from "./words/landing.ts";

const all = Object.keys(languages) as Language[];

export function LanguageChoice({ className = "" }: { className?: string }) {
  const words = landingWords();
  const change = useMutation({ mutationFn: changeLanguage });
  return (
    <div className={className}>
      <ToggleButtonGroup
        aria-label={words.language}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[language()]}
        onSelectionChange={([key]) => {
          const next = all.find((each) => each === key);
          if (next && next !== language()) change.mutate(next);
        }}
        className="flex gap-1 text-sm"
      >
        {all.map((each) => (
          <ToggleButton
            key={each}
            id={each}
            lang={each}
            className="min-h-11 min-w-11 cursor-pointer rounded-full px-2.5 text-ink-soft transition-colors duration-150 hover:text-ink data-[selected]:font-semibold data-[selected]:text-ink data-[selected]:underline data-[selected]:decoration-action data-[selected]:decoration-2 data-[selected]:underline-offset-4"
          >
            {languages[each]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {change.isError ? <ErrorNotice error={change.error} /> : null}
    </div>
  );
}
