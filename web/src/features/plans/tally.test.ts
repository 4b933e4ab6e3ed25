/** Tests tally.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer } from "./answers.ts";
import { sampleMember, samplePlan } from "./sample-plan.ts";
import type { Plan } from "./schema.ts";
import { areHidden, tallyOf, warmthOf } from "./tally.ts";

const ids = ["ana", "ben", "chiara", "dev"];
type Vote = { user_id: string; answer: Answer };
const votes = fc
  .dictionary(fc.constantFrom(...ids), fc.constantFrom<Answer>("yes", "if_need_be", "no"))
  .map((given) => Object.entries(given).map(([user_id, answer]): Vote => ({ user_id, answer })));

const plan = (timeVotes: Vote[], more: Partial<Plan> = {}): Plan => {
  const [option, ...others] = samplePlan().time_options;
  return samplePlan({
    results_hidden: true,
    plan_members: ids.map((id) => sampleMember(id)),
    time_options: option ? [{ ...option, time_votes: timeVotes }, ...others] : [],
    ...more,
  });
};

describe("tallyOf", () => {
  it("counts everyone who is asked exactly once, and silence is not a no", () => {
    fc.assert(
      fc.property(votes, (given) => {
        const tally = tallyOf(
          given,
          ids.map((id) => sampleMember(id)),
        );
        expect([...tally.yes, ...tally.if_need_be, ...tally.no, ...tally.silent].toSorted()).toEqual(ids);
        expect(tally.silent).toHaveLength(ids.length - given.length);
      }),
    );
  });

  it("does not wait for who declined the whole plan", () => {
    expect(tallyOf([], [sampleMember("ana"), sampleMember("ben", { rsvp: "declined" })]).silent).toEqual([
      "ana",
    ]);
  });

  it("names who must be there and cannot", () => {
    const people = [
      sampleMember("ana", { required: true }),
      sampleMember("ben", { required: true }),
      sampleMember("dev"),
    ];
    const given: Vote[] = [
      { user_id: "ana", answer: "no" },
      { user_id: "ben", answer: "if_need_be" },
      { user_id: "dev", answer: "no" },
    ];
    expect(tallyOf(given, people).requiredOut).toEqual(["ana"]);
  });

  it("is never colder for a yes more, and lies between nobody and everybody", () => {
    fc.assert(
      fc.property(votes, fc.constantFrom(...ids), (given, who) => {
        const people = ids.map((id) => sampleMember(id));
        const warmer = [
          ...given.filter((vote) => vote.user_id !== who),
          { user_id: who, answer: "yes" as const },
        ];
        const [before, after] = [given, warmer].map((each) => warmthOf(tallyOf(each, people)));
        expect(after).toBeGreaterThanOrEqual(before ?? 1);
        expect(after).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("hidden answers", () => {
  it("are hidden until one has answered, and no longer once it is decided", () => {
    expect(areHidden(plan([]), "ana")).toBe(true);
    expect(areHidden(plan([{ user_id: "ben", answer: "yes" }]), "ana")).toBe(true);
    expect(areHidden(plan([{ user_id: "ana", answer: "no" }]), "ana")).toBe(false);
    expect(areHidden(plan([], { status: "confirmed" }), "ana")).toBe(false);
    expect(areHidden(plan([], { results_hidden: false }), "ana")).toBe(false);
  });
});
