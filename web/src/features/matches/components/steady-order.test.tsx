// @vitest-environment jsdom
/** The order of the ranked pairs while somebody is at the list. */
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Pair } from "../ranking.ts";
import { useSteadyOrder } from "./steady-order.ts";

afterEach(cleanup);

const pairs = (times: string) => [...times].map((timeId) => ({ timeId, placeId: "p" }) as Pair);

function list(times: string) {
  const { result, rerender } = renderHook(
    (props: { times: string; asked: string }) => useSteadyOrder(pairs(props.times), props.asked, 3),
    { initialProps: { times, asked: "" } },
  );
  return {
    now: () => result.current,
    order: () => result.current.pairs.map(({ timeId }) => timeId).join(""),
    rank: (next: string, asked = "") => rerender({ times: next, asked }),
  };
}

it("follows a new ranking while nobody is at the list", () => {
  const { order, rank, now } = list("abc");
  rank("bca");
  expect(order()).toBe("bca");
  expect(now().moved).toBe(false);
});

it("stays while the pointer is on it, and offers the new order", () => {
  const { order, rank, now } = list("abc");
  act(() => now().handlers.onPointerEnter());
  rank("bcad");
  expect(order()).toBe("abcd");
  expect(now().moved).toBe(true);
  act(() => now().showNew());
  expect(order()).toBe("bcad");
  expect(now().moved).toBe(false);
});

it("stays while the focus is in it, and follows once it has left", () => {
  const { order, rank, now } = list("abc");
  act(() => now().handlers.onFocus());
  rank("cab");
  expect(order()).toBe("abc");
  const outside = { currentTarget: document.body, relatedTarget: null } as unknown as React.FocusEvent;
  act(() => now().handlers.onBlur(outside));
  expect(order()).toBe("cab");
});

it("changes at once for a person who asked for another order, although they are at the list", () => {
  const { order, rank, now } = list("abc");
  act(() => now().handlers.onPointerEnter());
  rank("cba", "without Ben");
  expect(order()).toBe("cba");
});
