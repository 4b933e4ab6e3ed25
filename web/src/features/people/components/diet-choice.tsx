/** Owns: choosing diets, or "I eat everything". Nothing is selected for a person who has not said what they eat. */
import { ToggleButton } from "react-aria-components";
import type { Diet } from "../../../../../supabase/functions/_shared/ranking/diets.ts";
import { peopleWords } from "../words.ts";
import { DietFilter } from "./diet-filter.tsx";

export function DietChoice({
  diets,
  known,
  onChange,
}: {
  diets: Diet[];
  known: boolean;
  onChange: (diets: Diet[], known: boolean) => void;
}) {
  const words = peopleWords();
  return (
    <div className="flex flex-col items-start gap-2">
      <DietFilter value={diets} onChange={(next) => onChange(next, next.length > 0)} />
      <ToggleButton
        isSelected={known && diets.length === 0}
        onChange={(everything) => onChange([], everything)}
        className="min-h-9 cursor-pointer rounded-full border border-edge bg-card px-3 text-sm transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent data-[selected]:bg-yes data-[selected]:font-semibold data-[selected]:text-card"
      >
        {words.iEatEverything}
      </ToggleButton>
    </div>
  );
}
