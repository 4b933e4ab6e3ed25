/** Owns: the words of what one typed and has not sent, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const draftWords = defineWords("drafts", {
  restored: "As you left it, kept on this device.",
  kept: "Kept on this device.",
  anew: "Begin anew",
});

export type DraftWords = ReturnType<typeof draftWords>;
