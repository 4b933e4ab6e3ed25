/** Owns: the words of pictures of places, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const pictureWords = defineWords("pictures", {
  /** `plan` is the title of the plan that the photo was added to. */
  from: (plan: string) => `Photo from ${plan}`,
});

export type PictureWords = ReturnType<typeof pictureWords>;
