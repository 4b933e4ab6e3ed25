/** Owns: the words of the day itself and of what is remembered after it, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const dayWords = defineWords("day", {
  undecided: {
    title: "Not decided yet",
    text: "Once a time and a place are chosen, this is where you see who is on their way.",
  },
  early: {
    title: "The board opens on the day",
    text: (when: string) => `Six hours before ${when}.`,
  },
  board: {
    caption: "Who is on their way",
    guest: "Guest",
    expected: "Expected",
    status: "Status",
    nobody: "Nobody has said yet that they come.",
    notLeft: "not left",
    onTheWay: "on the way",
    minutes: (minutes: number) => `on the way, ${minutes} min`,
    anyMoment: "any moment",
    here: "here",
    hereOf: (here: number, expected: number) => `${here} of ${expected} here`,
    away: (distance: string) => `${distance} away`,
  },
  mine: {
    leaving: "Leaving?",
    howFar: "How far are you now?",
    trip: (minutes: number) => `On my way, ${minutes} min`,
    minutes: (minutes: number) => `${minutes} min`,
    here: "I'm here",
    youAreHere: "You are here. Enjoy your meal.",
  },
  news: {
    left: (name: string, minutes: number | null) =>
      minutes === null ? `${name} is on the way.` : `${name} is on the way, ${minutes} min.`,
    here: (name: string) => `${name} is here.`,
  },
  live: {
    title: "Live position",
    mine: "Your live position",
    text: "Those at this table see where you are until the time is over, you arrive, or you close this page. It is passed on and never kept.",
    share: (minutes: number) => `Share for ${minutes} min`,
    sharing: (minutes: number) =>
      minutes < 1
        ? "Your position is shared, under a minute left"
        : `Your position is shared, ${minutes} min left`,
    waiting: "Waiting for your position",
    stop: "Stop sharing",
    extend: (minutes: number) => `${minutes} min longer`,
    started: (minutes: number) => `Your position is shared for ${minutes} minutes.`,
    ended: "Your position is not shared any more.",
    denied: "Your browser is not allowed to say where you are. You can change that in its settings.",
    unavailable: "Your device cannot say where it is right now.",
    others: (name: string, minutes: number) =>
      minutes < 1
        ? `${name} shares their position, under a minute left`
        : `${name} shares their position, ${minutes} min left`,
    map: "Where everyone is",
    showMap: "Show on a map",
    hideMap: "Hide the map",
  },
  ready: {
    say: "The table is ready",
    done: "Everyone was told.",
    message: (place: string) => `The table at ${place} is ready.`,
    heard: (name: string) => `${name} says: the table is ready.`,
    dismiss: "All right",
  },
  awake: {
    label: "Keep the screen on",
    on: "The screen stays on while this board is open.",
    off: "The screen goes dark as usual.",
    refused: "Your browser did not allow it. It may be saving power.",
  },
  rate: {
    question: "How was it?",
    stars: (stars: number) => `${stars} of 5`,
    comment: "A word about it",
    kept: "Kept. It helps the next choice.",
    rate: "Rate it",
    change: "Change my rating",
    loading: "the ratings",
    others: "What the table thought",
    waiting: (count: number) =>
      plural(count, { one: "# person has not rated yet.", other: "# people have not rated yet." }),
    again: {
      title: "Again?",
      text: "Same people, same kind of evening: what worked is filled in.",
      do: "Plan the next one",
    },
  },
});

export type DayWords = ReturnType<typeof dayWords>;
