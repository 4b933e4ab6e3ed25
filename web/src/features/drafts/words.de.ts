/** Owns: the words of what one typed and has not sent, in German. */
import type { DraftWords } from "./words.ts";

export const drafts: DraftWords = {
  restored: "Wie du es gelassen hast, von diesem Gerät.",
  kept: "Liegt auf diesem Gerät.",
  anew: "Neu anfangen",
};
