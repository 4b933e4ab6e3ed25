/** Owns: the words of what a plan waits for from the reader, in English. */
import { defineWords } from "../../../lib/i18n/words.ts";

export const nextWords = defineWords("next", {
  name: "What's next",
  /** The mark on a tab, for screen readers. */
  mark: "Waiting for you",
  /** The texts of the buttons; the questions are those of the home screen, except the decision. */
  times: "Vote",
  places: "Vote",
  diet: "Answer",
  decide: "See the best match",
  share: "See it",
  chat: "Open the chat",
  decision: "It's time to decide.",
  done: "You're done.",
  nothing: "There's nothing for you to do.",
  declined: "You said you're not coming.",
  /** What the reader hears next, and by what. */
  tells: {
    decided: {
      mail: "We'll email you when it's decided.",
      push: "We'll notify you when it's decided.",
      none: "Look here again to see what's decided.",
    },
    answered: {
      mail: "We'll email you when everyone has answered.",
      push: "We'll notify you when everyone has answered.",
      none: "Look here again to see who has answered.",
    },
    proposed: {
      mail: "We'll email you when there's a proposal.",
      push: "We'll notify you when there's a proposal.",
      none: "Look here again to see the proposal.",
    },
  },
});

export type NextWords = ReturnType<typeof nextWords>;
