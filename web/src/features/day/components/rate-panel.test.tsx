// @vitest-environment jsdom
/** After the meal: how many people have not rated it, and the own rating. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { sampleMember, samplePlan } from "../../plans/sample-plan.ts";
import type { Rating } from "../../plans/schema.ts";
import { RatePanel } from "./rate-panel.tsx";

afterEach(cleanup);

const plan = samplePlan({
  status: "confirmed",
  chosen_time_id: "time",
  plan_members: [
    ...["ana", "ben", "chiara"].map((id) => sampleMember(id, { rsvp: "going" })),
    sampleMember("dev", { rsvp: "declined" }),
  ],
});
const rating = (user: string, stars: Rating["stars"], plan_id = "plan") =>
  ({ plan_id, user_id: user, place_id: null, stars, comment: "", created_at: "" }) satisfies Rating;

function panel(ratings: Rating[], me = "ana") {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(["ratings"], ratings);
  render(
    <QueryClientProvider client={queries}>
      <RatePanel plan={plan} me={me} now={Date.parse("2026-11-28T12:00Z")} />
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

it("waits for the ratings of people who were there, of this plan only", () => {
  panel([rating("ben", 5), rating("chiara", 4, "another")]);
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
  expect(screen.getByText("2 people haven't rated it yet.")).toBeDefined();
});

it("waits for nobody once all have rated, and offers a change", () => {
  panel([rating("ana", 3), rating("ben", 5), rating("chiara", 4)]);
  expect(screen.queryByText(/rated it yet/)).toBeNull();
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "3 of 5" }).checked).toBe(true);
  expect(screen.getByRole("button", { name: "Change my rating" })).toBeDefined();
});

it("can be saved only with stars", async () => {
  // People who were there are asked on the ticket instead.
  const user = panel([], "dev");
  const save = screen.getByRole<HTMLButtonElement>("button", { name: "Save rating" });
  expect(save.disabled).toBe(true);
  await user.click(screen.getByRole("radio", { name: "4 of 5" }));
  expect(save.disabled).toBe(false);
});
