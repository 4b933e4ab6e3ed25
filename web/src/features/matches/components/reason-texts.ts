/** Owns: the sentences that explain a pair's rank. */
import type { Speaker } from "../../../../../supabase/functions/_shared/ranking/reasons.ts";
import { listOf, number } from "../../../lib/i18n/words.ts";
import { monthOf } from "../../../lib/time.ts";
import { peopleWords } from "../../people/words.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { bestWords } from "../words.ts";

/** Made while rendering, so that it speaks the language of now. */
export function speakerOf(plan: Plan): Speaker {
  const words = bestWords();
  const { diets } = peopleWords();
  return {
    words,
    name: (person) => firstName(plan, person),
    names: (people) => listOf(people.map((person) => firstName(plan, person))),
    diets: (list) =>
      listOf(
        list.map((diet) => diets[diet]),
        "disjunction",
      ),
    month: (instant) => monthOf(instant, Date.now(), plan.time_zone),
    stars: (stars) => number(stars, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  };
}
