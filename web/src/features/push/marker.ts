/** Owns: the note on this device of who gets notifications here, and under which row and address. */
import * as z from "zod/mini";

const KEY = "nosh.push";
const markerSchema = z.object({ person: z.string(), id: z.string(), endpoint: z.string() });
export type Marker = z.infer<typeof markerSchema>;

export function readMarker(): Marker | null {
  try {
    return markerSchema.safeParse(JSON.parse(localStorage.getItem(KEY) ?? "null")).data ?? null;
  } catch {
    return null;
  }
}

export function writeMarker(marker: Marker | null): void {
  if (marker) localStorage.setItem(KEY, JSON.stringify(marker));
  else localStorage.removeItem(KEY);
}
