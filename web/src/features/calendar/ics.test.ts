/** Tests ics.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isBusy, merge } from "./busy.ts";
import { readBusy } from "./ics.ts";

const FROM = Date.parse("2026-11-20T00:00:00Z");
const UNTIL = Date.parse("2026-12-20T00:00:00Z");

function calendar(...events: string[]): string {
  const body = events.map(
    (event) => `BEGIN:VEVENT\nUID:${event.length}-${event.slice(0, 9)}\n${event}\nEND:VEVENT`,
  );
  return ["BEGIN:VCALENDAR", "VERSION:2.0", ...body, "END:VCALENDAR"].join("\n").replaceAll("\n", "\r\n");
}
const read = async (text: string, zone = "Europe/Lisbon") =>
  (await readBusy(text, zone, FROM, UNTIL)).map(({ start, end }) =>
    [start, end].map((ms) => new Date(ms).toISOString().slice(5, 16)).join(" "),
  );

describe("readBusy", () => {
  it("reads instants, zones of the platform and floating times, +5:45 included", async () => {
    expect(await read(calendar("DTSTART:20261127T190000Z\nDTEND:20261127T200000Z"))).toEqual([
      "11-27T19:00 11-27T20:00",
    ]);
    expect(
      await read(
        calendar("DTSTART;TZID=Asia/Kathmandu:20261127T193000\nDTEND;TZID=Asia/Kathmandu:20261127T213000"),
      ),
    ).toEqual(["11-27T13:45 11-27T15:45"]);
    expect(await read(calendar("DTSTART:20261127T193000\nDURATION:PT1H30M"), "America/St_Johns")).toEqual([
      "11-27T23:00 11-28T00:30",
    ]);
  });

  it("takes a whole day from midnight to midnight on the viewer's wall", async () => {
    expect(await read(calendar("DTSTART;VALUE=DATE:20261127"), "Asia/Kathmandu")).toEqual([
      "11-26T18:15 11-27T18:15",
    ]);
  });

  it("uses the zone that the file brings along when the platform does not know it", async () => {
    const zone = [
      "BEGIN:VTIMEZONE",
      "TZID:The office",
      "BEGIN:STANDARD",
      "DTSTART:19700101T000000",
      "TZOFFSETFROM:+0300",
      "TZOFFSETTO:+0300",
      "END:STANDARD",
      "END:VTIMEZONE",
    ].join("\r\n");
    const text = calendar("DTSTART;TZID=The office:20261127T190000\nDTEND;TZID=The office:20261127T200000");
    expect(await read(text.replace("BEGIN:VEVENT", `${zone}\r\nBEGIN:VEVENT`))).toEqual([
      "11-27T16:00 11-27T17:00",
    ]);
  });

  it("unrolls what repeats inside the window, keeps its wall time, and leaves out what was taken out", async () => {
    expect(
      await read(
        calendar(
          "DTSTART;TZID=Europe/Lisbon:20261001T193000\nDTEND;TZID=Europe/Lisbon:20261001T203000\n" +
            "RRULE:FREQ=WEEKLY;BYDAY=TH\nEXDATE;TZID=Europe/Lisbon:20261203T193000",
        ),
      ),
    ).toEqual(["11-26T19:30 11-26T20:30", "12-10T19:30 12-10T20:30", "12-17T19:30 12-17T20:30"]);
  });

  it("moves the one occurrence that was moved", async () => {
    const text = [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "BEGIN:VEVENT",
      "UID:choir",
      "DTSTART:20261125T190000Z",
      "DTEND:20261125T200000Z",
      "RRULE:FREQ=DAILY;COUNT=2",
      "END:VEVENT",
      "BEGIN:VEVENT",
      "UID:choir",
      "RECURRENCE-ID:20261126T190000Z",
      "DTSTART:20261126T100000Z",
      "DTEND:20261126T110000Z",
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n");
    expect(await read(text)).toEqual(["11-25T19:00 11-25T20:00", "11-26T10:00 11-26T11:00"]);
  });

  it("leaves out what is cancelled or marked as free", async () => {
    const at = "DTSTART:20261127T190000Z\nDTEND:20261127T200000Z";
    expect(await read(calendar(`${at}\nSTATUS:CANCELLED`, `TRANSP:TRANSPARENT\n${at}`))).toEqual([]);
  });

  it("refuses what is not a calendar, as something that can be said", async () => {
    await expect(read("<html>")).rejects.toMatchObject({ kind: "invalid", code: "not_a_calendar" });
    await expect(read("BEGIN:VCARD\r\nEND:VCARD")).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("merge", () => {
  const intervals = fc.array(
    fc
      .record({ start: fc.integer({ min: 0, max: 200 }), length: fc.integer({ min: 0, max: 20 }) })
      .map(({ start, length }) => ({ start, end: start + length })),
  );

  it("keeps every moment that was taken and none else, in pieces that do not touch", () => {
    fc.assert(
      fc.property(intervals, (list) => {
        const merged = merge(list);
        for (let moment = 0; moment < 230; moment += 1) {
          const taken = (all: typeof list) => all.some((each) => each.start <= moment && moment < each.end);
          expect(taken(merged)).toBe(taken(list));
        }
        expect(merged.every((each, index) => index === 0 || each.start > (merged[index - 1]?.end ?? 0))).toBe(
          true,
        );
      }),
    );
  });

  it("does not call a meal taken that begins as something ends", () => {
    const busy = [{ start: Date.parse("2026-11-27T18:00Z"), end: Date.parse("2026-11-27T19:30Z") }];
    expect(isBusy(busy, "2026-11-27T19:30:00Z", "2026-11-27T21:00:00Z")).toBe(false);
    expect(isBusy(busy, "2026-11-27T19:29:00Z", "2026-11-27T21:00:00Z")).toBe(true);
  });
});
