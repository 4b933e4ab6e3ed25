/** Tests ranking.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pair, RankingInput } from "../../../../supabase/functions/_shared/ranking/ranking.ts";
import { rankPairs } from "../../../../supabase/functions/_shared/ranking/ranking.ts";
import { applyWhatIf, keepOrder, keyOf } from "./ranking.ts";

const input: RankingInput = {
  people: ["ana", "ben", "chiara"].map((id) => ({ id, name: id, diets: [], budget: 4 })),
  times: [
    {
      id: "fri",
      startsAt: "2026-11-27T19:30:00Z",
      endsAt: "2026-11-27T22:00:00Z",
      votes: { ana: "yes", ben: "no", chiara: "yes" },
    },
    {
      id: "sat",
      startsAt: "2026-11-28T19:30:00Z",
      endsAt: "2026-11-28T22:00:00Z",
      votes: { ana: "no", ben: "yes", chiara: "if_need_be" },
    },
  ],
  places: [
    {
      id: "here",
      name: "Here",
      safeDiets: [],
      price: 1,
      timeZone: "UTC",
      hours: [],
      votes: {},
      trips: {},
      ratings: [],
      photos: {},
    },
  ],
};
const best = (table: RankingInput) => rankPairs(table)[0];

describe("what if", () => {
  it("leaves somebody out: their no does not count, and nobody speaks of them", () => {
    expect(best(input)?.timeId).toBe("fri");
    const without = best(applyWhatIf(input, { ana: "without", chiara: "without" }));
    expect(without?.timeId).toBe("sat");
    expect(without?.canCome).toEqual(["ben"]);
    expect(without?.cannotCome).toEqual([]);
  });

  it("counts somebody as yes everywhere, and changes nothing about the others", () => {
    const supposed = rankPairs(applyWhatIf(input, { ben: "yes" }));
    expect(supposed.map((pair) => pair.canCome.includes("ben"))).toEqual([true, true]);
    expect(supposed.find((pair) => pair.timeId === "sat")?.cannotCome).toEqual(["ana"]);
  });

  it("is the ranking itself when nothing is supposed", () => {
    expect(rankPairs(applyWhatIf(input, {}))).toEqual(rankPairs(input));
  });
});

describe("keepOrder", () => {
  const pair = (id: string) => ({ timeId: id, placeId: "p" }) as Pair;
  const list = fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 8 });

  it("leaves what is shown where it is and says that the ranking is another", () => {
    const ranked = ["b", "a", "c"].map(pair);
    const { pairs, moved } = keepOrder(["a p", "b p", "c p"], ranked, 3);
    expect(pairs.map((each) => each.timeId)).toEqual(["a", "b", "c"]);
    expect(moved).toBe(true);
    expect(keepOrder(["b p", "a p"], ranked, 3).moved).toBe(false);
  });

  it("shows every ranked pair exactly once, and none that is gone", () => {
    fc.assert(
      fc.property(list, list, (shown, ranked) => {
        const { pairs } = keepOrder(
          shown.map((id) => keyOf(pair(id))),
          ranked.map(pair),
          5,
        );
        expect(pairs.map((each) => each.timeId).toSorted()).toEqual(ranked.toSorted());
      }),
    );
  });

  it("moves nothing that was shown past anything else that was shown", () => {
    fc.assert(
      fc.property(list, list, (shown, ranked) => {
        const { pairs } = keepOrder(
          shown.map((id) => keyOf(pair(id))),
          ranked.map(pair),
          5,
        );
        const order = pairs.map((each) => each.timeId).filter((id) => shown.includes(id));
        expect(order).toEqual(shown.filter((id) => ranked.includes(id)));
      }),
    );
  });
});
