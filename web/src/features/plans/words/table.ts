/** Owns: the words about a table, its seats and its people, in English. */
import { defineWords, plural } from "../../../lib/i18n/words.ts";

export const tableWords = defineWords("table", {
  empty: "An empty table",
  /** The text alternative of the drawing. */
  drawnEmpty: (label: string) => `${label}. An empty table.`,
  drawn: (label: string, count: number, people: string) => `${label}. A table for ${count}: ${people}.`,
  strangers: (count: number) => plural(count, { one: "# person has a seat", other: "# people have a seat" }),
  someone: "Someone",
  /** The viewer's own name in a list. */
  you: (name: string) => `${name} (you)`,
  lookingNow: "online",
  roles: { host: "host", cohost: "cohost" },
  required: "has to be there",
  timesAnswered: (answered: number, all: number) => `voted on ${answered} of ${all} times`,
  /** Follows a name: "Ana hasn't answered yet". */
  seats: {
    declined: "isn't coming",
    onTheWay: "is on the way",
    silent: "hasn't answered yet",
    refusedPlace: "voted no to the place",
    yes: (times: number) => `is free at ${times} of the times`,
    ifNeedBe: "can come if need be",
    noneSoFar: "said no so far",
    answered: "has answered",
    here: "is here",
    going: (plusOnes: number) => (plusOnes > 0 ? `is coming and bringing ${plusOnes}` : "is coming"),
    came: (plusOnes: number) => (plusOnes > 0 ? `was there and brought ${plusOnes}` : "was there"),
    stayedAway: "wasn't there",
    saidMaybe: "said maybe",
    maybe: "might come",
    waitlisted: "is on the waitlist",
    host: "is the host",
    invited: "is invited",
  },
  /** A list of plans, page by page. */
  cards: {
    more: "Show more",
    added: (count: number) => plural(count, { one: "# more plan", other: "# more plans" }),
  },
  /** A decided plan's place that is not decided yet. */
  placeOpen: "Place to be decided",
  /** A plan's card. */
  card: {
    /** What the plan waits for from the reader. */
    next: {
      invite: "Invite people",
      times: "Which times can you make?",
      places: "Which places do you like?",
      decide: "Choose a time and place",
      rsvp: "Are you coming?",
      place: "Add the place",
      diet: "What do you eat?",
      set_out: "Say when you leave",
      share: "Message those we can't reach",
      book: "Book a table",
      chat: "Read what's new",
      rate: "How was it?",
    },
    youAnswered: (answered: number, all: number) => `You voted on ${answered} of ${all} times`,
    cancelled: "Cancelled",
    options: (times: number, places: number) =>
      `${plural(times, { one: "# time", other: "# times" })}, ${plural(places, { one: "# place", other: "# places" })}`,
    closes: (when: string) => `closes ${when}`,
    coming: (count: number) => plural(count, { one: "# person is coming", other: "# people are coming" }),
    came: (count: number) => plural(count, { one: "# person was there", other: "# people were there" }),
    unread: (count: number) => plural(count, { one: "# new message", other: "# new messages" }),
    again: "Plan it again",
    againOf: (title: string) => `Plan it again: ${title}`,
  },
});

export type TableWords = ReturnType<typeof tableWords>;
