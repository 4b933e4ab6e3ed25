/** Owns: the words of the primitives, in German. */
import type { UiWords } from "./words.ts";

export const ui: UiWords = {
  tryAgain: "Noch einmal",
  close: "Schließen",
  loading: (what) => `${what} wird geladen`,
  notHere: {
    title: "Noch nicht auf diesem Gerät",
    text: "Du bist offline und hast das hier noch nie angesehen. Es kommt von selbst, sobald du wieder Verbindung hast.",
  },
  kinds: {
    network: "Keine Verbindung",
    permission: "Nicht erlaubt",
    conflict: "Es hat sich geändert",
    invalid: "Noch nicht ganz",
    unexpected: "Etwas ist kaputt",
  },
};
