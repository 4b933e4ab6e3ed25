/** Owns: the English sentences of a ranked pair. The app's other languages have the same shape beside theirs. */

export const reasonWords = {
  reasons: {
    all_come: (total: number) => (total === 1 ? "Works for everyone" : `Works for all ${total}`),
    attendance: (yes: number, total: number, ifNeedBe: number, silent: number) =>
      [
        yes > 0
          ? `${yes} of ${total} can come`
          : ifNeedBe + silent > 0
            ? "Nobody has said yes to this time yet"
            : "Nobody can make this time",
        ...(ifNeedBe > 0 ? [`${ifNeedBe} if need be`] : []),
        ...(silent > 0 ? [`${silent} yet to answer`] : []),
      ].join(", "),
    required_out: (names: string) => `Without ${names}, who must be there`,
    place_refused: (names: string) => `${names} said no to this place`,
    all_safe: "Confirmed safe for everyone who might come",
    safe_as_known: (names: string, count: number) =>
      `Safe for the diets we know; ${count > 3 ? `${count} people haven't` : count > 1 ? `${names} haven't` : `${names} hasn't`} said`,
    ate_here: (name: string, diet: string, month: string) => `${name} ate ${diet} here in ${month}`,
    even_trips: (minutes: number, known: number, total: number) =>
      known === total
        ? `About the same trip for everyone, ${minutes} min at most`
        : `About the same trip, ${minutes} min at most; ${known} of ${total} trips known`,
    longest_trip: (name: string, minutes: number, known: number, total: number) =>
      `Longest trip ${minutes} min (${name})${known === total ? "" : `; ${known} of ${total} trips known`}`,
    rated: (stars: string) => `Rated ${stars} out of 5`,
    all_liked: (month: string, stars: string) => `Everyone liked it, last in ${month} (${stars})`,
    photos: (count: number) =>
      count === 1 ? "1 photo from an earlier meal there" : `${count} photos from earlier meals there`,
    hours_unknown: "Opening hours unknown, so call first",
  },
  compromises: {
    /** The same for all `count` of these people. */
    of: (names: string, count: number, what: string) => `${count > 3 ? `${count} people` : names}: ${what}`,
    cannot_come: (_count: number) => "can't come",
    time_if_need_be: "this time only if need be",
    place_if_need_be: "this place only if need be",
    place_unwanted: (_count: number) => "would rather eat elsewhere",
    not_known_safe: (diets: string) => `not confirmed ${diets}`,
    above_budget: "above their budget",
    rated_low: (stars: string, _count: number) => `rated it ${stars} out of 5`,
    longest_trip: (minutes: number) => `the longest trip, ${minutes} min`,
  },
};

export type ReasonWords = typeof reasonWords;
