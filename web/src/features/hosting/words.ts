/** Owns: the words of a new plan, in English. */
import { defineWords, listOf, plural } from "../../lib/i18n/words.ts";

export const newPlanWords = defineWords("new-plan", {
  title: "New plan",
  yourTable: "Your table",
  untitled: "Untitled",
  what: "Plan name",
  whatExample: "Friday dinner",
  note: "Note",
  noteExample: "Anything people should know",
  noteNone: "none",
  who: {
    legend: "Who",
    summary: (names: readonly string[]) =>
      names.length === 0
        ? "by link"
        : names.length <= 3
          ? listOf(names)
          : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`,
    circle: "Circle",
    byLink: "Invite by link only",
    people: "People",
    others: "On the next screen, you can create a link for anyone else.",
  },
  when: {
    legend: "When",
    quick: "Quick picks",
    many: "Add several",
    manyHelp: "We'll add each day at each time you choose.",
    days: "Days",
    hours: "Start times",
    length: "Length",
    add: (count: number) => plural(count, { one: "Add # time", other: "Add # times" }),
    pickBoth: "Choose days and start times.",
    added: (count: number) => plural(count, { one: "# time added.", other: "# times added." }),
    chosen: (count: number) => plural(count, { one: "# time", other: "# times" }),
    none: "No times yet. You can add some later, too.",
    tooMany: "A plan can have up to 30 times.",
    day: (index: number) => `Day ${index}`,
    from: "From",
    until: "Until",
    change: (time: string) => `Change ${time}`,
    remove: (time: string) => `Remove ${time}`,
    removeShort: "Remove",
    another: "Add a time",
    changeOrAdd: "change or add",
    past: "That time has passed.",
    clock: (zone: string) => `Times in ${zone}. Others also see their local time.`,
  },
  where: {
    legend: "Where",
    later: "decide later",
    places: "Places",
    pending: (name: string) => `“${name}” isn't on the plan yet. Add it, or clear the field.`,
    none: "You can skip this. Everyone can suggest places later.",
  },
  how: {
    legend: "Options",
    deadline: "Vote by",
    noDeadline: "no deadline",
    inDays: (days: number) => plural(days, { one: "tomorrow evening", other: "in # days, in the evening" }),
    exact: "another day",
    exactDay: "Vote by (day)",
    exactClock: "At",
    capacity: "Seats",
    noCapacity: "No limit",
    seats: (count: number) => plural(count, { one: "# seat", other: "# seats" }),
    decides: "Decide at the deadline",
    decidesHelp: "We propose the best match and confirm it within 12 hours, unless someone objects.",
  },
  create: "Create plan",
  again: {
    loading: "what you did last time",
    gone: "That plan no longer exists. You can start a new one here.",
    title: (title: string) => `Again: ${title}`,
    from: (title: string) => `From ${title}:`,
    people: (others: number) => plural(others, { one: "you and # more", other: "you and # more" }),
    time: (weekday: string, clock: string) => `${weekday} at ${clock}`,
    circle: (name: string) => `the circle ${name}`,
  },
});

export type NewPlanWords = ReturnType<typeof newPlanWords>;
