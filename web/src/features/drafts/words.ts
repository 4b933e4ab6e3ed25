/** Owns: the words of what one typed and has not sent, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const draftWords = defineWords("drafts", {
  restored: "As you left it: it was kept on this device.",
  kept: "Kept on this device until you are done.",
  anew: "Begin anew",
});

export type DraftWords = ReturnType<typeof draftWords>;
