/**
 * Owns: whether maps load street tiles, stored on this device. The tiles' server learns what a person looks at, so tiles
 * are off until the person turns them on. Without a style in the build there is no choice.
 */
import { env } from "../../lib/backend/env.ts";
import { readStored, store } from "../../lib/device/storage.ts";

const KEY = "nosh-map-tiles";

/** The host of the tiles' style; null if the build names no style. */
export function tilesHost(): string | null {
  return env.VITE_MAP_STYLE_URL === "" ? null : new URL(env.VITE_MAP_STYLE_URL).host;
}

export function usesTiles(): boolean {
  return tilesHost() !== null && readStored(KEY) === "on";
}

export function setUsesTiles(on: boolean): void {
  store(KEY, on ? "on" : null);
}
