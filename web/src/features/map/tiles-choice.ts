/**
 * Owns: whether maps load street tiles, remembered on this device. Tiles tell their server what a person looks at, so
 * they are off until the person turns them on, and there is no choice where the build names no style.
 */
import { env } from "../../lib/backend/env.ts";

const KEY = "nosh-map-tiles";

/** The server of the tiles' style; null if the build names none. */
export function tilesHost(): string | null {
  return env.VITE_MAP_STYLE_URL === "" ? null : new URL(env.VITE_MAP_STYLE_URL).host;
}

export function usesTiles(): boolean {
  return tilesHost() !== null && localStorage.getItem(KEY) === "on";
}

export function setUsesTiles(on: boolean): void {
  if (on) localStorage.setItem(KEY, "on");
  else localStorage.removeItem(KEY);
}
