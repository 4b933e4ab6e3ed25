/** Owns: the English sentences of a ranked pair. The app's other languages have the same shape beside theirs. */

export const reasonWords = {
  reasons: {
    all_come: (total: number) => (total === 1 ? "Works for you" : `Works for all ${total}`),
    attendance: (yes: number, total: number, ifNeedBe: number, silent: number) =>
      [
        `${yes} of ${total} can come`,
        ...(ifNeedBe > 0 ? [`${ifNeedBe} if need be`] : []),
        ...(silent > 0 ? [`${silent} yet to answer`] : []),
      ].join(", "),
    required_out: (names: string) => `Without ${names}, who must be there`,
    all_safe: "Confirmed safe for every diet people told us about",
    safe_as_known: (names: string, count: number) =>
      `Safe for the diets we know; ${count > 3 ? `${count} people haven't` : count > 1 ? `${names} haven't` : `${names} hasn't`} said`,
    even_trips: (minutes: number, known: number, total: number) =>
      known === total
        ? `About the same trip for everyone, ${minutes} min at most`
        : `About the same trip, ${minutes} min at most; ${known} of ${total} trips known`,
    longest_trip: (name: string, minutes: number, known: number, total: number) =>
      `Longest trip ${minutes} min (${name})${known === total ? "" : `; ${known} of ${total} trips known`}`,
    rated: (stars: string) => `You rated it ${stars} out of 5`,
    all_liked: (month: string, stars: string) => `You all liked it in ${month} (${stars})`,
    photos: (count: number) =>
      count === 1 ? "You have a photo from there" : `You have ${count} photos from there`,
    hours_unknown: "Opening hours unknown, so call first",
  },
  compromises: {
    of: (name: string, what: string) => `${name}: ${what}`,
    cannot_come: "can't come",
    time_if_need_be: "this time only if need be",
    place_if_need_be: "this place only if need be",
    place_unwanted: "would rather eat elsewhere",
    not_known_safe: (diets: string) => `not confirmed ${diets}`,
    above_budget: "above their budget",
    rated_low: (stars: string) => `rated it ${stars} out of 5`,
    longest_trip: (minutes: number) => `the longest trip, ${minutes} min`,
  },
};

export type ReasonWords = typeof reasonWords;
