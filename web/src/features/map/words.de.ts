/** Owns: the words of maps: distances, directions, and what a map says of itself; in German. */
import { number, plural } from "../../lib/i18n/words.ts";
import type { MapWords } from "./words.ts";

export const map: MapWords = {
  metres: (metres) => `${number(metres)} m`,
  kilometres: (kilometres) => `${number(kilometres, { maximumFractionDigits: kilometres < 10 ? 1 : 0 })} km`,
  directions: "Weg dorthin",
  directionsTo: (name) => `Weg zu ${name}`,
  skip: "Karte überspringen",
  loading: "die Karte",
  ground: "Der Boden: Pfeile bewegen ihn, Plus und Minus zoomen",
  groundToPick: "Der Boden: Pfeile bewegen ihn, Plus und Minus zoomen, Enter nimmt die Mitte",
  closer: "Näher heran",
  further: "Weiter weg",
  cluster: (count) => plural(count, { one: "# Ort hier, näher heran", other: "# Orte hier, näher heran" }),
  wheel: (key) => `${key} und das Mausrad zoomen die Karte`,
  fingers: "Zwei Finger bewegen die Karte",
  start: "Dein Startpunkt",
  noGraphics: {
    title: "Hier geht keine Karte",
    text: "Dieser Browser kann keine Karten zeichnen (WebGL fehlt). Die Liste sagt dasselbe.",
  },
  failed: { title: "Die Karte ließ sich nicht zeichnen", text: "Die Liste sagt dasselbe." },
};
