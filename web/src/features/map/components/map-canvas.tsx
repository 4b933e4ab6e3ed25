/**
 * Owns: MapLibre. The basemap is the app's own (basemap.ts) and needs no other server, unless the build names a style
 * with real tiles and the person has turned it on. Markers are elements with names, not glyphs.
 */
import "maplibre-gl/dist/maplibre-gl.css";
import "./map.css";
import {
  AttributionControl,
  type GeoJSONSource,
  Map as MapLibreMap,
  ScaleControl,
  setWorkerUrl,
} from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?url";
import { useEffect, useRef, useState } from "react";
import { env } from "../../../lib/backend/env.ts";
import { locale } from "../../../lib/i18n/language.ts";
import { boundsOf } from "../geometry.ts";
import type { MapPoint, MapProps } from "../map-props.ts";
import { usesTiles } from "../tiles-choice.ts";
import { mapWords } from "../words.ts";
import { basemapStyle, grid, paint, showsDemo } from "./basemap.ts";
import { onTheme } from "./colours.ts";
import { lngLat, moves, useMarkers } from "./markers.ts";

setWorkerUrl(workerUrl);

const MARGIN_METRES = 350;
const CLOSEST = 15.5;
/** In pixels, for the markers' height and names, the buttons, and the scale. */
const PADDING = { top: 40, right: 56, bottom: 32, left: 24 };
/** Streets and their names. */
const NEAR_ZOOM = 13;
/** Somewhere to begin when nothing is known yet: the whole of Europe. */
const NOWHERE = { latitude: 48, longitude: 10 };

export default function MapCanvas({ points, selected, onSelect, onPick, centre, roomy = false }: MapProps) {
  const words = mapWords();
  const box = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<MapLibreMap | null>(null);
  const [zoom, setZoom] = useState(0);
  const [tiles] = useState(usesTiles);
  const [demo, setDemo] = useState(false);
  const pick = useRef(onPick);
  pick.current = onPick;
  const moved = useRef(false);
  const first = useRef({ points, centre, roomy, words, tiles, picking: onPick !== undefined });

  useEffect(() => {
    const container = box.current;
    if (!container) return;
    const { roomy, words, picking, tiles, ...start } = first.current;
    const bounds = boundsOf(start.points, MARGIN_METRES);
    const made = new MapLibreMap({
      container,
      style: tiles
        ? env.VITE_MAP_STYLE_URL
        : basemapStyle(container, start.points[0] ?? start.centre ?? NOWHERE),
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      maxZoom: 18,
      fadeDuration: 0,
      // A page is scrolled by one finger and by the wheel; a map within it must not catch either.
      cooperativeGestures: !roomy,
      locale: {
        // The section around it has the label; this is the part of it that keys move.
        "Map.Title": picking ? words.groundToPick : words.ground,
        "CooperativeGesturesHandler.WindowsHelpText": words.wheel("Ctrl"),
        "CooperativeGesturesHandler.MacHelpText": words.wheel("⌘"),
        "CooperativeGesturesHandler.MobileHelpText": words.fingers,
      },
      ...(bounds
        ? { bounds, fitBoundsOptions: { maxZoom: CLOSEST, padding: PADDING } }
        : { center: lngLat(start.centre ?? NOWHERE), zoom: start.centre ? NEAR_ZOOM : 3 }),
    });
    // Screenshots wait for this attribute: the basemap is loaded and drawn.
    made.once("idle", () => container.setAttribute("data-drawn", ""));
    made.touchZoomRotate.disableRotation();
    made.keyboard.disableRotation();
    made.addControl(new ScaleControl({ maxWidth: 90 }), "bottom-left");
    if (tiles) made.addControl(new AttributionControl({ compact: true }), "bottom-right");
    made.on("zoomend", () => setZoom(made.getZoom()));
    made.on("movestart", ({ originalEvent }) => {
      if (originalEvent) moved.current = true;
    });
    const look = () => setDemo(!tiles && showsDemo(made));
    made.on("moveend", look);
    look();
    made.on("click", (event) => {
      pick.current?.({ latitude: event.lngLat.lat, longitude: event.lngLat.lng });
    });
    const ground = made.getCanvas();
    // Without a pointer, the middle is what is pressed.
    ground.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !pick.current) return;
      event.preventDefault();
      const { lat, lng } = made.getCenter();
      pick.current({ latitude: lat, longitude: lng });
    });
    const stopTheme = tiles ? () => undefined : onTheme(() => paint(made, container));
    setZoom(made.getZoom());
    setMap(made);
    return () => {
      stopTheme();
      made.remove();
      setMap(null);
    };
  }, []);

  // The centre may become known after the map was made; a map that the person has moved stays where it is.
  useEffect(() => {
    const { centre: known, points: shown } = first.current;
    if (!map || !centre || known || shown.length > 0 || points.length > 0 || moved.current) return;
    moved.current = true;
    map.jumpTo({ center: lngLat(centre), zoom: NEAR_ZOOM });
  }, [map, centre, points]);
  useMarkers(map, zoom, points, selected ?? null, onSelect);
  useFollowing(map, points, selected ?? null);

  return (
    <>
      <div ref={box} lang={locale()} className={`map ${onPick ? "map-picking" : ""}`} />
      <div className="absolute top-2 right-2 z-10 flex flex-col overflow-hidden rounded-s border border-edge bg-card">
        <ZoomButton name={words.closer} sign="+" press={() => map?.zoomIn()} />
        <ZoomButton name={words.further} sign="−" press={() => map?.zoomOut()} />
      </div>
      {tiles ? null : (
        <p className="map-sources">
          {words.sources} {demo ? words.demo : ""}
        </p>
      )}
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

/** Brings the place that was chosen elsewhere into view, and refits the view when the points change. */
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
    if (bounds) map.fitBounds(bounds, { maxZoom: CLOSEST, padding: PADDING, animate: moves() });
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
