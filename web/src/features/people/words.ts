/** Owns: the words for people and what they eat, in English. */
import type { Diet } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { defineWords } from "../../lib/i18n/words.ts";

export const peopleWords = defineWords("people", {
  someone: "Someone",
  you: "You",
  diets: {
    vegetarian: "vegetarian",
    vegan: "vegan",
    pescatarian: "pescatarian",
    halal: "halal",
    kosher: "kosher",
    gluten_free: "gluten-free",
    lactose_free: "lactose-free",
    nut_free: "nut-free",
  } satisfies Record<Diet, string> as Record<Diet, string>,
  eatsEverything: "eats everything",
  notSaid: "hasn't said what they eat",
  iEatEverything: "I eat everything",
  ask: {
    title: "So the place works for you",
    diets: "What do you eat?",
    dietsHelp: "Everyone on your plans sees this, so nobody picks a place where you can't eat.",
    start: "Where do your trips start?",
    done: "Save",
    skip: "Skip",
    later: "You can change both under Me.",
  },
  safeFor: "Safe for",
  nameMissing: "Enter your name.",
  nameTooLong: "Use up to 40 characters.",
  nameNotOneLine: "Enter your name on one line, without special formatting.",
});

export type PeopleWords = ReturnType<typeof peopleWords>;
