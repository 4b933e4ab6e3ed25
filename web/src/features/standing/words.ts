/** Owns: the words of standing dinners, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const standingWords = defineWords("standing", {
  title: "Standing dinners",
  none: "Meet every week or month? We set up the next plan eight days ahead, with a different host each time.",
  add: "Add a standing dinner",
  loading: "standing dinners",
  /** "Every Thursday at 19:30" */
  weekly: (weekday: string, clock: string) => `Every ${weekday} at ${clock}`,
  biweekly: (weekday: string, clock: string) => `Every other ${weekday} at ${clock}`,
  monthly: (nth: number, weekday: string, clock: string) =>
    `Every ${["first", "second", "third", "fourth", "last"][nth - 1]} ${weekday} of the month at ${clock}`,
  next: (day: string, host: string) => `Next: ${day}, ${host} hosts`,
  nextYours: (day: string) => `Next: ${day}, you host`,
  paused: "Paused. No new plans for now.",
  skip: "Skip this one",
  skipOf: (title: string, day: string) => `Skip this one: ${title}, ${day}`,
  skipped: "Skipped.",
  pause: "Pause",
  resume: "Resume",
  change: "Change",
  changeOf: (title: string) => `Change ${title}`,
  form: {
    addTitle: "New standing dinner",
    changeTitle: "Change standing dinner",
    name: "Name",
    example: "Thursday table",
    nameMissing: "Give the dinner a name.",
    nameLong: "Use up to 80 characters.",
    rhythm: "How often",
    rhythms: { weekly: "Every week", biweekly: "Every two weeks", monthly: "Every month" },
    first: "Next dinner on",
    clock: "At",
    length: "Length",
    lengths: { 90: "1½ hours", 120: "2 hours", 150: "2½ hours", 180: "3 hours" },
    host: "Who hosts",
    hosts: {
      longest_ago: "Whoever hosted longest ago",
      joining: "In the order people joined the circle",
    },
    help: "A good week before, we set up the plan for everyone in the circle, with places you liked. Voting ends two days before dinner, and we propose the best match.",
    dayMissing: "Choose a day in the future.",
    save: "Save",
    end: "End this standing dinner",
    endAsk: "No new plans will be set up. Plans that exist stay.",
    endDo: "End standing dinner",
    back: "Back",
    saved: "Saved.",
    ended: "Ended.",
  },
});

export type StandingWords = ReturnType<typeof standingWords>;
