/** Owns: the words of setting a new table, and of the home screen; in English. */
import { defineWords, listOf, plural } from "../../lib/i18n/words.ts";

export const newPlanWords = defineWords("new-plan", {
  title: "Set a table",
  yourTable: "Your table",
  untitled: "Untitled",
  what: "What is it",
  whatExample: "Friday dinner",
  note: "A note",
  noteExample: "Anything they should know",
  who: {
    legend: "Who",
    circle: "Circle",
    byLink: "By link only",
    people: "People",
    others: "Anyone else joins by a link that you make on the next screen.",
  },
  when: {
    legend: "When",
    quick: "Quick picks",
    many: "Many at once",
    manyHelp: "Every day that you pick, at every time that you pick.",
    days: "Days",
    hours: "Starting at",
    length: "How long",
    add: (count: number) => plural(count, { one: "Put up # time", other: "Put up # times" }),
    pickBoth: "Pick days and starting times.",
    added: (count: number) => plural(count, { one: "# time added.", other: "# times added." }),
    chosen: (count: number) => plural(count, { one: "# time", other: "# times" }),
    none: "No time yet. You can put some up later too.",
    tooMany: "A plan can hold thirty times.",
    day: (index: number) => `Day ${index}`,
    from: "From",
    until: "Until",
    change: (time: string) => `Change ${time}`,
    remove: (time: string) => `Remove ${time}`,
    removeShort: "Remove",
    another: "Another time",
    past: "That time is already over.",
    clock: (zone: string) => `On the clock of ${zone}. Others see theirs beside it.`,
  },
  where: {
    legend: "Where",
    find: "Find a place",
    places: "Places",
    none: "None is fine too: once people have answered, Best suggests some that are safe for all.",
  },
  how: {
    legend: "How",
    deadline: "Answers until",
    noDeadline: "no deadline",
    inDays: (days: number) => plural(days, { one: "tomorrow evening", other: "in # days, in the evening" }),
    exact: "another day",
    exactDay: "Answers until (day)",
    exactClock: "At",
    capacity: "Seats",
    noCapacity: "as many as want to",
    seats: (count: number) => plural(count, { one: "# seat", other: "# seats" }),
    propose: "Guests may put up times and places",
    hidden: "Others' answers show only once one has answered",
  },
  set: "Set the table",
  again: {
    loading: "what you did last time",
    gone: "That plan is not there any more. Start from nothing instead.",
    title: (title: string) => `Again: ${title}`,
    from: (title: string) => `Learned from ${title}:`,
    people: (count: number) => plural(count, { one: "# person", other: "# people" }),
    time: (weekday: string, clock: string) => `${weekday} at ${clock} worked`,
    liked: (names: readonly string[]) => `${listOf(names)} was liked`,
    circle: (name: string) => `the circle ${name}`,
  },
});

export type NewPlanWords = ReturnType<typeof newPlanWords>;

export const homeWords = defineWords("home", {
  title: "Plans",
  heading: "Your plans",
  start: "Start a plan",
  loading: "your plans",
  greeting: (weekday: string, part: 0 | 1 | 2 | 3) =>
    `${weekday} ${["night", "morning", "afternoon", "evening"][part]},`,
  empty: {
    title: "An empty table is where it starts",
    guest: "Open an invite link to take a seat at someone's table.",
    text: "Put up a few evenings and a few places. Your friends answer with a link and a name.",
  },
  shelves: {
    today: "Today",
    waiting: "Waiting for you",
    coming: "Coming up",
    polling: "Being decided",
    past: "Before",
  },
});

export type HomeWords = ReturnType<typeof homeWords>;
