/** Owns: choosing diets: the person's own, or those that a place must be safe for. */
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { type Diet, diets } from "../../../../../supabase/functions/_shared/ranking/diets.ts";
import { peopleWords } from "../words.ts";

export function DietFilter({ value, onChange }: { value: Diet[]; onChange: (diets: Diet[]) => void }) {
  const words = peopleWords();
  return (
    <ToggleButtonGroup
      aria-label={words.safeFor}
      selectionMode="multiple"
      selectedKeys={value}
      onSelectionChange={(keys) => onChange(diets.filter((diet) => keys.has(diet)))}
      className="flex flex-wrap gap-2"
    >
      {diets.map((diet) => (
        <ToggleButton
          key={diet}
          id={diet}
          className="min-h-9 cursor-pointer rounded-full border border-edge bg-card px-3 text-sm transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent data-[selected]:bg-yes data-[selected]:font-semibold data-[selected]:text-card"
        >
          {words.diets[diet]}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
