// @vitest-environment jsdom
/** On the day: what a person is asked about setting out. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { sampleMember, samplePlan } from "../../plans/sample-plan.ts";
import { MyArrival } from "./my-arrival.tsx";

afterEach(cleanup);

const plan = samplePlan({
  status: "confirmed",
  chosen_time_id: "time",
  plan_members: [
    sampleMember("ana", { rsvp: "going" }),
    sampleMember("ben", { rsvp: "going", arrivals: { status: "on_the_way", eta: null } }),
    sampleMember("dev", { rsvp: "declined" }),
  ],
});

it.each([
  ["ana", "Leaving?"],
  ["ben", "How far are you now?"],
  ["dev", "Coming after all?"],
])("asks %s: %s", (me, question) => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MyArrival plan={plan} me={me} now={Date.parse("2026-11-27T12:00Z")} />
    </QueryClientProvider>,
  );
  expect(screen.getByRole("heading").textContent).toBe(question);
});
