/** Tests board.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TimeOption } from "../plans/schema.ts";
import { arrangeBoard, between, step } from "./board.ts";

function option(id: string, startsAt: string, hours = 2): TimeOption {
  const ends = new Date(Date.parse(startsAt) + hours * 3_600_000).toISOString();
  return { id, starts_at: startsAt, ends_at: ends, proposed_by: null, time_votes: [] };
}

/** Three days; the second has no lunch. */
const options = [
  option("thu-dinner", "2026-11-26T19:30:00Z"),
  option("thu-lunch", "2026-11-26T12:00:00Z"),
  option("fri-dinner", "2026-11-27T19:30:00Z"),
  option("sat-lunch", "2026-11-28T12:00:00Z"),
  option("sat-dinner", "2026-11-28T19:30:00Z"),
];
const board = arrangeBoard(options, "Europe/Lisbon");

const some = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 23 })), {
    minLength: 1,
    maxLength: 30,
    selector: ([day, hour]) => `${day} ${hour}`,
  })
  .map((slots) =>
    slots.map(([day, hour], index) =>
      option(`o${index}`, new Date(Date.UTC(2026, 10, 20 + day, hour)).toISOString()),
    ),
  );
const zones = fc.constantFrom("Europe/Lisbon", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia");

describe("arrangeBoard", () => {
  it("has a row for each day and a column for each clock, in order", () => {
    expect(board.rows.map((row) => row.cells.map((cell) => cell.option.id))).toEqual([
      ["thu-lunch", "thu-dinner"],
      ["fri-dinner"],
      ["sat-lunch", "sat-dinner"],
    ]);
    expect(board.columns).toBe(2);
    expect(board.cells.get("fri-dinner")?.column).toBe(1);
  });

  it("puts an evening on the viewer's own day, +5:45 ahead", () => {
    const theirs = arrangeBoard(options, "Asia/Kathmandu");
    expect(theirs.rows.map((row) => row.date)).toEqual([
      "2026-11-26",
      "2026-11-27",
      "2026-11-28",
      "2026-11-29",
    ]);
  });

  it("gives meals that begin together and end differently a column each", () => {
    const two = arrangeBoard(
      [option("long", "2026-11-26T19:00:00Z", 4), option("short", "2026-11-26T19:00:00Z")],
      "UTC",
    );
    expect(two.columns).toBe(2);
  });

  it("shows every option once, whatever the zone", () => {
    fc.assert(
      fc.property(some, zones, (list, zone) => {
        const shown = arrangeBoard(list, zone).rows.flatMap((row) => row.cells.map((cell) => cell.option.id));
        expect(shown.toSorted()).toEqual(list.map((each) => each.id).toSorted());
      }),
    );
  });
});

describe("between", () => {
  it("is the rectangle of days and clocks, from either corner, without what is not there", () => {
    const dinners = ["thu-dinner", "fri-dinner", "sat-dinner"];
    expect(between(board, "thu-dinner", "sat-dinner")).toEqual(dinners);
    expect(between(board, "sat-dinner", "thu-dinner")).toEqual(dinners);
    expect(between(board, "thu-lunch", "fri-dinner")).toEqual(["thu-lunch", "thu-dinner", "fri-dinner"]);
    expect(between(board, "gone", "fri-dinner")).toEqual([]);
  });

  it("always holds both ends", () => {
    fc.assert(
      fc.property(some, zones, fc.nat(), fc.nat(), (list, zone, i, j) => {
        const [a, b] = [list[i % list.length]?.id ?? "", list[j % list.length]?.id ?? ""];
        expect(between(arrangeBoard(list, zone), a, b)).toEqual(expect.arrayContaining([a, b]));
      }),
    );
  });
});

describe("step", () => {
  it("walks days by up and down to the nearest clock, and clocks by left and right", () => {
    expect(step(board, "thu-lunch", "ArrowDown")).toBe("fri-dinner");
    expect(step(board, "fri-dinner", "ArrowDown")).toBe("sat-dinner");
    expect(step(board, "sat-dinner", "ArrowLeft")).toBe("sat-lunch");
    expect(step(board, "sat-lunch", "ArrowLeft")).toBe("sat-lunch");
    expect(step(board, "sat-lunch", "ArrowDown")).toBe("sat-lunch");
    expect(step(board, "sat-lunch", "End")).toBe("sat-dinner");
    expect(step(board, "sat-dinner", "Home", true)).toBe("thu-lunch");
    expect(step(board, "sat-dinner", "a")).toBeNull();
  });

  it("never leaves the board", () => {
    const keys = fc.constantFrom("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End");
    fc.assert(
      fc.property(some, zones, fc.array(keys, { maxLength: 40 }), (list, zone, pressed) => {
        const any = arrangeBoard(list, zone);
        let at = list[0]?.id ?? "";
        for (const key of pressed) at = step(any, at, key) ?? "gone";
        expect(any.cells.has(at)).toBe(true);
      }),
    );
  });
});
