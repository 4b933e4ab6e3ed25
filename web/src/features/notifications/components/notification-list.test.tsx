// @vitest-environment jsdom
/** The sentences of the activity list, and where each leads. */
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Notification } from "../queries.ts";
import { NotificationList } from "./notification-list.tsx";

afterEach(cleanup);

const dinner: NonNullable<Notification["plans"]> = {
  title: "Dinner",
  time_zone: "UTC",
  time: { starts_at: "2026-12-04T19:00:00Z" },
  place: { places: { name: "Momo" } },
  was_time: { starts_at: "2026-12-03T19:00:00Z" },
  was_place: null,
};
const entry = (id: string, kind: Notification["kind"], more: Partial<Notification> = {}): Notification => ({
  id,
  kind,
  plan_id: "p",
  created_at: `2026-11-27T12:00:0${id}Z`,
  read_at: null,
  plans: dinner,
  actor: { display_name: "Ben Costa", avatar_path: null },
  actor_id: "ben",
  ...more,
});

function list(...entries: Notification[]) {
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  render(
    <RouterContextProvider router={router}>
      <NotificationList list={entries} now={Date.parse("2026-11-27T13:00Z")} />
    </RouterContextProvider>,
  );
  return screen.getAllByRole("listitem").map((item) => item.textContent ?? "");
}

it("says what a plan was changed from and to at its newest change only, as a plan knows no other", () => {
  const [newest, earlier, another] = list(
    entry("3", "plan_moved"),
    entry("2", "plan_moved"),
    entry("1", "plan_moved", { plan_id: "q", plans: { ...dinner, was_time: null } }),
  );
  expect(newest).toMatch(/Was Thu 3 Dec.*Now Fri 4 Dec.*Momo/);
  expect(earlier).not.toContain("Was");
  expect(another).not.toContain("Was");
});

it("says when a plan was confirmed by nobody, because nobody objected", () => {
  const [itself, byBen] = list(
    entry("2", "plan_confirmed", { actor_id: null, actor: null }),
    entry("1", "plan_confirmed"),
  );
  expect(itself).toContain("Dinner is confirmed. Nobody objected.");
  expect(byBen).toContain("Ben confirmed Dinner.");
});

it("leads to the plan, but not to a deleted one, and marks what is new", () => {
  const [gone, there] = list(
    entry("2", "plan_cancelled", { plans: null, read_at: "2026-11-27T12:30:00Z" }),
    entry("1", "plan_cancelled"),
  );
  expect(gone).toContain("Ben cancelled a deleted plan.");
  expect(screen.getAllByRole("link")).toHaveLength(1);
  expect([gone, there].map((text) => text?.endsWith(", new"))).toEqual([false, true]);
});

it("tells people of one first name apart", () => {
  const [first, second, third] = list(
    entry("3", "person_joined", { actor: { display_name: "Ben K", avatar_path: null }, actor_id: "other" }),
    entry("2", "person_joined", { actor: { display_name: "Ben", avatar_path: null } }),
    entry("1", "plan_confirmed", {
      actor: { display_name: "Chiara Ricci", avatar_path: null },
      actor_id: "c",
    }),
  );
  expect(first).toContain("Ben K joined Dinner.");
  expect(second).toContain("Ben joined Dinner.");
  expect(third).toContain("Chiara confirmed Dinner.");
});
