/** Owns: the words of the tab Best and of the reasons for a pair, in English. */
import { reasonWords } from "../../../../supabase/functions/_shared/ranking/reason_words.ts";
import { defineWords, listOf, plural } from "../../lib/i18n/words.ts";

export const bestWords = defineWords("best", {
  empty: {
    title: "No match yet",
    text: "What's missing is an upcoming time, or a place that's open then.",
  },
  hidden: "Others' answers are hidden until you vote. For now, this ranking only counts what you can see.",
  card: {
    name: "Best match",
    choice: "Best match",
    question: "Best so far, but ask about the diets",
    withoutRequired: "Best so far, but someone who has to be there can't come",
    nobodyYet: "Best so far, but nobody has said yes yet",
    whatIf: "What if",
    decided: "Chosen",
    choose: "Choose this",
    chooseTime: "Choose only the time",
    compromises: "Trade-offs",
    forEach: "For each person",
    spread: (minutes: number) => `${minutes} min between the shortest and longest trip`,
  },
  further: {
    title: "Also possible",
    choose: "Choose",
    chooseOf: (place: string, time: string) => `Choose ${[place, time].filter(Boolean).join(", ")}`,
    notSafe: (count: number) =>
      plural(count, {
        one: "not confirmed safe for # person",
        other: "not confirmed safe for # people",
      }),
    more: (count: number) => plural(count, { one: "Show # more", other: "Show # more" }),
  },
  doubtful: {
    absentTitle: "Not everyone can come",
    refusedTitle: (place: string) => `Not everyone wants ${place}`,
    refused: (names: readonly string[]) => `${listOf(names)} said no to this place.`,
    absent: (names: readonly string[]) => `${listOf(names)} can't come then.`,
    title: (place: string) => `${place} is not confirmed safe for everyone`,
    ask: "Ask the restaurant first. The plan will say that it isn't confirmed.",
    choose: "Choose it anyway",
    back: "Back",
  },
  order: { changed: "The ranking has changed.", show: "Update", shown: "Ranking updated." },
  confirmed: (place: string, time: string) => `It's ${place}, ${time}.`,
  confirmedTime: (time: string) => `It's ${time}. The place is still to be decided.`,
  outrun: (theirs: string, yours: string) =>
    `Someone chose just before you: ${theirs}. You chose ${yours}. You can change it under Manage plan.`,
  whatIf: {
    title: "What if",
    hint: "Only you see this. Nothing is saved.",
    people: "For each person: as answered, without them, or as if they said yes",
    asAnswered: "as answered",
    without: "without",
    yes: "says yes",
    of: (name: string) => `What if: ${name}`,
    reset: "Reset",
    active: (names: string) => `What if: ${names}.`,
    withoutName: (name: string) => `without ${name}`,
    yesName: (name: string) => `${name} says yes`,
  },
  suggestions: {
    title: "Suggestions",
    loading: "suggestions",
    add: "Add a place",
    none: "No other place nearby is confirmed safe for everyone and open at one of the times.",
    propose: "Suggest",
    proposeOf: (name: string) => `Suggest ${name}`,
    proposed: (name: string) => `${name} added.`,
  },
  /** For one person, in a row. */
  person: {
    yes: "can come",
    if_need_be: "if need be",
    no: "can't come",
    unanswered: "no answer yet",
    safe: (diets: string) => `${diets}: confirmed`,
    unknown: (diets: string) => `${diets}: not confirmed`,
    ate: (diet: string, month: string) => `${diet}: eaten in ${month}`,
    minutes: (minutes: number) => `${minutes} min`,
  },
  ...reasonWords,
});

export type BestWords = ReturnType<typeof bestWords>;
