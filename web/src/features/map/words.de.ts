/** Owns: the words of maps: distances, directions, and the controls of a map; in German. */
import { number, plural } from "../../lib/i18n/words.ts";
import type { MapWords } from "./words.ts";

export const map: MapWords = {
  metres: (metres) => `${number(metres)}\u00a0m`,
  kilometres: (kilometres) =>
    `${number(kilometres, { maximumFractionDigits: kilometres < 10 ? 1 : 0 })}\u00a0km`,
  contact: {
    call: "Anrufen",
    callOf: (name) => `Anrufen: ${name}`,
    book: "Online buchen",
    bookAt: (name) => `Online buchen: ${name}`,
  },
  directions: "Route",
  directionsTo: (name) => `Route zu ${name}`,
  skip: "Karte überspringen",
  loading: "Die Karte",
  ground: "Karte. Mit den Pfeiltasten bewegen, mit Plus und Minus zoomen",
  groundToPick: "Karte. Mit den Pfeiltasten bewegen, mit Plus und Minus zoomen, mit Enter die Mitte wählen",
  closer: "Vergrößern",
  further: "Verkleinern",
  cluster: (count) => plural(count, { one: "# Ort hier, vergrößern", other: "# Orte hier, vergrößern" }),
  wheel: (key) => `Zum Zoomen ${key} gedrückt halten und scrollen`,
  fingers: "Beweg die Karte mit zwei Fingern",
  start: "Dein Startpunkt",
  sources: "Kartendaten: Natural Earth, GeoNames.",
  demo: "Die Straßen sind für die Demo gezeichnet.",
  tiles: {
    title: "Karte",
    plain: "Schlicht",
    streets: (host) => `Straßen (von ${host})`,
    help: "Die Straßenkarte zeigt jede Straße, aber ihr Server sieht, welchen Ausschnitt du dir ansiehst.",
  },
  noGraphics: {
    title: "Karte nicht verfügbar",
    text: "Dein Browser kann keine Karten anzeigen (WebGL fehlt). Die Liste zeigt dieselben Orte.",
  },
  failed: { title: "Die Karte konnte nicht geladen werden", text: "Die Liste zeigt dieselben Orte." },
};
