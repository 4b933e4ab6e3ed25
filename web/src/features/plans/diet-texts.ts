/** Owns: the texts that say for whom a place is not known to be safe: one for each diet, with the people who eat by it. */
import { peopleWords } from "../people/words.ts";
import { firstName } from "./names.ts";
import type { Safety } from "./safety.ts";
import type { Plan } from "./schema.ts";
import { placeOptionWords } from "./words/place-options.ts";

/** "vegan (Ana, Ben)" of people with the same unmet diets. */
export function unsafeTexts(plan: Plan, unknown: Safety["unknown"]): string[] {
  const { diets: names } = peopleWords();
  const { forWhom } = placeOptionWords().diets;
  return [...Map.groupBy(unknown, ({ diets }) => diets.toSorted().join()).values()].map((same) =>
    forWhom(
      (same[0]?.diets ?? []).map((diet) => names[diet]),
      same.map(({ person }) => firstName(plan, person)),
    ),
  );
}

/** "Not confirmed vegan (Dev); halal (Ana, Emre)", or null. */
export function unsafeText(plan: Plan, unknown: Safety["unknown"]): string | null {
  if (unknown.length === 0) return null;
  return `${placeOptionWords().diets.unknown} ${unsafeTexts(plan, unknown).join("; ")}`;
}
