/** Owns: the words of drafts that are not sent yet, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const draftWords = defineWords("drafts", {
  restored: "We saved your draft on this device.",
  saved: "Draft saved on this device.",
  startOver: "Start over",
});

export type DraftWords = ReturnType<typeof draftWords>;
