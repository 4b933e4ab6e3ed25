/** Owns: the words of a host's notes below the list of people, and of saving the ticket as a picture, in English. */
import type { Question } from "../../../../supabase/functions/_shared/table/steps.ts";
import { defineWords, listOf, plural } from "../../lib/i18n/words.ts";

const ASKED: Record<Question, string> = {
  times: "when you can make it",
  places: "where you want to eat",
};

export const hostWords = defineWords("hosts", {
  nudge: (count: number) => plural(count, { one: "Nudge # person", other: "Nudge # people" }),
  nudged: (count: number) =>
    plural(count, { one: "We asked # person to vote.", other: "We asked # people to vote." }),
  nudgedToday: "Nudged today",
  unreached: "gets no email or notifications",
  tellThem: (names: readonly string[]) => `${listOf(names)} won't hear from Nosh. Send this message:`,
  /** Messages that the host sends by their own means. */
  askThem: (names: readonly string[], title: string, questions: readonly Question[]) =>
    `${names.join(", ")}, got two minutes? We'd like to know ${questions.map((question) => ASKED[question]).join(" and ")}. ${title}`,
  decided: (names: readonly string[], what: string) => `${names.join(", ")}: it's decided. ${what}`,
  send: "Share message",
  picture: "Save as picture",
  pictureSaved: "Picture saved.",
  pictureFailed: "This browser couldn't make the picture.",
});

export type HostWords = ReturnType<typeof hostWords>;
