// @vitest-environment jsdom
/** After the meal: how many people have not rated it, and the own rating. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { sampleMember, samplePlan } from "../../plans/sample-plan.ts";
import type { Member, Plan, Rating } from "../../plans/schema.ts";
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
  ({
    plan_id,
    user_id: user,
    place_id: null,
    stars,
    comment: "",
    created_at: "",
    ate: [],
    lacked: [],
    eaten_at: null,
  }) satisfies Rating;

function panel(ratings: Rating[], me = "ana", of = plan) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(["ratings"], ratings);
  render(
    <QueryClientProvider client={queries}>
      <RatePanel plan={of} me={me} now={Date.parse("2026-11-28T12:00Z")} />
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

/** Dev, vegan and halal, at a place; at home or not. */
function ofDev(home: boolean) {
  const place = { id: "kitchen", name: "Kitchen", home } as NonNullable<
    Plan["place_options"][number]["places"]
  >;
  const profiles: Member["profiles"] = {
    display_name: "Dev",
    avatar_path: null,
    diets: ["vegan", "halal"],
    diets_known: true,
    budget: 2,
  };
  return samplePlan({
    ...plan,
    chosen_place_id: "option",
    place_options: [{ id: "option", place_id: "kitchen", proposed_by: null, place_votes: [], places: place }],
    plan_members: [sampleMember("dev", { rsvp: "declined", profiles }), sampleMember("ana")],
  });
}

it("asks by diet: for a meal where a meal can prove it, else whether the kitchen knows", () => {
  panel([], "dev", ofDev(false));
  const meal = screen.getByRole("radiogroup", { name: "Was there a proper vegan meal?" });
  expect(
    within(meal)
      .getAllByRole<HTMLInputElement>("radio")
      .map(({ checked }) => checked),
  ).toEqual([false, false]);
  expect(screen.getByText("Everyone at this meal sees your answer.")).toBeDefined();
  expect(screen.getByRole("radiogroup", { name: "Is it safe for people who eat halal?" })).toBeDefined();
  expect(screen.queryByText(/proper halal meal|who eat vegan/)).toBeNull();
});

it("asks nothing of who eats everything, or about a home", () => {
  panel([], "ana", ofDev(false));
  panel([], "dev", ofDev(true));
  expect(screen.queryAllByText(/meal\?|safe for people/)).toEqual([]);
});

it("shows the answer that was given, also to who eats otherwise now", () => {
  const given: Rating = { ...rating("ana", 4), ate: ["vegetarian"], eaten_at: "2026-11-20T19:00:00Z" };
  panel([given], "ana", ofDev(false));
  const meal = screen.getByRole("radiogroup", { name: "Was there a proper vegetarian meal?" });
  expect(within(meal).getByRole<HTMLInputElement>("radio", { name: "Yes" }).checked).toBe(true);
});
