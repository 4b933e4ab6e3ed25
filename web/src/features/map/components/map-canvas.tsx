/**
 * Owns: MapLibre. The ground is plain, in the app's own colours with a line each kilometre, and asks no server
 * for anything; VITE_MAP_STYLE_URL puts real tiles there. Markers are elements with names, not glyphs.
 */
import "maplibre-gl/dist/maplibre-gl.css";
import "./map.css";
import {
  AttributionControl,
  type GeoJSONSource,
  Map as MapLibreMap,
  Marker,
  ScaleControl,
  type StyleSpecification,
  setWorkerUrl,
} from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?url";
import { useEffect, useRef, useState } from "react";
import { env } from "../../../lib/env.ts";
import { locale } from "../../../lib/i18n/language.ts";
import { boundsOf, clustersOf, kilometreGrid, type Position } from "../geometry.ts";
import { mapWords } from "../words.ts";
import { colourOf, onTheme } from "./colours.ts";
import type { MapPoint, MapProps } from "./map-view.tsx";

setWorkerUrl(workerUrl);

/** How near two markers may come, in px: their size, so that each can be pressed. */
const APART = 34;
/** Up to how many markers have their names beside them: more would write over each other. */
const NAMED = 8;
const MARGIN_METRES = 350;
const GRID_KILOMETRES = 30;
const CLOSEST = 15.5;
/** Somewhere to begin when nothing is known yet: the whole of Europe. */
const NOWHERE = { latitude: 48, longitude: 10 };

export default function MapCanvas({
  label,
  points,
  selected,
  onSelect,
  onPick,
  centre,
  roomy = false,
}: MapProps) {
  const words = mapWords();
  const box = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<MapLibreMap | null>(null);
  const [zoom, setZoom] = useState(0);
  const pick = useRef(onPick);
  pick.current = onPick;
  const first = useRef({ points, centre, roomy, label, words });

  useEffect(() => {
    const container = box.current;
    if (!container) return;
    const { roomy, label, words, ...start } = first.current;
    const bounds = boundsOf(start.points, MARGIN_METRES);
    const made = new MapLibreMap({
      container,
      style: env.VITE_MAP_STYLE_URL || plainStyle(container, start.points[0] ?? start.centre ?? NOWHERE),
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      maxZoom: 18,
      fadeDuration: 0,
      // A page is scrolled by one finger and by the wheel; a map within it must not catch either.
      cooperativeGestures: !roomy,
      locale: {
        "Map.Title": label,
        "CooperativeGesturesHandler.WindowsHelpText": words.wheel("Ctrl"),
        "CooperativeGesturesHandler.MacHelpText": words.wheel("⌘"),
        "CooperativeGesturesHandler.MobileHelpText": words.fingers,
      },
      ...(bounds
        ? { bounds, fitBoundsOptions: { maxZoom: CLOSEST } }
        : { center: lngLat(start.centre ?? NOWHERE), zoom: start.centre ? 13 : 3 }),
    });
    made.touchZoomRotate.disableRotation();
    made.keyboard.disableRotation();
    made.addControl(new ScaleControl({ maxWidth: 90 }), "bottom-left");
    if (env.VITE_MAP_STYLE_URL) made.addControl(new AttributionControl({ compact: true }), "bottom-right");
    made.on("zoomend", () => setZoom(made.getZoom()));
    made.on("click", (event) => {
      pick.current?.({ latitude: event.lngLat.lat, longitude: event.lngLat.lng });
    });
    const stopTheme = env.VITE_MAP_STYLE_URL ? () => undefined : onTheme(() => paint(made, container));
    setZoom(made.getZoom());
    setMap(made);
    return () => {
      stopTheme();
      made.remove();
      setMap(null);
    };
  }, []);

  useMarkers(map, zoom, points, selected ?? null, onSelect);
  useFollowing(map, points, selected ?? null);

  return (
    <>
      <div ref={box} lang={locale()} className={`map ${onPick ? "map-picking" : ""}`} />
      <div className="absolute top-2 right-2 z-10 flex flex-col overflow-hidden rounded-s border border-edge bg-card">
        <ZoomButton name={words.closer} sign="+" press={() => map?.zoomIn()} />
        <ZoomButton name={words.further} sign="−" press={() => map?.zoomOut()} />
      </div>
    </>
  );
}

function ZoomButton({ name, sign, press }: { name: string; sign: string; press: () => void }) {
  return (
    <button
      type="button"
      aria-label={name}
      onClick={press}
      className="grid size-11 cursor-pointer place-items-center text-lg outline-offset-[-3px] not-first:border-t not-first:border-line hover:bg-card-warm"
    >
      <span aria-hidden>{sign}</span>
    </button>
  );
}

/** One marker for each point or cluster. The list is what the keyboard walks: markers are not tab stops. */
function useMarkers(
  map: MapLibreMap | null,
  zoom: number,
  points: readonly MapPoint[],
  selected: string | null,
  onSelect: ((id: string) => void) | undefined,
) {
  const select = useRef(onSelect);
  select.current = onSelect;
  useEffect(() => {
    if (!map) return;
    const together = clustersOf(
      points.filter((point) => point.kind === "place" && point.id !== selected),
      zoom,
      APART,
    );
    const alone = points.filter((point) => point.kind !== "place" || point.id === selected);
    const markers = [
      ...together.map((cluster) =>
        cluster.points.length === 1
          ? marker(cluster.points[0], false, () => select.current?.(cluster.points[0].id))
          : clusterMarker(cluster, cluster.points.length, () => {
              const bounds = boundsOf(cluster.points, 60);
              if (bounds) map.fitBounds(bounds, { maxZoom: 17, animate: moves() });
            }),
      ),
      ...alone.map((point) => marker(point, point.id === selected, () => select.current?.(point.id))),
    ];
    for (const each of markers) each.addTo(map);
    map.getContainer().classList.toggle("map-named", markers.length <= NAMED);
    return () => {
      for (const each of markers) each.remove();
    };
  }, [map, zoom, points, selected]);
}

/** Brings what was chosen elsewhere into view, and fits anew when the points are others. */
function useFollowing(map: MapLibreMap | null, points: readonly MapPoint[], selected: string | null) {
  const places = points.filter((point) => point.kind !== "person");
  const shown = places.map((point) => point.id).join(" ");
  const fitted = useRef(shown);
  const latest = useRef(places);
  latest.current = places;
  useEffect(() => {
    if (!map || fitted.current === shown) return;
    fitted.current = shown;
    const bounds = boundsOf(latest.current, MARGIN_METRES);
    if (bounds) map.fitBounds(bounds, { maxZoom: CLOSEST, animate: moves() });
    const around = latest.current[0];
    const source = map.getSource<GeoJSONSource>("grid");
    if (around && source) source.setData(grid(around));
  }, [map, shown]);
  const point = points.find(({ id }) => id === selected);
  const latitude = point?.latitude;
  const longitude = point?.longitude;
  useEffect(() => {
    if (!map || latitude === undefined || longitude === undefined) return;
    if (!map.getBounds().contains([longitude, latitude])) {
      map.easeTo({ center: [longitude, latitude], duration: moves() ? 250 : 0 });
    }
  }, [map, latitude, longitude]);
}

function marker(point: MapPoint, isSelected: boolean, press: () => void): Marker {
  const element = document.createElement("button");
  element.className = `map-marker map-${point.kind} ${isSelected ? "map-selected" : ""}`;
  element.dataset.name = point.name;
  if (point.mark) element.append(point.mark);
  return standing(element, point.name, point, press);
}

function clusterMarker(at: Position, count: number, press: () => void): Marker {
  const element = document.createElement("button");
  element.className = "map-marker map-cluster";
  element.append(String(count));
  return standing(element, mapWords().cluster(count), at, press);
}

function standing(element: HTMLButtonElement, name: string, at: Position, press: () => void): Marker {
  element.type = "button";
  element.tabIndex = -1;
  const standing = new Marker({ element }).setLngLat(lngLat(at));
  // MapLibre names every marker the same.
  element.setAttribute("aria-label", name);
  element.addEventListener("click", (event) => {
    event.stopPropagation();
    press();
  });
  return standing;
}

function lngLat({ latitude, longitude }: Position): [number, number] {
  return [longitude, latitude];
}

function moves(): boolean {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function grid(around: Position) {
  return {
    type: "Feature",
    properties: {},
    geometry: { type: "MultiLineString", coordinates: kilometreGrid(around, GRID_KILOMETRES) },
  } as const;
}

function plainStyle(container: HTMLElement, around: Position): StyleSpecification {
  return {
    version: 8,
    sources: { grid: { type: "geojson", data: grid(around) } },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": colourOf(container, "--card") } },
      {
        id: "grid",
        type: "line",
        source: "grid",
        paint: { "line-color": colourOf(container, "--line"), "line-width": 1 },
      },
    ],
  };
}

function paint(map: MapLibreMap, container: HTMLElement): void {
  map.setPaintProperty("ground", "background-color", colourOf(container, "--card"));
  map.setPaintProperty("grid", "line-color", colourOf(container, "--line"));
}
