/** Owns: the words of the primitives, in German. */
import type { UiWords } from "./words.ts";

export const ui: UiWords = {
  tryAgain: "Erneut versuchen",
  close: "Schließen",
  loading: (what) => `Wird geladen: ${what}`,
  notHere: {
    title: "Noch nicht auf diesem Gerät",
    text: "Du bist offline und hast das auf diesem Gerät noch nie geöffnet. Es lädt von selbst, sobald du wieder online bist.",
  },
  refused: {
    missing: "Bitte ausfüllen.",
    short: (least) => `Mindestens ${least} Zeichen.`,
    email: "Gib eine E-Mail-Adresse ein, etwa ana@example.org.",
    invalid: "Bitte prüfen.",
  },
  kinds: {
    network: "Keine Verbindung",
    permission: "Nicht erlaubt",
    conflict: "Etwas hat sich geändert",
    invalid: "Bitte prüfen",
    unexpected: "Etwas ist schiefgelaufen",
  },
};
