/** Owns: the words of a link that is copied or shared, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const copyWords = defineWords("copy", {
  copy: "Copy link",
  copied: "Copied",
  inClipboard: "Link copied.",
  notCopied: "Your browser didn't let us copy. Select the link and copy it yourself.",
  share: "Share link",
});

export type CopyWords = ReturnType<typeof copyWords>;
