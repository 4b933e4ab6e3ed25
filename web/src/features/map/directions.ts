/** Owns: the way to a place as an address that the device's own map app opens. Pure. */
import type { Position } from "./geometry.ts";

export type Platform = "apple" | "android" | "other";

/** By the browser's user agent; an iPad calls itself a Mac, which comes to the same. */
export function platformOf(userAgent: string): Platform {
  if (/Android/.test(userAgent)) return "android";
  return /iPhone|iPad|iPod|Macintosh/.test(userAgent) ? "apple" : "other";
}

/**
 * Apple Maps by its universal link, `geo:` (RFC 5870, with the name as Android reads it) for whatever map app an
 * Android phone has, OpenStreetMap's route page elsewhere. None of them is told where one is.
 */
export function directionsTo(place: Position & { name: string }, platform: Platform): string {
  const at = `${place.latitude},${place.longitude}`;
  switch (platform) {
    case "apple":
      return `https://maps.apple.com/?daddr=${at}&q=${encodeURIComponent(place.name)}`;
    case "android":
      // A bracket of the name would end the label.
      return `geo:${at}?q=${at}(${encodeURIComponent(place.name.replace(/[()]/g, " "))})`;
    case "other":
      return `https://www.openstreetmap.org/directions?to=${encodeURIComponent(at)}#map=16/${place.latitude}/${place.longitude}`;
  }
}
