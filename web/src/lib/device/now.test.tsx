// @vitest-environment jsdom
/** The time that components show: also for the first component after a pause, and after the device has slept. */
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useNow } from "./now.ts";

const HOUR_MS = 3_600_000;
const shown: number[] = [];
function Clock() {
  shown.push(useNow());
  return null;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("shows the present in the first component after a while without any", () => {
  render(<Clock />);
  cleanup();
  vi.advanceTimersByTime(HOUR_MS);
  shown.length = 0;
  render(<Clock />);
  expect(shown[0]).toBe(Date.now());
});

it("moves on by itself, each half a minute", () => {
  render(<Clock />);
  act(() => vi.advanceTimersByTime(HOUR_MS));
  expect(shown.at(-1)).toBe(Date.now());
});

it("shows the present as soon as the page is seen again, though its timers stood still", () => {
  render(<Clock />);
  vi.setSystemTime(Date.now() + HOUR_MS);
  act(() => void document.dispatchEvent(new Event("visibilitychange")));
  expect(shown.at(-1)).toBe(Date.now());
});
