/** Tests basemap.ts: which ground is drawn at which zoom, and that cities are labelled. */
import { expect, it } from "vitest";
import { type Colours, layersIn } from "./basemap.ts";

const names = [
  "land",
  "water",
  "none",
  "park",
  "lane",
  "street",
  "road",
  "border",
  "label",
  "river",
] as const;
const layers = layersIn(Object.fromEntries(names.map((name) => [name, name])) as Colours);
const layer = (id: string) => layers.find((one) => one.id === id);

it("shows neither land nor water where outlines are too coarse", () => {
  expect(layer("background")?.paint).toEqual({
    "background-color": ["interpolate", ["linear"], ["zoom"], 7.5, "water", 9, "none"],
  });
  expect(layer("land")).toMatchObject({
    maxzoom: 9,
    paint: { "fill-color": ["interpolate", ["linear"], ["zoom"], 7.5, "land", 9, "none"] },
  });
  expect(layer("unknown")).toMatchObject({ maxzoom: 9, paint: { "fill-color": "none" } });
});

it("labels cities by their names", () => {
  expect(layer("city-label")).toMatchObject({
    type: "symbol",
    source: "cities",
    layout: { "text-field": ["get", "n"] },
  });
});
