// @vitest-environment jsdom
/** The open outbox of a device: the outcome of an entry that another tab sent. */
import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { sampleMember, samplePlan } from "../plans/sample-plan.ts";
import type { Plan } from "../plans/schema.ts";
import { onOutcome, openOutbox } from "./device.ts";
import type { Entry } from "./schema.ts";

const ana = "00000000-0000-4000-8000-0000000000a1";
const [time] = samplePlan().time_options;
const plan = samplePlan({
  id: "p1",
  plan_members: [sampleMember(ana)],
  time_options: time ? [{ ...time, id: "t1", time_votes: [] }] : [],
});
const entry: Entry = {
  id: "e1",
  person: ana,
  madeAt: 1,
  mutation: { kind: "votes", plan_id: "p1", times: { t1: "yes" }, places: {} },
  refused: null,
};

test("enters the query cache while the outbox is open, without any component", async () => {
  const queries = new QueryClient();
  const votes = () => queries.getQueryData<Plan>(["plan", "p1"])?.time_options[0]?.time_votes;
  const heard = vi.fn();
  onOutcome(heard);
  const otherTab = new BroadcastChannel("nosh.outbox");
  const sendElsewhere = async () => {
    heard.mockClear();
    queries.setQueryData(["plan", "p1"], plan);
    otherTab.postMessage({ entry, outcome: {} });
    await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce());
  };
  const close = openOutbox(ana, queries);
  await sendElsewhere();
  await vi.waitFor(() => expect(votes()).toEqual([{ user_id: ana, answer: "yes" }]));
  close();
  await sendElsewhere();
  expect(votes()).toEqual([]);
  otherTab.close();
});
