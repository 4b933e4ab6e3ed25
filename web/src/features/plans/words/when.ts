/** Owns: the words of the tab When: times, answers, painting, the deadline and who is waited for; in English. */
import { defineWords, listOf, plural } from "../../../lib/i18n/words.ts";

export const whenWords = defineWords("when", {
  answers: { yes: "Yes", if_need_be: "If need be", no: "No" },
  noAnswer: "no answer",
  takeBack: "Take back",
  yourAnswerFor: (what: string) => `Your answer for ${what}`,
  heat: {
    of: (people: number) => `Answers of ${people} people`,
    yes: "yes",
    if_need_be: "if need be",
    no: "no",
    silent: "silent",
  },
  empty: { title: "No times yet", text: "Put up a few evenings, and the table can answer." },
  chosen: "chosen",
  over: "over",
  view: { label: "How times are shown", board: "Board", list: "List" },
  zone: {
    label: "Whose clock",
    table: (zone: string) => `The table's (${zone})`,
    yours: (zone: string) => `Yours (${zone})`,
    /** Beside one's own time: the table's. */
    there: (time: string) => `there ${time}`,
  },
  closed: (when: string) => `Voting closed ${when}.`,
  closes: (when: string, distance: string) => `Answers until ${when}, ${distance}.`,
  waitingFor: (names: readonly string[], more: number) =>
    `Waiting for ${listOf(more > 0 ? [...names, plural(more, { one: "# other", other: "# others" })] : names)}.`,
  waiting: "Your answers wait for the connection. They are kept on this device.",
  allAnswered: "Everyone has answered.",
  hidden: "The host keeps others' answers hidden until you have answered. Answer one time, and you see them.",
  hiddenShort: "hidden",
  only: { label: "Show only one person's answers", all: "All" },
  board: {
    label: "Times and your answers",
    brush: "Paint with",
    several: "From – to",
    how: "Pick an answer, then drag over the times.",
    howTouch: "Pick an answer, then tap times, or slide sideways over several.",
    howKeys: "Arrow keys move, with Shift they mark several, Enter or Space sets the picked answer.",
    tapStart: "Tap the first time.",
    tapEnd: "Now tap the last one.",
    cell: (time: string, mine: string, tally: string) => `${time}. You: ${mine}. ${tally}`,
    tally: (yes: number, ifNeedBe: number, no: number, silent: number) =>
      listOf(
        [
          `${yes} yes`,
          ...(ifNeedBe > 0 ? [`${ifNeedBe} if need be`] : []),
          ...(no > 0 ? [`${no} no`] : []),
          ...(silent > 0 ? [`${silent} silent`] : []),
        ],
        "conjunction",
      ),
    /** What one person says to a time. */
    theirs: (name: string, answer: string) => `${name}: ${answer}.`,
    requiredOut: (names: readonly string[]) => `${listOf(names)} has to be there and cannot.`,
    busy: "You are busy then.",
    set: (count: number, answer: string) =>
      plural(count, { one: `# time: ${answer}.`, other: `# times: ${answer}.` }),
    takenBack: (count: number) =>
      plural(count, { one: "# answer taken back.", other: "# answers taken back." }),
  },
  detail: {
    label: (time: string) => `Who said what to ${time}`,
    hint: "Point at a time, or go to it, to see who said what.",
    nobody: "nobody yet",
    proposedBy: (name: string) => `Put up by ${name}`,
    withdraw: "Withdraw this time",
    withdrawTitle: "Withdraw this time?",
    withdrawText: (votes: number) =>
      votes === 0
        ? "Nobody has answered it. The other times stay as they are."
        : plural(votes, {
            one: "# answer to it goes with it. The other times stay as they are.",
            other: "# answers to it go with it. The other times stay as they are.",
          }),
    withdrawDo: "Withdraw it",
    keep: "Keep it",
    who: "Who said what",
    withdrawn: "The time is withdrawn.",
    options: (time: string) => `More about ${time}`,
  },
  propose: {
    open: "Put up another time",
    title: "Another time",
    day: "Day",
    from: "From",
    until: "Until",
    clock: (zone: string) => `On the table's clock: ${zone}.`,
    do: "Put it up",
    done: "The time is on the table.",
  },
});

export type WhenWords = ReturnType<typeof whenWords>;
