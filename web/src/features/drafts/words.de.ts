/** Owns: the words of what one typed and has not sent, in German. */
import type { DraftWords } from "./words.ts";

export const drafts: DraftWords = {
  restored: "So, wie du es gelassen hast: Es lag noch auf diesem Gerät.",
  kept: "Liegt auf diesem Gerät, bis du fertig bist.",
  anew: "Neu anfangen",
};
