/** Owns: the words of the tab Best and of the reasons for a pair, in English. */
import { reasonWords } from "../../../../supabase/functions/_shared/reason_words.ts";
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const bestWords = defineWords("best", {
  empty: {
    title: "Nothing to pair yet",
    text: "A pair needs a time that is still to come and a place that is open then.",
  },
  hidden: "Others' answers are hidden until you have answered. Until then this counts only what you can see.",
  card: {
    name: "The best pair",
    choice: "The table's choice",
    question: "Best so far, with a question",
    withoutRequired: "Best so far, without someone who has to be there",
    whatIf: "If it were so",
    choose: "Choose this",
    compromises: "Who gives something up",
    forEach: "For each of you",
    spread: (minutes: number) => `${minutes} min between the shortest and the longest trip`,
  },
  further: {
    title: "Also possible",
    choose: "Choose",
    chooseOf: (place: string, day: string) => `Choose ${place}, ${day}`,
    notSafe: (count: number) =>
      plural(count, { one: "not known to be safe for #", other: "not known to be safe for #" }),
    more: (count: number) => plural(count, { one: "Show # more", other: "Show # more" }),
  },
  unsafe: {
    title: (place: string) => `${place} is not confirmed safe for everyone`,
    ask: "Ask the kitchen first. The plan will say that it is not confirmed.",
    choose: "Choose it anyway",
    back: "Back",
  },
  order: { changed: "The order has changed.", show: "Show it", shown: "The new order is shown." },
  confirmed: (place: string, time: string) => `It is ${place}, ${time}.`,
  outrun: (theirs: string, yours: string) =>
    `Somebody chose a moment before you: ${theirs}. Yours was ${yours}. Reopen voting to change it.`,
  whatIf: {
    title: "What if",
    hint: "Only for your eyes: nothing is saved.",
    people: "For each person: as they answered, without them, or as if they said yes",
    asAnswered: "as answered",
    without: "without",
    yes: "says yes",
    of: (name: string) => `What if: ${name}`,
    reset: "As it is",
    active: (names: string) => `Ranked as if: ${names}.`,
    withoutName: (name: string) => `without ${name}`,
    yesName: (name: string) => `${name} says yes`,
  },
  suggestions: {
    title: "Not on the table yet",
    loading: "suggestions",
    none: "No further place is known to be safe for everyone and open at one of the times.",
    propose: "Put it up",
    proposeOf: (name: string) => `Put ${name} on the plan`,
    proposed: (name: string) => `${name} is on the table.`,
  },
  /** For one person, in a row. */
  person: {
    yes: "can come",
    if_need_be: "if need be",
    no: "cannot come",
    unanswered: "no answer",
    safe: (diets: string) => `${diets}: known safe`,
    unknown: (diets: string) => `${diets}: not known`,
    minutes: (minutes: number) => `${minutes} min`,
  },
  ...reasonWords,
});

export type BestWords = ReturnType<typeof bestWords>;
