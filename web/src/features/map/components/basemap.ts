/**
 * Owns: the app's own basemap: land, water, borders and cities of the world, and the demo city's shore, parks and
 * streets, from the files that scripts/basemap builds, in the app's colours. Nothing is fetched from other servers.
 */
import type {
  FilterSpecification,
  LayerSpecification,
  Map as MapLibreMap,
  StyleSpecification,
} from "maplibre-gl";
import citiesUrl from "../basemap/cities.geojson?url";
import cityUrl from "../basemap/city.geojson?url";
import worldUrl from "../basemap/world.geojson?url";
import { kilometreGrid, type Position } from "../geometry.ts";
import { DEMO, demo } from "../streets.ts";
import { colourOf } from "./colours.ts";
import { KEEP_CLEAR, keepClearLayer } from "./keep-clear.ts";

const GRID_KILOMETRES = 30;
/** The zoom from which the demo city's streets are drawn. */
const DEMO_ZOOM = 9;
/**
 * Between these zooms the world's outlines become too coarse, and fade into the plain background, which is neither land nor
 * water: a coast may be some kilometres off.
 */
const COARSE = [7.5, 9] as const;

export type Colours = Record<
  "land" | "water" | "none" | "park" | "lane" | "street" | "road" | "border" | "label" | "river",
  string
>;

function coloursOf(container: HTMLElement): Colours {
  const colour = (name: `--${string}`) => colourOf(container, name);
  return {
    land: colour("--map-land"),
    water: colour("--map-water"),
    none: colour("--map-none"),
    park: colour("--map-park"),
    lane: colour("--map-lane"),
    street: colour("--map-street"),
    road: colour("--map-road"),
    border: colour("--map-border"),
    label: colour("--ink-soft"),
    river: colour("--map-river-name"),
  };
}

export function basemapStyle(container: HTMLElement, around: Position): StyleSpecification {
  return {
    version: 8,
    sources: {
      grid: { type: "geojson", data: grid(around) },
      [KEEP_CLEAR]: { type: "geojson", data: { type: "FeatureCollection", features: [] } },
      world: { type: "geojson", data: worldUrl, maxzoom: 8 },
      cities: { type: "geojson", data: citiesUrl, maxzoom: 8 },
      ...(demo ? { city: { type: "geojson", data: cityUrl, maxzoom: 15 } } : {}),
    },
    layers: [...layersIn(coloursOf(container)), keepClearLayer],
  };
}

/** Applies the current colours to the layers, after a change between light and dark. */
export function paint(map: MapLibreMap, container: HTMLElement): void {
  for (const { id, paint } of layersIn(coloursOf(container))) {
    for (const [property, value] of Object.entries(paint ?? {}))
      map.setPaintProperty(id, property as "line-color", value as string);
  }
}

export function grid(around: Position) {
  return {
    type: "Feature",
    properties: {},
    geometry: { type: "MultiLineString", coordinates: kilometreGrid(around, GRID_KILOMETRES) },
  } as const;
}

/** Whether the drawn streets of the demo are on the map. */
export function showsDemo(map: MapLibreMap): boolean {
  const bounds = map.getBounds();
  return (
    demo &&
    map.getZoom() >= DEMO_ZOOM &&
    bounds.getWest() < DEMO.east &&
    bounds.getEast() > DEMO.west &&
    bounds.getSouth() < DEMO.north &&
    bounds.getNorth() > DEMO.south
  );
}

/** The layers in these colours, from the lowest to the highest. */
export function layersIn(colours: Colours): LayerSpecification[] {
  return [
    {
      id: "background",
      type: "background",
      paint: {
        "background-color": zoomed([COARSE[0], colours.water], [COARSE[1], colours.none]),
      },
    },
    {
      id: "land",
      type: "fill",
      source: "world",
      filter: kind("land"),
      maxzoom: COARSE[1],
      paint: { "fill-color": zoomed([COARSE[0], colours.land], [COARSE[1], colours.none]) },
    },
    {
      id: "unknown",
      type: "fill",
      source: "world",
      filter: kind("unknown"),
      maxzoom: COARSE[1],
      paint: { "fill-color": colours.none },
    },
    line("border", "world", kind("border"), colours.border, [3, 0.6], [8, 1.2], { maxzoom: COARSE[1] }),
    line("grid", "grid", null, colours.lane, [10, 1], [16, 1], { minzoom: COARSE[1] }),
    ...(demo ? cityLayers(colours) : []),
    label(
      "city",
      "cities",
      ["<=", ["get", "r"], ["-", ["*", ["zoom"], 1.25], 1.5]],
      colours,
      [2, 11],
      [9, 15],
      {
        maxzoom: 11,
      },
    ),
  ];
}

function cityLayers(colours: Colours): LayerSpecification[] {
  const fill = (id: string, name: keyof Colours): LayerSpecification => ({
    id,
    type: "fill",
    source: "city",
    filter: kind(name),
    minzoom: COARSE[0],
    paint: { "fill-color": colours[name] },
  });
  return [
    fill("city-water", "water"),
    fill("city-land", "land"),
    fill("city-park", "park"),
    line("city-lanes", "city", kind("lane"), colours.lane, [12.5, 0.4], [17, 8], { minzoom: 12.5 }),
    line("city-streets", "city", kind("street"), colours.street, [11.5, 0.5], [17, 12], { minzoom: 11.5 }),
    line(
      "city-roads",
      "city",
      ["in", ["get", "k"], ["literal", ["road", "bridge"]]],
      colours.road,
      [8, 0.8],
      [17, 18],
      {
        minzoom: DEMO_ZOOM,
      },
    ),
    name("street", colours, [14, 11], [18, 14], { minzoom: 14.3 }, "line"),
    name("road", colours, [12, 11], [18, 14], { minzoom: 12.5 }, "line"),
    name("park-name", colours, [12, 11], [16, 13], { minzoom: 12.3 }),
    name("district-name", colours, [11.5, 11], [16, 15], { minzoom: 11.5 }),
    name("town-name", colours, [9.5, 11], [14, 15], { minzoom: 9.5, maxzoom: 15 }),
    name("water-name", colours, [9.5, 12], [15, 17], { minzoom: 9.5 }),
  ];
}

type Stop = readonly [zoom: number, value: number];
interface Zooms {
  minzoom?: number;
  maxzoom?: number;
}

const kind = (name: string): FilterSpecification => ["==", ["get", "k"], name];
const zoomed = <Value>(...stops: (readonly [number, Value])[]) =>
  ["interpolate", ["linear"], ["zoom"], ...stops.flat()] as never;

function line(
  id: string,
  source: string,
  filter: unknown,
  colour: string,
  thin: Stop,
  thick: Stop,
  zooms: Zooms,
): LayerSpecification {
  return {
    id,
    type: "line",
    source,
    ...(filter ? { filter: filter as never } : {}),
    ...zooms,
    layout: { "line-cap": "round", "line-join": "round" },
    paint: { "line-color": colour, "line-width": zoomed(thin, thick) },
  };
}

function name(
  what: string,
  colours: Colours,
  small: Stop,
  large: Stop,
  zooms: Zooms,
  placement: "point" | "line" = "point",
): LayerSpecification {
  const layer = label(what, "city", kind(what), colours, small, large, zooms, placement);
  if (what !== "water-name") return layer;
  return {
    ...layer,
    paint: { ...layer.paint, "text-color": colours.river, "text-halo-color": colours.water },
  } as never;
}

function label(
  id: string,
  source: string,
  filter: unknown,
  colours: Colours,
  small: Stop,
  large: Stop,
  zooms: Zooms,
  placement: "point" | "line" = "point",
): LayerSpecification {
  return {
    id: `${id}-label`,
    type: "symbol",
    source,
    filter: filter as never,
    ...zooms,
    layout: {
      "text-field": ["get", "n"],
      // Without a glyph server MapLibre uses the device's font families.
      "text-font": ["sans-serif"],
      "text-size": zoomed(small, large),
      "text-max-width": 8,
      "text-padding": 4,
      "symbol-placement": placement,
      "symbol-spacing": 320,
    },
    paint: { "text-color": colours.label, "text-halo-color": colours.land, "text-halo-width": 1.4 },
  };
}
