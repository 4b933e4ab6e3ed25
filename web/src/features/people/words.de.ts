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
  notSaid: "Ernährung noch nicht bekannt",
  iEatEverything: "Ich esse alles",
  ask: {
    title: "Damit der Ort zu dir passt",
    diets: "Was isst du?",
    dietsHelp:
      "Alle in deinen Plänen sehen das, damit niemand einen Ort wählt, an dem du nichts essen kannst.",
    start: "Von wo kommst du meistens?",
    done: "Speichern",
    skip: "Überspringen",
    later: "Beides kannst du unter „Ich“ ändern.",
  },
  safeFor: "Sicher für",
  nameMissing: "Gib deinen Namen ein.",
  nameTooLong: "Höchstens 40 Zeichen.",
  nameNotOneLine: "Schreib deinen Namen in eine Zeile, ohne besondere Formatierung.",
};
