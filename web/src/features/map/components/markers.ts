/**
 * Owns: the markers on a map. They are one tab stop together: arrows walk them from west to east, Enter presses the
 * one that has the focus, which is kept when markers are redrawn.
 */
import { type Map as MapLibreMap, Marker } from "maplibre-gl";
import { useEffect, useRef } from "react";
import { boundsOf, clustersOf, type Position } from "../geometry.ts";
import type { MapPoint } from "../map-props.ts";
import { mapWords } from "../words.ts";
import { keepClear } from "./keep-clear.ts";
import { placesOf } from "./name-sides.ts";

/** How near two markers may come, in px: their size, so that each can be pressed. */
const APART = 34;
/** Up to how many markers have their names beside them: more would write over each other. */
const NAMED = 8;

interface Standing {
  marker: Marker;
  element: HTMLButtonElement;
  /** The points of the marker: more than one is a cluster. */
  ids: readonly string[];
  longitude: number;
}

/** Keeps one marker on the map for each point or cluster. */
export function useMarkers(
  map: MapLibreMap | null,
  zoom: number,
  points: readonly MapPoint[],
  selected: string | null,
  onSelect: ((id: string) => void) | undefined,
): void {
  const select = useRef(onSelect);
  select.current = onSelect;
  /** The point whose marker had the focus when the markers were taken away. */
  const focused = useRef<string | null>(null);
  useEffect(() => {
    if (!map) return;
    const press = (id: string) => () => select.current?.(id);
    const together = clustersOf(
      points.filter((point) => point.kind === "place" && point.id !== selected),
      zoom,
      APART,
    );
    const alone = points.filter((point) => point.kind !== "place" || point.id === selected);
    const standing = [
      ...together.map((cluster) =>
        cluster.points.length === 1
          ? pointMarker(cluster.points[0], false, press(cluster.points[0].id))
          : clusterMarker(cluster, cluster.points, () => {
              const bounds = boundsOf(cluster.points, 60);
              if (bounds) map.fitBounds(bounds, { maxZoom: 17, animate: moves() });
            }),
      ),
      ...alone.map((point) => pointMarker(point, point.id === selected, press(point.id))),
    ].toSorted((a, b) => a.longitude - b.longitude);
    for (const { marker } of standing) marker.addTo(map);
    const named = standing.length <= NAMED;
    map.getContainer().classList.toggle("map-named", named);
    if (named) standNames(map, standing, selected);
    keepClear(
      map,
      standing.map(({ marker }) => ({ latitude: marker.getLngLat().lat, longitude: marker.getLngLat().lng })),
      named,
    );
    walkable(map, standing, selected, focused.current);
    focused.current = null;
    return () => {
      const at = standing.find(({ element }) => element === document.activeElement);
      focused.current = at?.ids[0] ?? null;
      for (const { marker } of standing) marker.remove();
    };
  }, [map, zoom, points, selected]);
}

/** Gives each name its place beside its marker. The selected place's name chooses first. */
function standNames(map: MapLibreMap, standing: readonly Standing[], selected: string | null): void {
  const first = ({ ids }: Standing) => Number(selected !== null && ids.includes(selected));
  const ordered = standing
    .filter(({ element }) => element.dataset.name !== undefined)
    .toSorted((a, b) => first(b) - first(a));
  const { clientWidth: width, clientHeight: height } = map.getContainer();
  const places = placesOf(
    ordered.map(({ element, marker }) => ({
      ...map.project(marker.getLngLat()),
      size: element.offsetWidth,
      nameWidth: Number.parseFloat(getComputedStyle(element, "::after").width),
    })),
    { width, height },
  );
  for (const [index, { element }] of ordered.entries()) {
    element.dataset.side = places[index]?.side;
    element.style.setProperty("--name-width", `${places[index]?.width}px`);
  }
}

/** Makes the markers one tab stop, and restores the focus to the marker of `focused`. */
function walkable(
  map: MapLibreMap,
  standing: readonly Standing[],
  selected: string | null,
  focused: string | null,
): void {
  const of = (id: string | null) => standing.find(({ ids }) => id !== null && ids.includes(id));
  const stop = (at: Standing | undefined) => {
    for (const each of standing) each.element.tabIndex = each === at ? 0 : -1;
  };
  stop(of(focused) ?? of(selected) ?? standing[0]);
  for (const [index, { element, marker }] of standing.entries()) {
    element.addEventListener("keydown", (event) => {
      const next = standing[goal(event.key, index, standing.length)];
      if (!next) return;
      event.preventDefault();
      // The same keys move the ground while it has the focus.
      event.stopPropagation();
      stop(next);
      next.element.focus({ preventScroll: true });
    });
    element.addEventListener("focus", () => {
      const at = marker.getLngLat();
      if (!map.getBounds().contains(at)) map.easeTo({ center: at, duration: moves() ? 250 : 0 });
    });
  }
  of(focused)?.element.focus({ preventScroll: true });
}

/** Where a key leads from the marker with this number; -1 for keys that lead nowhere. */
function goal(key: string, from: number, count: number): number {
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return (from + 1) % count;
    case "ArrowLeft":
    case "ArrowUp":
      return (from - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return -1;
  }
}

function pointMarker(point: MapPoint, isSelected: boolean, press: () => void): Standing {
  const element = document.createElement("button");
  element.className = `map-marker map-${point.kind} ${isSelected ? "map-selected" : ""}`;
  element.dataset.name = point.name;
  if (point.mark) element.append(point.mark);
  // What the marker shows belongs to its name.
  const name = point.mark ? `${point.name}, ${point.mark}` : point.name;
  return standingAt(element, name, [point.id], point, press);
}

function clusterMarker(at: Position, points: readonly MapPoint[], press: () => void): Standing {
  const element = document.createElement("button");
  element.className = "map-marker map-cluster";
  element.append(String(points.length));
  const ids = points.map(({ id }) => id);
  return standingAt(element, mapWords().cluster(points.length), ids, at, press);
}

function standingAt(
  element: HTMLButtonElement,
  name: string,
  ids: readonly string[],
  at: Position,
  press: () => void,
): Standing {
  element.type = "button";
  const marker = new Marker({ element }).setLngLat(lngLat(at));
  // MapLibre names every marker the same.
  element.setAttribute("aria-label", name);
  element.addEventListener("click", (event) => {
    event.stopPropagation();
    press();
  });
  return { marker, element, ids, longitude: at.longitude };
}

/** As MapLibre wants it. */
export function lngLat({ latitude, longitude }: Position): [number, number] {
  return [longitude, latitude];
}

/** Whether the map may move without a gesture. */
export function moves(): boolean {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
