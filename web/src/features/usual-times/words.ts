/** Owns: the words of usual times, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const usualWords = defineWords("usual", {
  title: "Usual times",
  text: "When can you usually eat out? We fill in your answers on new plans, and you check and send them. Only you see this.",
  loading: "your usual times",
  parts: { lunch: "Lunch", dinner: "Dinner" },
  cell: (weekday: string, part: string) => `${weekday}, ${part}`,
  answers: { yes: "Yes", if_need_be: "If need be", no: "No" },
  none: "It varies",
  saved: "Saved.",
  offer: {
    title: "From your usual times",
    text: "Not sent yet. Change what's different this time.",
    send: (count: number) => plural(count, { one: "Send # answer", other: "Send # answers" }),
    sent: (count: number) => plural(count, { one: "# answer saved.", other: "# answers saved." }),
    skip: "Don't use them",
  },
});

export type UsualWords = ReturnType<typeof usualWords>;
