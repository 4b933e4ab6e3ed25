/** Owns: where the app's maps have streets: in the demo city, and everywhere for a person who has turned street tiles on. */
import { env } from "../../lib/backend/env.ts";
import type { Position } from "./geometry.ts";
import { usesTiles } from "./tiles-choice.ts";

export const demo = env.VITE_MAP_DEMO_CITY !== "off";
/** The demo city's bounding box, as in scripts/basemap/lisbon.ts. */
export const DEMO = { west: -9.6, south: 38.51, east: -8.72, north: 38.98 };

/** Whether a map of these positions shows more than a plain ground. Where it does not, screens leave it out. */
export function hasStreets(positions: readonly Position[]): boolean {
  return usesTiles() || positions.some(isInDemo);
}

function isInDemo({ latitude, longitude }: Position): boolean {
  return (
    demo && longitude > DEMO.west && longitude < DEMO.east && latitude > DEMO.south && latitude < DEMO.north
  );
}
