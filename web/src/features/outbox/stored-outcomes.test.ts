/** The outcome of an entry, in the query cache. */
import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { sampleMember, samplePlan } from "../plans/sample-plan.ts";
import type { Plan } from "../plans/schema.ts";
import type { Entry, QueuedMutation } from "./schema.ts";
import { storeOutcome } from "./stored-outcomes.ts";

const ana = "00000000-0000-4000-8000-0000000000a1";
const [time] = samplePlan().time_options;
const plan = samplePlan({
  id: "p1",
  plan_members: [sampleMember(ana)],
  time_options: time ? [{ ...time, id: "t1", time_votes: [] }] : [],
});
const key = ["plan", "p1"];

const entry = (id: string, mutation: QueuedMutation): Entry => ({
  id,
  person: ana,
  madeAt: 1,
  mutation,
  refused: null,
});
const yes = entry("e1", { kind: "votes", plan_id: "p1", times: { t1: "yes" }, places: {} });

function cache(): { queries: QueryClient; shown: () => Plan | undefined; stale: () => boolean | undefined } {
  const queries = new QueryClient();
  queries.setQueryData(key, plan);
  return {
    queries,
    shown: () => queries.getQueryData<Plan>(key),
    stale: () => queries.getQueryState(key)?.isInvalidated,
  };
}

test("votes that the server has are in the plan, which is then read again", async () => {
  const { queries, shown, stale } = cache();
  await storeOutcome(queries, yes, {}, [yes]);
  expect(shown()?.time_options[0]?.time_votes).toEqual([{ user_id: ana, answer: "yes" }]);
  expect(stale()).toBe(true);
});

test("the plan is not read again while another entry of it waits", async () => {
  const { queries, shown, stale } = cache();
  const next = entry("e2", { kind: "votes", plan_id: "p1", times: { t1: "no" }, places: {} });
  await storeOutcome(queries, yes, {}, [yes, next]);
  expect(shown()?.time_options[0]?.time_votes).toHaveLength(1);
  expect(stale()).toBe(false);
});

test("of an RSVP the one that counts is stored: a full table may change it", async () => {
  const { queries, shown } = cache();
  const going = entry("e1", { kind: "rsvp", plan_id: "p1", answer: "going", plus_ones: 1 });
  await storeOutcome(queries, going, { rsvp: "waitlisted" }, [going]);
  expect(shown()?.plan_members[0]).toMatchObject({ rsvp: "waitlisted", plus_ones: 1 });
});

test("a refusal changes nothing, and the plan is read again", async () => {
  const { queries, shown, stale } = cache();
  await storeOutcome(queries, yes, { refused: true }, [yes]);
  expect(shown()).toEqual(plan);
  expect(stale()).toBe(true);
});
