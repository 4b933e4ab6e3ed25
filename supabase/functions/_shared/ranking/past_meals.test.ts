/** What a person ate at a place lifts the warning for them and that diet alone. */
import { expect, it } from "vitest";
import { eatenCases } from "./eaten_cases.ts";
import { unconfirmedFor } from "./past_meals.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-25T12:00:00Z");

for (const { name, needs, safe, meals, eaten, unknown } of eatenCases) {
  it(name, () => {
    // A reader has the ratings of their own tables only; a caller gives a person's own ones at the place.
    const own = meals
      .filter(({ by, at, unread }) => !by && !at && !unread)
      .map(({ ate = [], lacked = [], daysAgo }) => ({
        personId: "ben",
        stars: 5,
        at: null,
        ate,
        lacked,
        eatenAt: new Date(NOW - daysAgo * DAY_MS).toISOString(),
      }));
    const found = unconfirmedFor(needs, safe, own);
    expect({ eaten: found.eaten.map(({ diet }) => diet), unknown: found.unknown }).toEqual({
      eaten,
      unknown,
    });
  });
}
