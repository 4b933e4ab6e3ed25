// @vitest-environment jsdom
/** How a problem and an empty list are told, to eyes and to a screen reader. */
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { AppError } from "../lib/errors.ts";
import { Empty, ErrorNotice } from "./notice.tsx";

afterEach(cleanup);

const closed = new AppError("conflict", "voting_closed", "The deadline has passed.", "Ask the host.");

it("is announced, says what happened and what to do, and offers a way to try again", async () => {
  const retry = vi.fn();
  render(<ErrorNotice error={closed} retry={retry} />);
  const alert = screen.getByRole("alert");
  expect(alert.textContent).toContain("The deadline has passed. Ask the host.");
  expect(screen.queryByRole("heading")).toBeNull();
  await userEvent.setup().click(screen.getByRole("button"));
  expect(retry).toHaveBeenCalledOnce();
});

it("is the page's heading where it is all that the screen shows", () => {
  render(<ErrorNotice error={closed} page />);
  expect(screen.getByRole("heading", { level: 1 })).toBeDefined();
  cleanup();
  render(<Empty title="No plans yet" page />);
  expect(screen.getByRole("heading", { level: 1, name: "No plans yet" })).toBeDefined();
});

it("shows no internals of an unknown error", () => {
  render(<ErrorNotice error={new Error("TypeError: x is undefined at foo.ts:12")} />);
  expect(screen.getByRole("alert").textContent).not.toContain("foo.ts");
});
