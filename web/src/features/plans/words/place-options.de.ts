/** Owns: the words of the tab Where: places with diets, hours, trips and answers; in German. */
import { listOf, plural } from "../../../lib/i18n/words.ts";
import type { PlaceOptionWords } from "./place-options.ts";

const placeOptions: PlaceOptionWords = {
  empty: {
    title: "Noch keine Orte",
    text: "Schlag ein paar vor, oder sieh dir die Vorschläge unter „Beste Wahl“ an.",
  },
  hidden: "Die Antworten der anderen siehst du erst, wenn du abgestimmt hast. Ein Ort oder Termin genügt.",
  view: { label: "Orte anzeigen als", list: "Liste", map: "Mit Karte" },
  map: "Karte der Orte im Plan",
  refused: (names) => `Gegen diesen Ort: ${listOf(names)}`,
  thisPlace: "diesen Ort",
  chosen: "gewählt",
  details: "Details",
  detailsOf: (name) => `Details zu ${name}`,
  proposedBy: (name) => `Vorgeschlagen von ${name}`,
  diets: {
    safe: (names) => `Als sicher bestätigt für ${listOf(names)}.`,
    ate: (name, diet, month) => `${name} hat hier im ${month} ${diet} gegessen.`,
    unknown: "Nicht bestätigt:",
    unknownFor: (names) => `Nicht bestätigt für ${listOf(names)}`,
    forWhom: (diets, names) => `${listOf(diets)} (${names.join(", ")})`,
    unasked: (names) =>
      `Wir wissen noch nicht, was ${listOf(names)} ${names.length === 1 ? "isst" : "essen"}.`,
    unaskedMany: (count) => `Von ${count} Leuten wissen wir noch nicht, was sie essen.`,
    ask: "Fragt vorher im Restaurant nach.",
  },
  trip: {
    yours: (minutes) => `du ${minutes} Min.`,
    range: (shortest, longest, name) =>
      shortest === longest ? `je ${longest} Min.` : `${shortest} bis ${longest} Min. (am längsten: ${name})`,
    one: (minutes, name) => `${minutes} Min. (${name})`,
    you: "du",
    noPosition: "Wege lassen sich nicht schätzen",
  },
  hours: {
    unknown: "Zeiten unbekannt",
    always: (times) => plural(times, { one: "dann offen", other: "bei jedem Termin offen" }),
    never: (times) => plural(times, { one: "dann zu", other: "bei jedem Termin zu" }),
    closed: (when) => `${listOf(when)} zu`,
    closedAt: (closed, times) => `bei ${closed} von ${times} Terminen zu`,
  },
  propose: {
    open: "Ort vorschlagen",
    first: "Ort vorschlagen",
    title: "Ort vorschlagen",
    saved: "Aus deinen gemerkten Orten",
    noSaved: "Orte, die du dir mit dem Herz merkst, findest du hier.",
    found: "Gefunden",
    all: "Alle Orte mit Karte und Filtern",
    add: "Vorschlagen",
    addName: (name) => `${name} vorschlagen`,
    done: (name) => `${name} hinzugefügt.`,
    there: "im Plan",
  },
  remove: {
    open: (name) => `${name} entfernen`,
    short: "Entfernen",
    title: (name) => `${name} entfernen?`,
    done: (name) => `${name} entfernt.`,
  },
};

export { placeOptions as "place-options" };
