/** Owns: the words of the plan page, its ticket and a host's controls, in English. */
import { defineWords, plural } from "../../../lib/i18n/words.ts";
import type { PlanField, PlanOption, PlanText } from "../fields.ts";

export const planWords = defineWords("plan", {
  loading: "the plan",
  notLive: "Connecting",
  cancelledNote: "This plan is cancelled. Its chat and photos are still here.",
  standing: "From your circle's standing dinner",
  note: { more: "Show the whole note", less: "Show less" },
  theTable: "The table",
  atTheTable: "At the table",
  parts: "Plan sections",
  tabs: {
    when: "When",
    where: "Where",
    best: "Best",
    chat: "Chat",
    photos: "Photos",
    day: "On the day",
  },
  states: {
    closes: (when: string) => `Voting closes ${when}`,
    closed: "Voting is closed. The host decides.",
    deciding: "Voting is closed. We'll propose the best match in a few minutes.",
    proposed: "Voting is closed. There's a proposal.",
    polling: "Voting is open",
    confirmed: "Confirmed",
    done: "It was good to see you",
    /** To a person who was not there. */
    over: "Over",
    cancelled: "Cancelled",
  },
  /** Below a number. */
  centre: {
    answered: "answered",
    coming: (count: number) => plural(count, { one: "coming", other: "coming" }),
    came: (count: number) => plural(count, { one: "was there", other: "were there" }),
  },
  ticket: {
    name: "Ticket",
    // More than there are seats say so until the server knows who waits.
    coming: (count: number, capacity: number | null) =>
      capacity === null || count > capacity
        ? plural(count, { one: "# person is coming", other: "# people are coming" })
        : `${count} of ${capacity} coming`,
    calendar: "Add to calendar",
    calendarFile: "Download calendar file",
    calendarOf: (service: string) => `Open in ${service}`,
    share: "Share",
    shared: (title: string, place: string, time: string) =>
      `${title}: ${[place, time].filter(Boolean).join(", ")}`,
    copied: "Copied.",
    notCopied: "Your browser didn't allow copying.",
    question: "Are you coming?",
    /** Below the answer of a person who has said nothing since the vote. */
    byVote: "That's what you voted. Change it if that's no longer right.",
    /** To a person who is asked though they can make the time. */
    refusedPlace: "You voted no to this place, so we're asking again.",
    moved: (before: string) => `Was ${before}. Earlier answers no longer count.`,
    choices: { yes: "I'm coming", if_need_be: "Maybe", no: "I can't come" },
    inLine: (place: number) =>
      `The table is full. You're number ${place} on the waitlist and get a seat as soon as one is free.`,
    bringing: "Bringing",
    party: (more: number) => (more === 0 ? "nobody else" : `${more} more`),
    booking: {
      ask: "Is a table booked?",
      booked: (seats: number, name: string) => `Booked for ${seats} under ${name}`,
      /** Where the number has changed since. */
      now: (coming: number) =>
        plural(coming, { one: "# person is coming now.", other: "# people are coming now." }),
      undo: "Not booked",
    },
    waitlisted: "The table is full. You're on the waitlist.",
    waiting: "Your answer is saved on this device and will send when you're online.",
    answered: "Answer saved.",
  },
  host: {
    manage: "Manage plan",
    editHelp: "Name, note, deadline, seats and rules",
    reopen: "Reopen voting",
    reopenHelp: "Everyone who didn't say no is asked again.",
    reopened: "Voting is open again.",
    restore: "Restore plan",
    restored: "The plan is back on.",
    cancel: "Cancel plan",
    cancelHelp: "Call it off, and tell everyone.",
    cancelTitle: "Cancel this plan?",
    cancelText: "We'll tell everyone on the plan. You can restore it until the day is over.",
    cancelled: "The plan is cancelled.",
    again: "Plan it again",
  },
  change: {
    open: "Change time or place",
    help: "Choose another of the plan's times and places, or add a time.",
    anotherTime: "Add another time",
    text: "We'll tell everyone and ask again whether they're coming, except people who said no.",
    onlyPlace: "We'll tell everyone. Their answers stay.",
    when: "When",
    where: "Where",
    current: "chosen",
    turnout: (can: number, asked: number) => `${can} of ${asked} can come`,
    closed: "closed then",
    refused: "Everyone who has voted said no.",
    closedThen: "This place is closed then. Choose another time or place.",
    unsafe: "This place is not confirmed safe for everyone. Ask the restaurant first.",
    outrun: (theirs: string) => `Another host just changed it: ${theirs}.`,
    do: "Change it and tell everyone",
    doAnyway: "Change it anyway and tell everyone",
    done: "Changed. We're telling everyone.",
  },
  addPlace: {
    open: "Add the place",
    name: "Name of the place",
    options: "Suggested places",
    choose: "Choose",
    chooseAnyway: "Choose anyway",
    chooseOf: (action: string, place: string) => `${action}: ${place}`,
    ask: (place: string) =>
      `Not everyone's diet is confirmed at ${place}. Ask there first, then choose it below.`,
    done: (place: string) => `It's ${place}. We're telling everyone.`,
  },
  /** Removing a time or a place that is to be voted on. */
  withdraw: {
    text: (votes: number) =>
      votes === 0
        ? "Nobody has answered it yet."
        : plural(votes, {
            one: "# answer to it will be removed, too.",
            other: "# answers to it will be removed, too.",
          }),
    do: "Remove",
    cancel: "Cancel",
  },
  leave: {
    open: "Leave plan",
    title: "Leave this plan?",
    text: "Your votes will be removed. To come back, you need a new invite link.",
    do: "Leave",
  },
  edit: {
    open: "Edit plan",
    title: "Edit plan",
    texts: { title: "Plan name", note: "Note" } satisfies Record<PlanText, string>,
    deadline: "Vote by",
    deadlineHelp: (zone: string) => `Time in ${zone}. Leave empty for no deadline.`,
    deadlineDay: "Day",
    deadlineClock: "Time",
    capacity: "Seats",
    noCapacity: "No limit",
    seats: (count: number) => plural(count, { one: "# seat", other: "# seats" }),
    options: {
      guests_may_propose: "Guests can suggest times and places",
      results_hidden: "Hide answers until people vote",
    } satisfies Record<Exclude<PlanOption, "decides_itself">, string>,
    save: "Save",
    saved: "Plan saved.",
    saveAgain: "Check it and save again.",
    noMoreHost: {
      message: "You can't edit this plan any more.",
      hint: "Ask the host.",
    },
    changed: "Someone changed the plan while you were editing. What you typed is still here.",
    taken: (fields: string) => `We updated ${fields} with their version.`,
    both: (field: string, theirs: string) => `You both changed ${field}. Theirs: ${theirs}`,
    takeTheirs: "Use theirs",
    nothing: "nothing",
    yes: "yes",
    no: "no",
    fields: {
      title: "the name",
      note: "the note",
      vote_deadline: "the deadline",
      capacity: "the seats",
      guests_may_propose: "who can suggest",
      results_hidden: "when answers show",
      decides_itself: "how it's decided",
    } satisfies Record<PlanField, string>,
    missing: "Give the plan a name.",
    long: (max: number) => plural(max, { one: "Use up to # character.", other: "Use up to # characters." }),
    deadlinePast: "Choose a deadline in the future.",
    deadlineHalf: "Choose both a day and a time.",
  },
  person: {
    open: (name: string) => `Manage ${name}`,
    cohost: "Cohost: can edit, choose, invite and remove people",
    required: "Has to be there",
    requiredHelp: "Times they can't make rank lower.",
    saved: (name: string) => `Saved for ${name}.`,
    handOver: "Make host",
    handOverAsk: (name: string) => `${name} becomes the host. You stay on as a cohost.`,
    handOverDo: "Change host",
    handedOver: (name: string) => `${name} is now the host.`,
    remove: (name: string) => `Remove ${name}`,
    removeAsk: (name: string) =>
      `${name} and their votes will be removed from the plan. Their messages stay.`,
    removeDo: "Remove",
    removed: (name: string) => `${name} is no longer on the plan.`,
    back: "Cancel",
  },
});

export type PlanWords = ReturnType<typeof planWords>;
