// @vitest-environment jsdom
/** Painting answers on the board of times, by keyboard and by taps. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Answer } from "../../plans/answers.ts";
import { sampleMember, samplePlan } from "../../plans/sample-plan.ts";
import { TimeBoard } from "./time-board.tsx";

afterEach(cleanup);

const ana = "a";
/** Two days, each at 12:00 and 19:00; Ana has said no to the last. */
const starts = ["2026-11-27T12:00Z", "2026-11-27T19:00Z", "2026-11-28T12:00Z", "2026-11-28T19:00Z"];
const plan = samplePlan({
  time_zone: "UTC",
  plan_members: [sampleMember(ana)],
  time_options: starts.map((start, index) => ({
    id: `t${index}`,
    starts_at: start,
    ends_at: start.replace(":00Z", ":30Z"),
    proposed_by: null,
    time_votes: index === 3 ? [{ user_id: ana, answer: "no" }] : [],
  })),
});

function board(more: { now?: number; open?: boolean } = {}) {
  const answer = vi.fn<(times: Record<string, Answer | null>) => void>();
  const props = {
    plan,
    me: ana,
    zone: "UTC",
    host: false,
    hidden: false,
    only: null,
    busy: new Set<string>(),
  };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TimeBoard {...props} now={0} open details={false} answer={answer} {...more} />
    </QueryClientProvider>,
  );
  return { user: userEvent.setup(), painted: () => answer.mock.calls.map(([times]) => times) };
}
const cell = (index: number) => {
  const found = document.querySelector<HTMLElement>(`[data-option="t${index}"]`);
  if (!found) throw new Error(`No cell t${index}`);
  return found;
};

it("sets the brush's answer on one cell, and clears it when the same is set again", async () => {
  const { user, painted } = board();
  cell(0).focus();
  await user.keyboard(" ");
  expect(painted()).toEqual([{ t0: "yes" }]);
  await user.keyboard("{Enter}");
  expect(painted()).toEqual([{ t0: "yes" }, { t0: null }]);
  await user.click(screen.getByRole("radio", { name: "No" }));
  cell(3).focus();
  await user.keyboard(" ");
  expect(painted().at(-1)).toEqual({ t3: null });
});

it("paints a range with Shift and the arrow keys as one answer", async () => {
  const { user, painted } = board();
  cell(0).focus();
  await user.keyboard("{Shift>}{ArrowRight}{ArrowDown}{/Shift}");
  expect(cell(2).getAttribute("aria-selected")).toBe("true");
  expect(painted()).toEqual([]);
  await user.keyboard(" ");
  expect(painted()).toEqual([{ t0: "yes", t1: "yes", t2: "yes", t3: "yes" }]);
});

it("forgets a range on Escape", async () => {
  const { user, painted } = board();
  cell(0).focus();
  await user.keyboard("{Shift>}{ArrowRight}{/Shift}{Escape}");
  expect(cell(0).getAttribute("aria-selected")).toBe("false");
  await user.keyboard(" ");
  expect(painted()).toEqual([{ t1: "yes" }]);
});

it("selects from a first to a last cell, and says which is next", async () => {
  const { user, painted } = board();
  await user.click(screen.getByRole("button", { name: "Select a range" }));
  expect(screen.getByRole("status").textContent).toBe("Tap the first time.");
  cell(1).focus();
  await user.keyboard(" ");
  expect(screen.getByRole("status").textContent).toBe("Now tap the last one.");
  expect(painted()).toEqual([]);
  cell(3).focus();
  await user.keyboard(" ");
  expect(painted()).toEqual([{ t1: "yes", t3: "yes" }]);
});

it("leaves out times that have begun, and paints nothing once voting is over", async () => {
  const { user, painted } = board({ now: Date.parse("2026-11-27T13:00Z") });
  cell(0).focus();
  await user.keyboard("{Shift>}{ArrowRight}{/Shift} ");
  expect(painted()).toEqual([{ t1: "yes" }]);
  cleanup();
  const closed = board({ open: false });
  cell(1).focus();
  await closed.user.keyboard(" ");
  expect(closed.painted()).toEqual([]);
});
