/** Owns whether a wing stands in the list, which is empty where the core is tested alone. */
import { wings } from "../wings/index.ts";

export function hasWing(name: string): boolean {
  return wings.some((wing) => wing.name === name);
}
