/** Tests ics.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CalendarEvent, calendarOf, invitationOf } from "./ics.ts";

const event: CalendarEvent = {
  plan_id: "00000000-0000-4000-8000-0000000000b3",
  title: "Dumplings; a, b\\c",
  note: "Bring\nhunger",
  revision: 3,
  status: "confirmed",
  state: "expected",
  starts_at: "2026-11-27T19:30:00+00:00",
  ends_at: "2026-11-27T22:00:00.123+00:00",
  place: "Momo Sete",
  address: "Rua das Flores, 7",
  latitude: 38.71,
  longitude: -9.14,
  people: 4,
  created_at: "2026-11-01T10:00:00Z",
  updated_at: "2026-11-20T10:00:00Z",
};
const site = "https://nosh.test";
/** Unfolded lines. */
const unfolded = (text: string) => text.replace(/\r\n[ \t]/g, "").split("\r\n");

describe("calendarOf", () => {
  it("writes an event that moves with its plan", () => {
    const lines = unfolded(calendarOf([event], site));
    expect(lines).toContain("UID:00000000-0000-4000-8000-0000000000b3@nosh");
    expect(lines).toContain("SEQUENCE:3");
    expect(lines).toContain("DTSTART:20261127T193000Z");
    expect(lines).toContain("DTEND:20261127T220000Z");
    expect(lines).toContain("SUMMARY:Dumplings\\; a\\, b\\\\c");
    expect(lines).toContain("LOCATION:Momo Sete\\, Rua das Flores\\, 7");
    expect(lines).toContain(`DESCRIPTION:Bring\\nhunger\\n\\n${site}/plans/${event.plan_id}`);
    expect(lines).toContain("STATUS:CONFIRMED");
  });

  it.each([
    [{ status: "cancelled", state: "not_coming" }, "STATUS:CANCELLED", "TRANSP:TRANSPARENT"],
    [{ state: "maybe" }, "STATUS:TENTATIVE", "TRANSP:OPAQUE"],
    [{ state: "not_coming" }, "STATUS:TENTATIVE", "TRANSP:TRANSPARENT"],
  ] as const)("says %o", (change, status, busy) => {
    const lines = unfolded(calendarOf([{ ...event, ...change }], site));
    expect(lines).toContain(status);
    expect(lines).toContain(busy);
  });

  it("has no position for a place that is known by its name, and writes the events after it", () => {
    const named = { ...event, address: "", latitude: null, longitude: null };
    const lines = unfolded(calendarOf([named, event], site));
    expect(lines).toContain("LOCATION:Momo Sete");
    expect(lines.filter((line) => line.startsWith("GEO"))).toEqual(["GEO:38.710000;-9.140000"]);
    expect(lines.filter((line) => line === "END:VEVENT")).toHaveLength(2);
  });

  it("has no location while the place is to be decided", () => {
    const open = { ...event, place: null, address: null, latitude: null, longitude: null };
    const lines = unfolded(calendarOf([open, event], site));
    expect(lines.filter((line) => /^(LOCATION|GEO)/.test(line))).toHaveLength(2);
    expect(lines.join()).not.toContain("null");
    expect(lines.filter((line) => line === "END:VEVENT")).toHaveLength(2);
  });

  it("folds at 75 octets, breaks no character, and loses nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (title) => {
        const text = calendarOf([{ ...event, title: `x${title}` }], site);
        for (const line of text.split("\r\n")) {
          expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
          expect(line).not.toMatch(/\p{Surrogate}/u);
        }
        const summary = unfolded(text).find((line) => line.startsWith("SUMMARY:")) ?? "";
        const back = summary
          .slice("SUMMARY:".length)
          .replace(/\\([\\;,n])/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
        expect(back).toBe(`x${title}`.replace(/\r\n|\r/g, "\n"));
      }),
    );
  });

  it("lets nothing that people wrote begin a line of its own", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("title", "note", "place", "address"), (text, field) => {
        const hostile = calendarOf([{ ...event, [field]: `${text}\r\nATTENDEE:mailto:x@y.z` }], site);
        expect(unfolded(hostile).some((line) => line.startsWith("ATTENDEE"))).toBe(false);
      }),
    );
  });
});

describe("invitationOf", () => {
  const sender = { name: 'Nosh "of\r\nX:friends"', address: "table@nosh.test" };
  const of = (change: Partial<CalendarEvent>, attendee = "ben+nosh@home.test") =>
    unfolded(invitationOf({ ...event, ...change }, site, sender, attendee));

  it("invites one person, from the service, in an event with the feed's UID", () => {
    const lines = of({ state: "asked" });
    expect(lines).toContain("METHOD:REQUEST");
    expect(lines).toContain('ORGANIZER;CN="Nosh ofX:friends":mailto:table@nosh.test');
    expect(lines.filter((line) => line.startsWith("ATTENDEE"))).toEqual([
      "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=FALSE:mailto:ben+nosh@home.test",
    ]);
    expect(lines).toContain("UID:00000000-0000-4000-8000-0000000000b3@nosh");
    expect(lines).toContain("SEQUENCE:3");
    expect(lines).toContain("STATUS:CONFIRMED");
    // A calendar's own name would make mail programs add a calendar instead of an entry.
    expect(lines.filter((line) => /^(NAME|X-WR|REFRESH|X-PUB)/.test(line))).toEqual([]);
  });

  it.each([
    ["expected", "ACCEPTED"],
    ["maybe", "TENTATIVE"],
    ["waitlisted", "TENTATIVE"],
    ["not_coming", "DECLINED"],
  ] as const)("says that a person who is %s is %s", (state, partstat) => {
    expect(of({ state }).join("\n")).toContain(`PARTSTAT=${partstat};`);
  });

  it("takes the entry back when the plan is cancelled", () => {
    const lines = of({ status: "cancelled" });
    expect(lines).toContain("METHOD:CANCEL");
    expect(lines).toContain("STATUS:CANCELLED");
  });

  it("lets nothing in a person's text or address begin a line or name another attendee", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("title", "note", "place", "address"), (text, field) => {
        const lines = of({ [field]: `${text}\r\nATTENDEE:mailto:x@y.z` }, "a\r\nATTENDEE:b@c.test");
        expect(lines.filter((line) => line.startsWith("ATTENDEE"))).toHaveLength(1);
      }),
    );
  });
});
