/** Owns: the way to a place as an address that the device's own map app opens. Pure. */
import type { Position } from "./geometry.ts";

/** A place, with its position or an address. */
export interface Destination {
  name: string;
  address: string;
  latitude: number | null;
  longitude: number | null;
}

export type Platform = "apple" | "android" | "other";

/** By the browser's user agent; an iPad calls itself a Mac, which comes to the same. */
export function platformOf(userAgent: string): Platform {
  if (/Android/.test(userAgent)) return "android";
  return /iPhone|iPad|iPod|Macintosh/.test(userAgent) ? "apple" : "other";
}

/**
 * Apple Maps by its universal link, `geo:` (RFC 5870, with the name as Android reads it) for whatever map app an
 * Android phone has, OpenStreetMap's route page elsewhere, or Google's where only an address is known, which it looks
 * up itself. None of them is told where one is.
 */
export function directionsTo(place: Destination, platform: Platform): string {
  const { name, address, ...position } = place;
  const known = isKnown(position) ? position : null;
  const at = known ? `${known.latitude},${known.longitude}` : encodeURIComponent(`${name}, ${address}`);
  switch (platform) {
    case "apple":
      return `https://maps.apple.com/?daddr=${at}${known ? `&q=${encodeURIComponent(name)}` : ""}`;
    case "android":
      // A bracket of the name would end the label.
      return known
        ? `geo:${at}?q=${at}(${encodeURIComponent(name.replace(/[()]/g, " "))})`
        : `geo:0,0?q=${at}`;
    case "other":
      return known
        ? `https://www.openstreetmap.org/directions?to=${encodeURIComponent(at)}#map=16/${at.replace(",", "/")}`
        : `https://www.google.com/maps/dir/?api=1&destination=${at}`;
  }
}

function isKnown(at: { latitude: number | null; longitude: number | null }): at is Position {
  return at.latitude !== null && at.longitude !== null;
}

/** Whether there is a way to say where it is. */
export const hasDirections = (place: Omit<Destination, "name">) => place.address !== "" || isKnown(place);
