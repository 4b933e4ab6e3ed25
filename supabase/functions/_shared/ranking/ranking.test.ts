/** Tests ranking.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diets, notKnownSafe } from "./diets.ts";
import { type Answer, type Person, type PlaceOption, type RankingInput, rankPairs } from "./ranking.ts";
import { compromiseTexts, inEnglish, personalViews, reasonsFor, reasonText } from "./reasons.ts";

const FRIDAY = { startsAt: "2026-11-27T19:30:00Z", endsAt: "2026-11-27T22:30:00Z" };
const SATURDAY = { startsAt: "2026-11-28T19:30:00Z", endsAt: "2026-11-28T22:30:00Z" };

function person(id: string, more: Partial<Person> = {}): Person {
  return { id, name: id, diets: [], budget: 2, ...more };
}

function place(id: string, more: Partial<PlaceOption> = {}): PlaceOption {
  return {
    id,
    name: id,
    safeDiets: [],
    price: 2,
    timeZone: "Europe/Lisbon",
    hours: [],
    votes: {},
    trips: {},
    ratings: [],
    photos: {},
    ...more,
  };
}

/** A rating of an earlier meal, in October. */
const rated = (personId: string, stars: number) => ({ personId, stars, at: "2026-10-12T20:00:00Z" });

const answer = fc.constantFrom<Answer>("yes", "if_need_be", "no");
const ids = ["ana", "ben", "chiara", "dev"];
const votes = fc.dictionary(fc.constantFrom(...ids), answer);
const dietSet = fc.uniqueArray(fc.constantFrom(...diets), { maxLength: 4 });
const tables: fc.Arbitrary<RankingInput> = fc.record({
  people: fc.tuple(
    ...ids.map((id) =>
      fc
        .record({ diets: dietSet, budget: fc.integer({ min: 1, max: 4 }), required: fc.boolean() })
        .map((more) => person(id, more)),
    ),
  ),
  times: fc
    .array(fc.record({ slot: fc.constantFrom(FRIDAY, SATURDAY), votes }), { maxLength: 4 })
    .map((list) =>
      list.map(({ slot, votes: given }, index) => ({ id: `time${index}`, ...slot, votes: given })),
    ),
  places: fc
    .array(
      fc.record({
        safeDiets: dietSet,
        price: fc.option(fc.integer({ min: 1, max: 4 })),
        votes,
        trips: fc.dictionary(fc.constantFrom(...ids), fc.integer({ min: 5, max: 90 })),
        ratings: fc.array(
          fc.record({
            personId: fc.constantFrom(...ids),
            stars: fc.integer({ min: 1, max: 5 }),
            at: fc.constant(null),
          }),
          { maxLength: 3 },
        ),
        photos: fc.dictionary(fc.constantFrom(...ids), fc.integer({ min: 0, max: 40 })),
        hours: fc.constantFrom([], [{ weekday: 5, opens: "18:00", closes: "02:00" }]),
      }),
      { maxLength: 4 },
    )
    .map((list) => list.map((more, index) => place(`place${index}`, more))),
});

/** Not a pair whose time everybody has refused: those are last. */
const isOpenToSomebody = ({ cannotCome }: { cannotCome: readonly string[] }) =>
  cannotCome.length < ids.length;

describe("rankPairs", () => {
  it("never puts a pair that is unsafe for more people before one that is safe for more", () => {
    fc.assert(
      fc.property(tables, (table) => {
        const counts = rankPairs(table)
          .filter(isOpenToSomebody)
          .map((pair) => pair.notSafeFor.length);
        expect(counts).toEqual([...counts].sort((a, b) => a - b));
      }),
    );
  });

  it("names everyone who may come and whose diet is not known to be safe", () => {
    fc.assert(
      fc.property(tables, (table) => {
        for (const pair of rankPairs(table)) {
          const time = table.times.find((option) => option.id === pair.timeId);
          const where = table.places.find((option) => option.id === pair.placeId);
          const expected = table.people
            .filter((who) => time?.votes[who.id] !== "no")
            .filter((who) => where && notKnownSafe(who.diets, where.safeDiets).length > 0)
            .map((who) => who.id);
          expect(pair.notSafeFor.map((entry) => entry.personId)).toEqual(expected);
        }
      }),
    );
  });

  it("never puts a pair that a required person cannot make before one that all of them can, diets being equal", () => {
    fc.assert(
      fc.property(tables, (table) => {
        const counts = rankPairs(table)
          .filter(isOpenToSomebody)
          .map((pair) => [pair.notSafeFor.length, pair.requiredOut.length]);
        expect(counts).toEqual(counts.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
      }),
    );
  });

  it("does not depend on the order in which people, times and places come, to the point", () => {
    fc.assert(
      fc.property(tables, (table) => {
        const key = (input: RankingInput) =>
          rankPairs(input).map((pair) => `${pair.timeId} ${pair.placeId} ${pair.score}`);
        const turned = {
          people: table.people.toReversed(),
          times: table.times.toReversed(),
          places: table.places.toReversed(),
        };
        expect(key(turned)).toEqual(key(table));
      }),
    );
  });

  it("counts in whole points", () => {
    fc.assert(
      fc.property(tables, (table) => {
        expect(rankPairs(table).every((pair) => Number.isSafeInteger(pair.score))).toBe(true);
      }),
    );
  });

  it("accounts for each person exactly once in every pair", () => {
    fc.assert(
      fc.property(tables, (table) => {
        for (const pair of rankPairs(table)) {
          const all = [...pair.canCome, ...pair.ifNeedBe, ...pair.cannotCome, ...pair.unanswered];
          expect(all.toSorted()).toEqual(ids.toSorted());
        }
      }),
    );
  });

  it("never ranks a pair lower because a person turns no or silence into yes", () => {
    fc.assert(
      fc.property(tables, fc.constantFrom(...ids), (table, who) => {
        const [time] = table.times;
        if (!time || table.places.length === 0) return;
        // No diets, so that coming does not make a place unsafe, and no trips, so that it does not make one
        // unfair. Disliking the place or its price, or its rating, does not make a yes worse.
        const plain: RankingInput = {
          people: table.people.map((one) => ({ ...one, diets: [] })),
          times: table.times,
          places: table.places.map((one) => ({ ...one, trips: {}, hours: [] })),
        };
        const score = (input: RankingInput) =>
          rankPairs(input).find((pair) => pair.timeId === time.id)?.score ?? 0;
        const better = {
          ...plain,
          times: plain.times.map((one) =>
            one.id === time.id ? { ...one, votes: { ...one.votes, [who]: "yes" as const } } : one,
          ),
        };
        expect(score(better)).toBeGreaterThanOrEqual(score(plain));
      }),
    );
  });

  it("puts a time that everybody refused last, for whom no place is unsafe", () => {
    const pairs = rankPairs({
      people: [person("ana", { diets: ["vegan"] }), person("ben")],
      times: [
        { id: "refused", ...FRIDAY, votes: { ana: "no", ben: "no" } },
        { id: "good", ...SATURDAY, votes: { ana: "yes", ben: "yes" } },
      ],
      places: [place("unconfirmed")],
    });
    expect(pairs.map(({ timeId }) => timeId)).toEqual(["good", "refused"]);
  });

  it("leaves out a place that is known to be closed and keeps one whose hours are unknown", () => {
    const closed = place("closed", { hours: [{ weekday: 1, opens: "12:00", closes: "15:00" }] });
    const unknown = place("unknown");
    const pairs = rankPairs({
      people: [person("ana")],
      times: [{ id: "friday", ...FRIDAY, votes: {} }],
      places: [closed, unknown],
    });
    expect(pairs.map((pair) => [pair.placeId, pair.open])).toEqual([["unknown", null]]);
  });

  it("prefers the fairer of two places when everything else is equal", () => {
    const near = place("zz fair", { trips: { ana: 25, ben: 25 } });
    const far = place("aa unfair", { trips: { ana: 5, ben: 45 } });
    const [best] = rankPairs({
      people: [person("ana"), person("ben")],
      times: [{ id: "friday", ...FRIDAY, votes: { ana: "yes", ben: "yes" } }],
      places: [far, near],
    });
    expect(best?.placeId).toBe("zz fair");
  });

  it("likes what was liked: more stars never rank a place lower", () => {
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), (table, a, b) => {
        const [first] = table.places;
        if (!first || table.times.length === 0) return;
        const rank = (stars: number) =>
          rankPairs({
            ...table,
            places: table.places.map((one) =>
              one.id === first.id ? { ...one, ratings: [rated("ana", stars)], hours: [] } : one,
            ),
          }).findIndex((pair) => pair.placeId === first.id);
        expect(rank(Math.max(a, b))).toBeLessThanOrEqual(rank(Math.min(a, b)));
      }),
    );
  });

  it("lets who has to be there outweigh any number of others", () => {
    const [first] = rankPairs({
      people: [person("ana", { required: true }), person("ben"), person("chiara"), person("dev")],
      times: [
        { id: "friday", ...FRIDAY, votes: { ana: "no", ben: "yes", chiara: "yes", dev: "yes" } },
        { id: "saturday", ...SATURDAY, votes: { ana: "if_need_be", ben: "no", chiara: "no", dev: "no" } },
      ],
      places: [place("here")],
    });
    expect(first?.timeId).toBe("saturday");
    expect(first?.requiredOut).toEqual([]);
  });

  it("counts silence for more than a no", () => {
    const [first] = rankPairs({
      people: [person("ana")],
      times: [
        { id: "friday", ...FRIDAY, votes: { ana: "no" } },
        { id: "saturday", ...SATURDAY, votes: {} },
      ],
      places: [place("here")],
    });
    expect(first?.timeId).toBe("saturday");
  });
});

describe("ratings of earlier meals", () => {
  const people = [person("ana"), person("ben")];
  const yes = { ana: "yes", ben: "yes" } as const;
  const ranked = (ratings: ReturnType<typeof rated>[], votes: Record<string, Answer> = yes) => {
    const pairs = rankPairs({
      people,
      times: [{ id: "friday", ...FRIDAY, votes }],
      places: [place("a new one"), place("known", { ratings })],
    });
    const known = pairs.find((pair) => pair.placeId === "known");
    if (!known) throw new Error("The place is not ranked.");
    const speaker = inEnglish(people);
    return {
      first: pairs[0]?.placeId,
      reasons: reasonsFor(known, people).map((reason) => reasonText(reason, speaker)),
      compromises: compromiseTexts(known, speaker),
    };
  };

  it("puts a place that everybody liked first, and says so with the month", () => {
    const { first, reasons } = ranked([rated("ana", 4), rated("ben", 5)]);
    expect(first).toBe("known");
    expect(reasons).toContain("Everyone liked it, last in October (4.5)");
  });

  it("names the people who did not like a place, and puts it behind an unknown one", () => {
    const { first, compromises } = ranked([rated("ben", 2)]);
    expect(first).toBe("a new one");
    expect(compromises).toEqual(["ben: rated it 2 out of 5"]);
  });

  it("counts a person's own rating for that person, and the others' mean for a person who has not rated", () => {
    // A five and a one cancel out, as if the place had no rating.
    expect(ranked([rated("ana", 5), rated("ben", 1)]).first).toBe("a new one");
    expect(ranked([rated("ana", 5)]).first).toBe("known");
  });

  it("ignores ratings by people who cannot come", () => {
    const { reasons, compromises } = ranked([rated("ana", 5), rated("ben", 1)], { ana: "yes", ben: "no" });
    expect(reasons).toContain("Rated 5.0 out of 5");
    expect(compromises).toEqual(["ben: can't come"]);
  });
});

describe("photos of earlier meals", () => {
  const people = [person("ana"), person("ben"), person("gone", { declined: true })];
  const ranked = (more: Partial<PlaceOption>, other: Partial<PlaceOption> = {}) => {
    const pairs = rankPairs({
      people,
      times: [{ id: "friday", ...FRIDAY, votes: { ana: "yes", ben: "yes" } }],
      places: [place("a new one", other), place("known", more)],
    });
    const known = pairs.find((pair) => pair.placeId === "known");
    if (!known) throw new Error("The place is not ranked.");
    return {
      first: pairs[0]?.placeId,
      score: known.score,
      reasons: reasonsFor(known, people).map((reason) => reasonText(reason, inEnglish(people))),
    };
  };

  it("decide between places that are otherwise equal, and are a reason", () => {
    expect(ranked({}).first).toBe("a new one");
    const { first, reasons } = ranked({ photos: { ana: 9, ben: 3 } });
    expect(first).toBe("known");
    expect(reasons).toContain("12 photos from earlier meals there");
    expect(ranked({ photos: { ben: 1 } }).reasons).toContain("1 photo from an earlier meal there");
  });

  it("count for a fixed amount at most, less than half a star of everybody's", () => {
    expect(ranked({ photos: { ana: 100 } }).score).toBe(ranked({ photos: { ana: 6 } }).score);
    const rating = [rated("ana", 3), rated("ana", 4)];
    expect(ranked({ photos: { ana: 100, ben: 100 } }, { ratings: rating }).first).toBe("a new one");
  });

  it("count only if they were taken by people who may come", () => {
    const { score, reasons } = ranked({ photos: { gone: 5, stranger: 5 } });
    expect(score).toBe(ranked({}).score);
    expect(reasons.join()).not.toContain("photo");
  });
});

describe("a place of which only the name is known", () => {
  const people = [person("ana", { budget: 1 }), person("ben")];
  const times = [{ id: "friday", ...FRIDAY, votes: { ana: "yes", ben: "yes" } as const }];
  const named = place("named", { price: null });
  const order = (places: PlaceOption[]) => rankPairs({ people, times, places }).map(({ placeId }) => placeId);

  it("is above nobody's budget", () => {
    const [pair] = rankPairs({ people, times, places: [named] });
    expect(pair?.compromises).toEqual([]);
    expect(order([place("at the budget", { price: 1 }), place("pricey", { price: 4 }), named])).toEqual([
      "at the budget",
      "named",
      "pricey",
    ]);
  });

  it("is neither near nor far", () => {
    const far = place("far", { trips: { ana: 60, ben: 60 } });
    const near = place("near", { trips: { ana: 5, ben: 5 } });
    expect(order([far, named, near])).toEqual(["near", "named", "far"]);
  });

  it("counts as open, and this is said", () => {
    const [pair] = rankPairs({ people, times, places: [named] });
    if (!pair) throw new Error("No pair");
    expect(reasonsFor(pair, people)).toContainEqual({ code: "hours_unknown" });
  });
});

describe("a table without any place", () => {
  const people = [person("ana", { diets: ["vegan"] }), person("ben", { dietsKnown: false, required: true })];
  const ranked = rankPairs({
    people,
    times: [
      { id: "friday", ...FRIDAY, votes: { ana: "yes", ben: "no" } },
      { id: "saturday", ...SATURDAY, votes: { ana: "if_need_be", ben: "yes" } },
    ],
    places: [],
  });

  it("ranks its times alone, by who can come", () => {
    expect(ranked.map(({ timeId, placeId, notSafeFor }) => [timeId, placeId, notSafeFor])).toEqual([
      ["saturday", null, []],
      ["friday", null, []],
    ]);
  });

  it("says nothing of diets, trips or hours, for everyone and for each person", () => {
    const [pair] = ranked;
    if (!pair) throw new Error("No pair");
    expect(reasonsFor(pair, people).map(({ code }) => code)).toEqual(["attendance"]);
    const time = { id: "saturday", ...SATURDAY, votes: { ana: "yes" as const } };
    expect(personalViews(people, time, null)[0]).toMatchObject({
      time: "yes",
      place: null,
      safe: [],
      unknown: [],
      minutes: null,
    });
  });
});

describe("the words for a pair", () => {
  const people = [person("ana", { diets: ["vegan"] }), person("ben", { budget: 1 })];
  const pairs = rankPairs({
    people,
    times: [{ id: "friday", ...FRIDAY, votes: { ana: "yes", ben: "if_need_be" } }],
    places: [
      place("here", {
        safeDiets: ["vegetarian"],
        trips: { ana: 10, ben: 45 },
        ratings: [rated("ana", 4), rated("ana", 5)],
      }),
    ],
  });

  it("says who can come, the longest trip, the rating and that hours are unknown", () => {
    const [pair] = pairs;
    expect(pair && reasonsFor(pair, people).map((reason) => reasonText(reason, inEnglish(people)))).toEqual([
      "1 of 2 can come, 1 if need be",
      "Longest trip 45 min (ben)",
      "Rated 4.5 out of 5",
      "Opening hours unknown, so call first",
    ]);
  });

  it("says for whom it is not known to be safe and who gives up what", () => {
    const [pair] = pairs;
    expect(pair && compromiseTexts(pair, inEnglish(people))).toEqual([
      "ana: not confirmed vegan",
      "ben: this time only if need be, above their budget, the longest trip, 45 min",
    ]);
  });

  const wholeTable = ["Ana", "Ben", "Chiara", "Dev", "Emre"].map((id) => person(id));
  /** The pairs of a table where these people answer a time, the others not. */
  const answered = (votes: Record<string, Answer>, diners = wholeTable) =>
    rankPairs({ people: diners, times: [{ id: "friday", ...FRIDAY, votes }], places: [place("here")] });

  it("says it once where several people give up the same, with a number for more than three", () => {
    const told = (votes: Record<string, Answer>) =>
      answered(votes).map((pair) => compromiseTexts(pair, inEnglish(wholeTable)));
    expect(told({ Ana: "no", Ben: "no", Dev: "if_need_be" })).toEqual([
      ["Ana and Ben: can't come", "Dev: this time only if need be"],
    ]);
    expect(told({ Ana: "no", Ben: "no", Chiara: "no", Dev: "no" })).toEqual([["4 people: can't come"]]);
  });

  it("says in words that nobody has said yes to a time, or that nobody can make it", () => {
    const told = (votes: Record<string, Answer>) =>
      answered(votes).map(
        (pair) => reasonsFor(pair, wholeTable).map((reason) => reasonText(reason, inEnglish(wholeTable)))[0],
      );
    expect(told({ Ana: "no", Ben: "if_need_be" })).toEqual([
      "Nobody has said yes to this time yet, 1 if need be, 3 yet to answer",
    ]);
    expect(told({ Ana: "no", Ben: "no", Chiara: "no", Dev: "no", Emre: "no" })).toEqual([
      "Nobody can make this time",
    ]);
  });

  it("does not call a place safe for people who have not said what they eat, and does not refuse it either", () => {
    const asked = [person("Ana", { diets: ["vegan"] }), person("Ben", { dietsKnown: true })];
    const priya = person("Priya", { dietsKnown: false });
    const ranked = (people: Person[], given = {}) => {
      const [pair] = rankPairs({
        people,
        times: [{ id: "friday", ...FRIDAY, votes: given }],
        places: [place("safe", { safeDiets: ["vegan"] })],
      });
      if (!pair) throw new Error("A pair is ranked.");
      return { pair, reasons: reasonsFor(pair, people) };
    };
    expect(ranked(asked).reasons).toContainEqual({ code: "all_safe" });
    const unknown = ranked([...asked, priya]);
    expect(unknown.pair.notSafeFor).toEqual([]);
    const reason = unknown.reasons.find(({ code }) => code === "safe_as_known");
    expect(reason).toEqual({ code: "safe_as_known", people: ["Priya"] });
    expect(unknown.reasons).not.toContainEqual({ code: "all_safe" });
    if (!reason) throw new Error("There is a reason.");
    expect(reasonText(reason, inEnglish([...asked, priya]))).toBe(
      "Safe for the diets we know; Priya hasn't said",
    );
    // People who cannot come do not count.
    expect(ranked([...asked, priya], { Priya: "no" }).reasons).toContainEqual({ code: "all_safe" });
  });

  it.each([
    [{ ana: 10, ben: 20 }, "Longest trip 20 min (Ben); 2 of 3 trips known"],
    [{ ana: 16, ben: 20 }, "About the same trip, 20 min at most; 2 of 3 trips known"],
    [{ ana: 46, ben: 60, cleo: 55 }, "About the same trip for everyone, 60 min at most"],
    [{ ana: 10 }, "Longest trip 10 min (Ana); 1 of 3 trips known"],
  ])("says of trips %o whose they are and whether they are the same", (trips, text) => {
    const three = ["ana", "ben", "cleo"].map((id) => person(id));
    const [pair] = rankPairs({
      people: three,
      times: [{ id: "friday", ...FRIDAY, votes: { ana: "yes", ben: "yes", cleo: "yes" } }],
      places: [place("here", { trips })],
    });
    const reason =
      pair && reasonsFor(pair, three).find(({ code }) => code.endsWith("trips") || code.endsWith("trip"));
    const names = { ana: "Ana", ben: "Ben", cleo: "Cleo" } as Record<string, string>;
    expect(
      reason && reasonText(reason, inEnglish(three)).replace(/ana|ben|cleo/g, (id) => names[id] ?? id),
    ).toBe(text);
  });

  it("gives the reasons as codes, and what the pair means to each person", () => {
    const [pair] = pairs;
    expect(pair && reasonsFor(pair, people)).toEqual([
      { code: "attendance", yes: 1, total: 2, if_need_be: 1, silent: 0 },
      { code: "longest_trip", person: "ben", minutes: 45, known: 2, total: 2 },
      { code: "rated", stars: 4.5 },
      { code: "hours_unknown" },
    ]);
    const [time, where] = [
      { id: "friday", ...FRIDAY, votes: { ana: "yes" as const } },
      place("here", { safeDiets: ["vegetarian"], trips: { ana: 10 }, votes: { ana: "no" } }),
    ];
    expect(personalViews([...people, person("gone", { declined: true })], time, where)).toEqual([
      {
        personId: "ana",
        required: false,
        time: "yes",
        place: "no",
        safe: [],
        eaten: [],
        unknown: ["vegan"],
        minutes: 10,
      },
      {
        personId: "ben",
        required: false,
        time: null,
        place: null,
        safe: [],
        eaten: [],
        unknown: [],
        minutes: null,
      },
    ]);
  });

  it("names what somebody ate there, and then calls the place confirmed for nobody", () => {
    const at = "2026-10-12T19:00:00Z";
    const table: RankingInput = {
      people: [person("ana", { diets: ["vegan", "vegetarian"] }), person("ben", { diets: ["vegetarian"] })],
      times: [{ id: "friday", ...FRIDAY, votes: { ana: "yes", ben: "yes" } }],
      places: [
        place("eaten", {
          safeDiets: ["vegetarian"],
          ratings: [{ ...rated("ana", 4), ate: ["vegan"], lacked: [], eatenAt: at }],
        }),
        // Liked more, and unknown.
        place("unknown", { safeDiets: ["vegetarian"], ratings: [rated("ana", 5), rated("ben", 5)] }),
      ],
    };
    const [best, other] = rankPairs(table);
    if (!best || !other) throw new Error("No pairs.");
    expect([best.placeId, best.notSafeFor, other.notSafeFor.length]).toEqual(["eaten", [], 1]);
    const reasons = reasonsFor(best, table.people);
    expect(reasons).toContainEqual({ code: "ate_here", meals: [{ person: "ana", diet: "vegan", at }] });
    expect(reasons.map(({ code }) => code)).not.toContain("all_safe");
    const english = inEnglish(table.people);
    expect(reasons.map((reason) => reasonText(reason, english))).toContain("ana ate vegan here in October");
    const [time, where] = [table.times[0], table.places[0]];
    expect(time && where && personalViews(table.people, time, where)[0]).toMatchObject({
      safe: ["vegetarian"],
      eaten: [{ diet: "vegan", at }],
      unknown: [],
    });
  });
});
