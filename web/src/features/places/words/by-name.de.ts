/** Owns: the words of finding a place or adding it by its name, in German. */
import type { ByNameWords } from "./by-name.ts";

export const placename: ByNameWords = {
  label: "Ort suchen oder hinzufügen",
  add: (name) => `„${name}“ hinzufügen`,
  there: (name) => `${name} steht schon im Plan.`,
};
