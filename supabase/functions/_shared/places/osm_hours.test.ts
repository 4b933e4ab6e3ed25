/** Tests osm_hours.ts. */
import { describe, expect, it } from "vitest";
import { readOpeningHours } from "./osm_hours.ts";

/** "1 12:00-15:00" for each interval. */
const week = (text: string) =>
  readOpeningHours(text)?.map(({ weekday, opens, closes }) => `${weekday} ${opens}-${closes}`) ?? null;

describe("readOpeningHours", () => {
  it.each([
    ["Mo-We 12:00-15:00", ["1 12:00-15:00", "2 12:00-15:00", "3 12:00-15:00"]],
    ["Fr,Sa 19:00-02:00", ["5 19:00-02:00", "6 19:00-02:00"]],
    ["Sa-Mo 10:00-11:00", ["1 10:00-11:00", "6 10:00-11:00", "7 10:00-11:00"]],
    ["Mo 12:00-15:00,19:00-24:00", ["1 12:00-15:00", "1 19:00-00:00"]],
    ["Tu-We 12:00-15:00; We off", ["2 12:00-15:00"]],
    ["Mo 09:00-26:00; PH off", ["1 09:00-02:00"]],
  ])("understands %s", (text, expected) => {
    expect(week(text)).toEqual(expected);
  });

  it("takes a time without days for every day, and always for always", () => {
    expect(week("12:00-22:00")?.length).toBe(7);
    expect(week("24/7")?.[6]).toBe("7 00:00-00:00");
  });

  it.each([
    "Jan-Mar 10:00-12:00",
    "sunrise-sunset",
    "Mo-Fr 10:00+",
    'Mo-Fr 10:00-12:00 "by appointment"',
    "Mo[1] 10:00-12:00",
    "Mo 31:00-32:00",
    "",
    "open",
  ])("does not guess at %s", (text) => {
    expect(readOpeningHours(text)).toBeNull();
  });
});
