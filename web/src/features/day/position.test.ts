/** Tests position.ts. */
import { describe, expect, it } from "vitest";
import {
  afterEnd,
  afterPosition,
  extended,
  minutesLeft,
  noPositions,
  positionMessage,
  stillShared,
} from "./position.ts";

const ana = "00000000-0000-4000-8000-0000000000a1";
const now = 1_800_000_000_000;
const minute = 60_000;
const at = { latitude: 38.710_412_9, longitude: -9.153_291 };
const message = positionMessage(at, now + 30 * minute);
const everyone = new Set([ana]);

describe("a live position", () => {
  it("is rounded to about a street", () => {
    expect(message).toEqual({
      latitude: 38.7104,
      longitude: -9.1533,
      until: now + 30 * minute,
    });
  });

  it("is stored until its time is over", () => {
    const heard = afterPosition(noPositions, ana, message, now);
    expect(heard.get(ana)).toMatchObject({ latitude: 38.7104, until: now + 30 * minute });
    const again = afterPosition(heard, ana, message, now + 29.9 * minute);
    expect(stillShared(again, everyone, now + 29.95 * minute).has(ana)).toBe(true);
    expect(stillShared(again, everyone, now + 30 * minute).has(ana)).toBe(false);
    expect(afterPosition(heard, ana, message, now + 31 * minute).has(ana)).toBe(false);
  });

  it("is removed when its sender sends nothing more, stops, or leaves the plan", () => {
    const heard = afterPosition(noPositions, ana, message, now);
    expect(stillShared(heard, everyone, now + 30_000).has(ana)).toBe(true);
    expect(stillShared(heard, everyone, now + 40_000).has(ana)).toBe(false);
    expect(afterEnd(heard, ana).has(ana)).toBe(false);
    expect(stillShared(heard, new Set(), now).has(ana)).toBe(false);
  });

  it("has a maximum duration, and other payloads are ignored", () => {
    const heard = afterPosition(noPositions, ana, { ...message, until: now + 1e10 }, now);
    expect(heard.get(ana)?.until).toBe(now + 180 * minute);
    for (const odd of [null, {}, { ...message, latitude: 91 }, { ...message, until: "noon" }]) {
      expect(afterPosition(noPositions, ana, odd, now)).toBe(noPositions);
    }
  });

  it("has a remaining time, which can be extended", () => {
    expect([30, 29.6, 1.2, 0.9, 0].map((left) => minutesLeft(now + left * minute, now))).toEqual([
      30, 30, 1, 0, 0,
    ]);
    expect(minutesLeft(extended(now + 10 * minute, now), now)).toBe(40);
    expect(minutesLeft(extended(now + 170 * minute, now), now)).toBe(180);
  });
});
