/** Owns: the words of maps: distances, directions, and the controls of a map; in English. */
import { defineWords, number, plural } from "../../lib/i18n/words.ts";

export const mapWords = defineWords("map", {
  metres: (metres: number) => `${number(metres)}\u00a0m`,
  kilometres: (kilometres: number) =>
    `${number(kilometres, { maximumFractionDigits: kilometres < 10 ? 1 : 0 })}\u00a0km`,
  contact: {
    call: "Call",
    callOf: (name: string) => `Call ${name}`,
    book: "Book online",
    bookAt: (name: string) => `Book online at ${name}`,
  },
  directions: "Directions",
  directionsTo: (name: string) => `Directions to ${name}`,
  skip: "Skip map",
  loading: "the map",
  ground: "Map. Use the arrow keys to move, plus and minus to zoom",
  groundToPick: "Map. Use the arrow keys to move, plus and minus to zoom, Enter to choose the middle",
  closer: "Zoom in",
  further: "Zoom out",
  cluster: (count: number) =>
    plural(count, { one: "# place here, zoom in", other: "# places here, zoom in" }),
  wheel: (key: string) => `Use ${key} and scroll to zoom the map`,
  fingers: "Use two fingers to move the map",
  start: "Your starting point",
  sources: "Map data: Natural Earth, GeoNames.",
  demo: "Streets are drawn for the demo.",
  tiles: {
    title: "Map",
    plain: "Plain",
    streets: (host: string) => `Streets (from ${host})`,
    help: "The street map shows every street, but its server sees which part of the map you look at.",
  },
  noGraphics: {
    title: "Map not available",
    text: "Your browser can't show maps (WebGL is missing). The list has the same places.",
  },
  failed: { title: "The map didn't load", text: "The list has the same places." },
});

export type MapWords = ReturnType<typeof mapWords>;
