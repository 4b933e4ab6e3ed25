/** Tests decide.ts. */
import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import type { Person, PlaceOption, RankingInput, TimeOption, Votes } from "./ranking.ts";

const NOW = Date.parse("2026-11-26T20:00:00Z");
const yes: Votes = { ana: "yes", ben: "yes" };

const person = (id: string, more: Partial<Person> = {}): Person => ({
  id,
  name: id,
  diets: [],
  budget: 2,
  ...more,
});
const time = (id: string, startsAt: string, votes: Votes = yes): TimeOption => ({
  id,
  startsAt,
  endsAt: new Date(Date.parse(startsAt) + 7_200_000).toISOString(),
  votes,
});
const place = (id: string, more: Partial<PlaceOption> = {}): PlaceOption => ({
  id,
  name: id,
  safeDiets: [],
  price: 2,
  timeZone: "UTC",
  hours: [],
  votes: {},
  trips: {},
  ratings: [],
  photos: {},
  ...more,
});
const table = (more: Partial<RankingInput> = {}): RankingInput => ({
  people: [person("ana"), person("ben")],
  times: [time("friday", "2026-11-27T19:30:00Z")],
  places: [place("momo")],
  ...more,
});
const outcome = (input: RankingInput) => {
  const decision = decide(input, NOW);
  return "pair" in decision ? `${decision.pair.timeId} ${decision.pair.placeId}` : decision.undecided;
};

describe("decide", () => {
  it("proposes the pair that the ranking puts first", () => {
    expect(outcome(table({ places: [place("a"), place("b", { votes: yes })] }))).toBe("friday b");
  });

  it("proposes the earlier of two equal times", () => {
    const times = [time("saturday", "2026-11-28T19:30:00Z"), time("friday", "2026-11-27T19:30:00Z")];
    expect(outcome(table({ times }))).toBe("friday momo");
  });

  it("proposes a time alone where the table has no place at all, whatever people eat", () => {
    const people = [person("ana", { diets: ["vegan"] }), person("ben")];
    const times = [
      time("saturday", "2026-11-28T19:30:00Z"),
      time("friday", "2026-11-27T19:30:00Z", { ana: "yes" }),
    ];
    expect(outcome(table({ people, times, places: [] }))).toBe("saturday null");
  });

  it("does not choose between two places that differ only in their names", () => {
    expect(outcome(table({ places: [place("a"), place("b")] }))).toBe("tie");
  });

  it("never proposes a place that is not known to be safe for somebody who may come", () => {
    const people = [person("ana", { diets: ["vegan"] }), person("ben")];
    expect(outcome(table({ people }))).toBe("unsafe");
    expect(
      outcome(table({ people, places: [place("a", { votes: yes }), place("b", { safeDiets: ["vegan"] })] })),
    ).toBe("friday b");
  });

  it("says why there is nothing to propose", () => {
    expect(outcome(table({ times: [time("friday", "2026-11-27T19:30:00Z", {})] }))).toBe("nobody_voted");
    expect(outcome(table({ times: [] }))).toBe("nobody_voted");
    expect(
      outcome(table({ places: [place("a", { hours: [{ weekday: 1, opens: "12:00", closes: "13:00" }] })] })),
    ).toBe("no_pair");
    expect(
      outcome(table({ times: [time("friday", "2026-11-27T19:30:00Z", { ana: "no", ben: "no" })] })),
    ).toBe("no_pair");
    expect(outcome(table({ times: [time("today", "2026-11-26T19:30:00Z")] }))).toBe("too_late");
    expect(
      outcome(
        table({
          people: [person("ana"), person("ben", { required: true })],
          times: [time("friday", "2026-11-27T19:30:00Z", { ana: "yes", ben: "no" })],
        }),
      ),
    ).toBe("required_out");
  });

  it("does not count the votes of people who declined", () => {
    const people = [person("ana", { declined: true }), person("ben")];
    const times = [time("friday", "2026-11-27T19:30:00Z", { ana: "yes" })];
    expect(outcome(table({ people, times }))).toBe("nobody_voted");
  });
});
