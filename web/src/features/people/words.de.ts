/** Owns: the words for people and what they eat, in German. */
import type { PeopleWords } from "./words.ts";

export const people: PeopleWords = {
  someone: "Jemand",
  you: "Du",
  diets: {
    vegetarian: "vegetarisch",
    vegan: "vegan",
    pescatarian: "pescetarisch",
    halal: "halal",
    kosher: "koscher",
    gluten_free: "glutenfrei",
    lactose_free: "laktosefrei",
    nut_free: "nussfrei",
  },
  eatsEverything: "isst alles",
  safeFor: "Sicher für",
  nameMissing: "Gib deinen Namen ein.",
  nameTooLong: "Höchstens 40 Zeichen.",
};
