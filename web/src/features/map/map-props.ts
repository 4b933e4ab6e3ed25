/** Owns: the map's props: its points, and the callback when one is chosen. */
import type { Position } from "./geometry.ts";

export interface MapPoint extends Position {
  id: string;
  /** The look of a marker: a place, the person's starting point, or a person who shares their position. */
  kind: "place" | "start" | "person";
  /** Spoken, and shown beside the marker that is selected. */
  name: string;
  /** The text in a person's marker: initials. */
  mark?: string;
}

export interface MapProps {
  /** What this is a map of, spoken. */
  label: string;
  points: readonly MapPoint[];
  /** The point that list and map agree on, by hover, focus or selection. */
  selected?: string | null;
  onSelect?: (id: string) => void;
  /** Called with where the ground was pressed; makes the map one for picking. */
  onPick?: (position: Position) => void;
  /** What to look at when there are no points. */
  centre?: Position | null;
  /** The map is what the screen is for: one finger moves it, the wheel zooms. */
  roomy?: boolean;
  className?: string;
}
