/** Owns: the words of looking up a name or an address, in English. */
import { defineWords } from "../../../lib/i18n/words.ts";

export const lookUpWords = defineWords("lookup", {
  label: "Found on the map",
  looking: "Looking it up",
  none: "Nothing found. Check how it's written.",
  use: (name: string, address: string) => `Use ${address === "" ? name : `${name}, ${address}`}`,
  useShort: "Use",
  cityOnly: "City only: trips can't be estimated.",
  ownMap: "From Nosh's own map and places. Not every street is on it.",
  refusals: {
    look_up_busy: {
      message: "Many people are looking up addresses right now.",
      hint: "Try again in a few seconds.",
    },
    geocoder_unavailable: {
      message: "Looking up addresses isn't working right now.",
      hint: "Try again in a moment.",
    },
    link_unreachable: {
      message: "We couldn't open this short link.",
      hint: "Open it yourself, then copy the long address from your browser.",
    },
    too_many_look_ups: {
      message: "You've looked up too many addresses in the last hour.",
      hint: "Try again later.",
    },
  } as Record<string, { message: string; hint: string }>,
});

export type LookUpWords = ReturnType<typeof lookUpWords>;
