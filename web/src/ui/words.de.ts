/** Owns: the words of the primitives, in German. */
import type { UiWords } from "./words.ts";

export const ui: UiWords = {
  tryAgain: "Noch einmal",
  close: "Schließen",
  loading: (what) => `${what} wird geladen`,
  kinds: {
    network: "Keine Verbindung",
    permission: "Nicht erlaubt",
    conflict: "Es hat sich geändert",
    invalid: "Noch nicht ganz",
    unexpected: "Etwas ist kaputt",
  },
};
