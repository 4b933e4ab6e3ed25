/** Owns: the words of maps: distances, directions, and what a map says of itself; in English. */
import { defineWords, number, plural } from "../../lib/i18n/words.ts";

export const mapWords = defineWords("map", {
  metres: (metres: number) => `${number(metres)} m`,
  kilometres: (kilometres: number) =>
    `${number(kilometres, { maximumFractionDigits: kilometres < 10 ? 1 : 0 })} km`,
  directions: "Directions",
  directionsTo: (name: string) => `Directions to ${name}`,
  skip: "Skip the map",
  loading: "the map",
  ground: "The ground: arrows move it, plus and minus zoom",
  groundToPick: "The ground: arrows move it, plus and minus zoom, Enter takes the middle",
  closer: "Closer",
  further: "Further away",
  cluster: (count: number) =>
    plural(count, { one: "# place here, come closer", other: "# places here, come closer" }),
  wheel: (key: string) => `${key} and the wheel zoom the map`,
  fingers: "Two fingers move the map",
  start: "Your start point",
  noGraphics: {
    title: "No map here",
    text: "This browser cannot draw maps (WebGL is missing). The list says the same.",
  },
  failed: { title: "The map could not be drawn", text: "The list says the same." },
});

export type MapWords = ReturnType<typeof mapWords>;
