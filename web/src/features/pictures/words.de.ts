/** Owns: the words of pictures of places, in German. */
import type { PictureWords } from "./words.ts";

export const pictures: PictureWords = {
  from: (plan) => `Foto von „${plan}“`,
};
