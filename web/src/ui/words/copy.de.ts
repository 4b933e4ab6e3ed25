/** Owns: the words of a link that is copied or shared, in German. */
import type { CopyWords } from "./copy.ts";

export const copy: CopyWords = {
  copy: "Link kopieren",
  copied: "Kopiert",
  inClipboard: "Link kopiert.",
  notCopied: "Dein Browser lässt uns nicht kopieren. Markier den Link und kopier ihn selbst.",
  share: "Link teilen",
};
