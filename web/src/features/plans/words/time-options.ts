/**
 * Owns: the words of the tab When: times, answers, painting, the deadline and missing answers; in English.
 */
import type { Question } from "../../../../../supabase/functions/_shared/table/steps.ts";
import { defineWords, listOf, plural } from "../../../lib/i18n/words.ts";

const partlyOf = (people: number, question: Question) =>
  people === 0 ? "" : `, ${people} of them not for every ${question === "times" ? "time" : "place"}`;

export const timeOptionWords = defineWords("time-options", {
  answers: { yes: "Yes", if_need_be: "If need be", no: "No" },
  noAnswer: "no answer yet",
  silent: (count: number) => `waiting for ${count}`,
  clear: "Clear",
  yourAnswerFor: (what: string) => `Your answer for ${what}`,
  heat: {
    of: (people: number) => plural(people, { one: "Answers from # person", other: "Answers from # people" }),
    yes: "yes",
    if_need_be: "if need be",
    no: "no",
  },
  empty: { title: "No times yet", text: "Suggest a few times, and everyone can vote." },
  chosen: "chosen",
  over: "past",
  view: { label: "Show times as", board: "Grid", list: "List" },
  zone: {
    label: "Time zone",
    table: (zone: string) => `Time in ${zone}`,
    yours: (zone: string) => `Your time (${zone})`,
    /** The table's local time, next to the viewer's. */
    there: (time: string) => `${time} there`,
  },
  closed: (when: string) => `Voting closed ${when}.`,
  closes: (when: string, distance: string) => `Vote by ${when}, ${distance}.`,
  /** Of one question: the others who have not answered it. */
  waitingFor: (names: readonly string[], more: number, question: Question) =>
    `Waiting for ${listOf(more > 0 ? [...names, plural(more, { one: "# other", other: "# others" })] : names)} to vote on the ${question}.`,
  /** Of one question, which everybody has answered, `partly` of them in part, while `left` people have the other one open. */
  answeredBut: (all: number, partly: number, left: number, question: Question) =>
    `${all === 2 ? "Both" : `All ${all}`} have voted on the ${question}${partlyOf(partly, question)}. ${left} ${left === 1 ? "hasn't" : "haven't"} voted on the ${question === "times" ? "places" : "times"} yet.`,
  waiting: "Your answers are saved on this device and will send when you're online.",
  /** @param partly how many of them have left out an option of the question */
  allAnswered: (partly: number, question: Question) => `Everyone has answered${partlyOf(partly, question)}.`,
  hidden: "Others' answers are hidden until you vote. Answer one time to see them.",
  hiddenShort: "hidden",
  only: { label: "Show only one person's answers", all: "All" },
  board: {
    label: "Times and your answers",
    brush: "Mark times as",
    several: "Select a range",
    how: "Choose an answer, then click or drag over the times.",
    howTouch: "Choose an answer, then tap a time, or swipe sideways across several.",
    howKeys:
      "Use the arrow keys to move, Shift and arrows to select several, and Enter or Space to set the answer.",
    tapStart: "Tap the first time.",
    tapEnd: "Now tap the last one.",
    mine: (answer: string) => `You: ${answer}.`,
    /** One person's answer to a time. */
    theirs: (name: string, answer: string) => `${name}: ${answer}.`,
    requiredOut: (names: readonly string[]) =>
      `${listOf(names)} can't come, and ${names.length === 1 ? "has" : "have"} to be there.`,
    busy: "You're busy then.",
    set: (count: number, answer: string) =>
      plural(count, { one: `# time: ${answer}.`, other: `# times: ${answer}.` }),
    cleared: (count: number) => plural(count, { one: "# answer cleared.", other: "# answers cleared." }),
  },
  detail: {
    label: (time: string) => `Answers for ${time}`,
    hint: "Point to a time, or move to it, to see everyone's answers.",
    nobody: "nobody yet",
    proposedBy: (name: string) => `Suggested by ${name}`,
    who: "See answers",
    options: (time: string) => `See answers for ${time}`,
  },
  remove: { open: "Remove this time", title: "Remove this time?", done: "Time removed." },
  propose: {
    open: "Suggest another time",
    title: "Suggest a time",
    day: "Day",
    from: "From",
    until: "Until",
    clock: (zone: string) => `Times in ${zone}.`,
    refused: "Everyone who has voted said no to this day.",
    do: "Suggest",
    doAnyway: "Suggest anyway",
    done: "Time added.",
  },
});

export type TimeOptionWords = ReturnType<typeof timeOptionWords>;
