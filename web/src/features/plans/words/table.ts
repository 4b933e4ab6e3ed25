/** Owns: what is said of a table, its seats and its people, in English. */
import { defineWords, plural } from "../../../lib/i18n/words.ts";

export const tableWords = defineWords("table", {
  empty: "An empty table",
  /** The drawing in words. */
  drawnEmpty: (label: string) => `${label}. An empty table.`,
  drawn: (label: string, count: number, people: string) => `${label}. A table for ${count}: ${people}.`,
  someone: "Someone",
  /** One's own name in a list. */
  you: (name: string) => `${name} (you)`,
  lookingNow: "looking now",
  roles: { host: "host", cohost: "cohost" },
  required: "has to be there",
  /** Follows a name: "Ana has not answered". */
  seats: {
    declined: "is not coming",
    silent: "has not answered",
    yes: (times: number) => (times === 1 ? "can come once" : `can come ${times} times`),
    ifNeedBe: "can come if need be",
    no: "cannot come at any of the times",
    answered: "has answered",
    here: "is here",
    going: (plusOnes: number) => (plusOnes > 0 ? `is coming with ${plusOnes} more` : "is coming"),
    came: (plusOnes: number) => (plusOnes > 0 ? `was there with ${plusOnes} more` : "was there"),
    stayedAway: "was not there",
    maybe: "may come",
    waitlisted: "is on the waitlist",
    host: "is inviting",
    invited: "is invited",
  },
  diets: {
    vegetarian: "vegetarian",
    vegan: "vegan",
    pescatarian: "pescatarian",
    halal: "halal",
    kosher: "kosher",
    gluten_free: "gluten-free",
    lactose_free: "lactose-free",
    nut_free: "nut-free",
  },
  /** A plan in small. */
  card: {
    vote: "Your answer is missing",
    rsvp: "Are you coming?",
    rating: "How was it?",
    cancelled: "Cancelled",
    options: (times: number, places: number) =>
      `${plural(times, { one: "# time", other: "# times" })}, ${plural(places, { one: "# place", other: "# places" })}`,
    closes: (when: string) => `closes ${when}`,
    coming: (count: number) => `${count} coming`,
    came: (count: number) => `${count} were there`,
    unread: (count: number) => plural(count, { one: "# new message", other: "# new messages" }),
    again: "Again?",
    againOf: (title: string) => `Again? Starts a new plan from ${title}`,
  },
});

export type TableWords = ReturnType<typeof tableWords>;
