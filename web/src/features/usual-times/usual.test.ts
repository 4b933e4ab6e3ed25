/** Tests usual.ts. */
import { describe, expect, it } from "vitest";
import { type UsualTime, usualAnswer } from "./usual.ts";

const usual: UsualTime[] = [
  { weekday: 5, part: "dinner", answer: "yes" },
  { weekday: 6, part: "lunch", answer: "no" },
  { weekday: 7, part: "dinner", answer: "if_need_be" },
];
// 2026-11-27 is a Friday; Lisbon in November is UTC.
const at = (instant: string, zone = "Europe/Lisbon") => usualAnswer(usual, instant, zone);

describe("usualAnswer", () => {
  it("takes the weekday and the part of the day at which the meal begins", () => {
    expect(at("2026-11-27T19:30:00Z")).toBe("yes");
    expect(at("2026-11-28T12:00:00Z")).toBe("no");
    expect(at("2026-11-28T19:30:00Z")).toBeNull();
    expect(at("2026-11-27T12:00:00Z")).toBeNull();
    expect(at("2026-11-27T08:00:00Z")).toBeNull();
  });

  it("counts the hours after midnight to the evening before", () => {
    expect(at("2026-11-28T00:30:00Z")).toBe("yes");
    expect(at("2026-11-30T01:00:00Z")).toBe("if_need_be");
    expect(at("2026-11-27T01:00:00Z")).toBeNull();
  });

  it("reads the person's own clock", () => {
    // 20:00 on Friday in Kathmandu.
    expect(at("2026-11-27T14:15:00Z", "Asia/Kathmandu")).toBe("yes");
    expect(at("2026-11-27T14:15:00Z")).toBeNull();
  });
});
