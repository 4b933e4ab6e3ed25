/** Owns: the words of drafts that are not sent yet, in German. */
import type { DraftWords } from "./words.ts";

export const drafts: DraftWords = {
  restored: "Dein Entwurf war auf diesem Gerät gespeichert.",
  saved: "Entwurf auf diesem Gerät gespeichert.",
  startOver: "Von vorn anfangen",
};
