/** Owns: the words of the tab Where: places with diets, hours, trips and answers; in German. */
import { listOf, plural } from "../../../lib/i18n/words.ts";
import type { WhereWords } from "./where.ts";

export const where: WhereWords = {
  empty: {
    title: "Noch keine Orte",
    text: "Schlag ein paar vor, oder lass dir unter „Am besten“ einen nennen, der für alle sicher ist.",
  },
  hidden:
    "Wer einlädt, zeigt die Antworten der anderen erst, wenn du geantwortet hast. Ein Ort oder Termin genügt, dann siehst du sie.",
  view: { label: "Wie die Orte gezeigt werden", list: "Liste", map: "Mit Karte" },
  map: "Karte der Orte im Plan",
  thisPlace: "diesen Ort",
  chosen: "gewählt",
  proposedBy: (name) => `Vorgeschlagen von ${name}`,
  diets: {
    nobody: "Niemand hat gesagt, was nicht auf den Teller darf.",
    everyone: "Bekanntermaßen sicher für alle.",
    safe: (names) => `Bekanntermaßen sicher für ${listOf(names)}.`,
    unknown: "Nicht als sicher bekannt:",
    forWhom: (diets, name) => `${listOf(diets)} für ${name}`,
    ask: "Fragt in der Küche nach, bevor ihr ihn wählt.",
  },
  trip: {
    yours: (minutes) => `du ${minutes} Min.`,
    range: (shortest, longest, name) =>
      shortest === longest ? `alle ${longest} Min.` : `von ${shortest} bis ${longest} Min. (${name})`,
    one: (minutes, name) => `${minutes} Min. (${name})`,
    you: "du",
    unknown: "noch keine Wegzeiten",
  },
  hours: {
    unknown: "Zeiten unbekannt",
    always: (times) => plural(times, { one: "dann offen", other: "bei jedem Termin offen" }),
    never: (times) => plural(times, { one: "dann zu", other: "bei jedem Termin zu" }),
    closed: (open, times, when) => `bei ${open} von ${times} Terminen offen, zu ${listOf(when)}`,
    more: (count) => plural(count, { one: "# weiterer", other: "# weitere" }),
  },
  propose: {
    open: "Noch einen Ort vorschlagen",
    first: "Einen Ort vorschlagen",
    title: "Noch ein Ort",
    saved: "Aus deinen gemerkten Orten",
    noSaved: "Was du mit dem Herz merkst, steht hier.",
    search: "Ort suchen",
    found: "Gefunden",
    all: "Alle mit Karte und Filtern",
    add: "Vorschlagen",
    addName: (name) => `${name} vorschlagen`,
    done: (name) => `${name} steht auf dem Tisch.`,
    there: "im Plan",
    none: "So einen Ort gibt es noch nicht. Vielleicht ist er neu: Füg ihn hinzu.",
  },
  withdraw: {
    open: (name) => `${name} zurückziehen`,
    short: "Zurückziehen",
    title: (name) => `${name} zurückziehen?`,
    text: (votes) =>
      votes === 0
        ? "Niemand hat darauf geantwortet. Die anderen Orte bleiben, wie sie sind."
        : plural(votes, {
            one: "# Antwort darauf geht mit. Die anderen Orte bleiben, wie sie sind.",
            other: "# Antworten darauf gehen mit. Die anderen Orte bleiben, wie sie sind.",
          }),
    do: "Zurückziehen",
    keep: "Behalten",
    done: (name) => `${name} ist zurückgezogen.`,
  },
};
