/** Owns: the words of the day itself and of what is remembered after it, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const dayWords = defineWords("day", {
  undecided: {
    title: "Not decided yet",
    text: "Once a time is chosen, you'll see here who is on their way.",
  },
  early: {
    title: "The arrival board opens on the day",
    text: (when: string) => `Six hours before the meal (${when}).`,
  },
  board: {
    caption: "Who is on their way",
    guest: "Guest",
    expected: "Expected",
    status: "Status",
    nobody: "Nobody has said they're coming yet.",
    notLeft: "hasn't left yet",
    unsure: "might come",
    onTheWay: "on the way",
    minutes: (minutes: number) => `on the way, ${minutes} min`,
    anyMoment: "any moment",
    here: "here",
    hereOf: (here: number, expected: number) => `${here} of ${expected} here`,
    away: (distance: string) => `${distance} away`,
  },
  mine: {
    leaving: "Leaving?",
    comingAfterAll: "Coming after all?",
    howFar: "How far are you now?",
    trip: (minutes: number) => `On my way, ${minutes} min`,
    minutes: (minutes: number) => `${minutes} min`,
    here: "I'm here",
    youAreHere: "You're here. Enjoy your meal.",
    notHere: "Not here yet",
    notLeft: "Not on my way yet",
  },
  news: {
    left: (name: string, minutes: number | null) =>
      minutes === null ? `${name} is on the way.` : `${name} is on the way, ${minutes} min.`,
    here: (name: string) => `${name} is here.`,
  },
  live: {
    title: "Live location",
    mine: "Your live location",
    text: "People on this plan see where you are until time runs out, you arrive or you close this page. It's never stored.",
    share: (minutes: number) => `Share for ${minutes} min`,
    sharing: (minutes: number) =>
      minutes < 1
        ? "Sharing your location, under a minute left"
        : `Sharing your location, ${minutes} min left`,
    waiting: "Finding your location",
    stop: "Stop sharing",
    extend: (minutes: number) => `Add ${minutes} min`,
    started: (minutes: number) => `Sharing your location for ${minutes} minutes.`,
    ended: "You've stopped sharing your location.",
    denied: "Your browser isn't allowed to share your location. You can change that in its settings.",
    unavailable: "Your device can't find its location right now.",
    others: (name: string, minutes: number) =>
      minutes < 1
        ? `${name} is sharing their location, under a minute left`
        : `${name} is sharing their location, ${minutes} min left`,
    map: "Where everyone is",
    showMap: "Show on a map",
    hideMap: "Hide map",
  },
  ready: {
    say: "Tell everyone the table is ready",
    done: "Everyone on the plan can see it.",
    message: (place: string) => (place ? `The table at ${place} is ready.` : "The table is ready."),
    heard: (name: string) => `${name} says: the table is ready.`,
    dismiss: "Got it",
  },
  awake: {
    label: "Keep the screen on",
    on: "The screen stays on while this page is open.",
    off: "The screen turns off as usual.",
    refused: "Your browser didn't allow it. It may be saving power.",
  },
  rate: {
    question: "How was it?",
    stars: (stars: number) => `${stars} of 5`,
    comment: "Comment",
    photo: "Add a photo",
    /** To a person with that diet: the answer counts as theirs, as on the place's page. */
    safeFor: (diet: string) => `Is it safe for people who eat ${diet}?`,
    /** To a person with that diet: the answer is about their own meal, and a claim about nothing else. */
    meal: (diet: string) => `Was there a proper ${diet} meal?`,
    found: { yes: "Yes", no: "No" },
    mealHelp: "Everyone at this meal sees your answer.",
    says: { yes: "Yes, I asked there", no: "No", unknown: "I don't know" },
    saved: "Saved. It helps with the next choice.",
    rate: "Save rating",
    change: "Change my rating",
    loading: "the ratings",
    others: "What everyone thought",
    waiting: (count: number) =>
      plural(count, { one: "# person hasn't rated it yet.", other: "# people haven't rated it yet." }),
  },
});

export type DayWords = ReturnType<typeof dayWords>;
