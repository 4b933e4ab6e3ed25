/** Tests plan-with-queue.ts. */
import { describe, expect, it } from "vitest";
import { sampleMember, samplePlan } from "../plans/sample-plan.ts";
import type { Plan } from "../plans/schema.ts";
import { withEntries, withVeto } from "./plan-with-queue.ts";
import type { Entry, QueuedMutation } from "./schema.ts";

const ana = "00000000-0000-4000-8000-0000000000a1";
const ben = "00000000-0000-4000-8000-0000000000a2";

const [time] = samplePlan().time_options;
const plan = samplePlan({
  id: "p1",
  plan_members: [sampleMember(ana), sampleMember(ben, { rsvp: "going" })],
  time_options: time ? [{ ...time, id: "t1", time_votes: [{ user_id: ben, answer: "no" }] }] : [],
});

function entry(mutation: QueuedMutation, refused = false): Entry {
  return {
    id: "e",
    person: ana,
    madeAt: 1,
    mutation,
    refused: refused ? { code: "voting_closed", message: "", hint: "" } : null,
  };
}
const vote = (answer: "yes" | "no" | null, plan_id = "p1"): QueuedMutation => ({
  kind: "votes",
  plan_id,
  times: { t1: answer },
  places: {},
});
const answersOf = (shown: Plan) =>
  shown.time_options[0]?.time_votes.map(({ user_id, answer }) => [user_id, answer]);

describe("a plan with what waits to be sent", () => {
  it("shows the newest of one's votes, and leaves others' alone", () => {
    const shown = withEntries(plan, [entry(vote("no")), entry(vote("yes"))], ana);
    expect(answersOf(shown)).toEqual([
      [ben, "no"],
      [ana, "yes"],
    ]);
    expect(answersOf(withEntries(plan, [entry(vote("yes")), entry(vote(null))], ana))).toEqual([[ben, "no"]]);
  });

  it("shows one's answer to the invitation", () => {
    const mutation: QueuedMutation = { kind: "rsvp", plan_id: "p1", answer: "going", plus_ones: 2 };
    const [mine, others] = withEntries(plan, [entry(mutation)], ana).plan_members;
    expect(mine).toMatchObject({ rsvp: "going", plus_ones: 2 });
    expect(others).toBe(plan.plan_members[1]);
  });

  it("shows how far one is, as it was last said", () => {
    const arrival = (status: "on_the_way" | "arrived", eta: string | null): QueuedMutation => ({
      kind: "arrival",
      plan_id: "p1",
      status,
      eta,
    });
    const way = arrival("on_the_way", "2026-11-27T20:00:00Z");
    const mine = (entries: Entry[]) => withEntries(plan, entries, ana).plan_members[0]?.arrivals;
    expect(mine([entry(way)])).toEqual({ status: "on_the_way", eta: "2026-11-27T20:00:00Z" });
    expect(mine([entry(way), entry(arrival("arrived", null))])).toEqual({ status: "arrived", eta: null });
    expect(mine([entry(way, true)])).toBeNull();
  });

  it("keeps a proposal while the objection waits, which may be late, and ends it once the server has it", () => {
    const proposed = {
      ...plan,
      decides_itself: true,
      proposed_time_id: "t1",
      veto_until: "2026-11-27T20:00:00Z",
    };
    const veto: QueuedMutation = {
      kind: "veto",
      plan_id: "p1",
      reason: " Too far ",
      until: proposed.veto_until,
    };
    expect(withEntries(proposed, [entry(veto)], ana)).toBe(proposed);
    expect(withVeto(proposed, ana, veto.reason)).toMatchObject({
      decides_itself: false,
      proposed_time_id: null,
      veto_until: null,
      vetoed_by: ana,
      veto_reason: "Too far",
    });
  });

  it("is what was read where nothing waits: refused, of another plan, or only said", () => {
    const message: QueuedMutation = {
      kind: "message",
      plan_id: "p1",
      body: "x",
      reply_to: null,
      photo_id: null,
    };
    const entries = [entry(vote("yes"), true), entry(vote("yes", "p2")), entry(message)];
    expect(withEntries(plan, entries, ana)).toBe(plan);
  });
});
