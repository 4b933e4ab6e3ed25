/** Owns: naming the people whom a place is not known to be safe for. */
import { listOf } from "../../../lib/i18n/words.ts";
import { peopleWords } from "../../people/words.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { placeOptionWords } from "../../plans/words/place-options.ts";
import type { Verdict } from "../choice.ts";

/** "Not confirmed vegan (Dev)", or null. */
export function unsafeText(plan: Plan, { unsafe }: Pick<Verdict, "unsafe">): string | null {
  if (unsafe.length === 0) return null;
  const words = placeOptionWords().diets;
  const { diets } = peopleWords();
  const whom = unsafe.map((one) =>
    words.forWhom(
      one.diets.map((diet) => diets[diet]),
      firstName(plan, one.person),
    ),
  );
  return `${words.unknown} ${listOf(whom)}`;
}
