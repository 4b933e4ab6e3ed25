/** What a mail says and where its button leads, in both languages. */
import { describe, expect, it } from "vitest";
import { write } from "./compose.ts";
import type { WaitingMail } from "./mail_words.ts";

const base: WaitingMail = {
  id: "1",
  address: "ben@nosh.test",
  kind: "rate_reminder",
  language: "en",
  secret: "token",
  unsubscribe: "00000000-0000-4000-8000-0000000000e1",
  plan_id: "p",
  title: "Soup",
  time_zone: "Asia/Kathmandu",
  vote_deadline: "2026-11-26T12:00:00Z",
  veto_until: "2026-11-26T12:00:00Z",
  veto_reason: "",
  vetoed_by: null,
  undecided: null,
  starts_at: "2026-11-27T13:15:00Z",
  place: "Momo Sete",
  address_of_place: "",
  host: "Ana",
  sender: null,
  people: 3,
  own: false,
  event: null,
};
const textOf = (change: Partial<WaitingMail>) =>
  write({ ...base, ...change }, "https://nosh.test", "https://nosh.test/functions/v1").text;

describe.each(["en", "de"] as const)("in %s", (language) => {
  it("the button for rating leads to the tab where plans are rated", () => {
    expect(textOf({ language })).toContain("https://nosh.test/plans/p?tab=day");
  });

  it.each([
    "rate_reminder",
    "plan_cancelled",
    "plan_confirmed",
    "plan_moved",
    "plan_tomorrow",
    "plan_proposed",
  ] as const)("a mail of %s has the date, in the plan's zone", (kind) => {
    expect(textOf({ language, kind })).toMatch(/27\.? November/);
    expect(textOf({ language, kind })).toContain("19:00");
  });

  it("the host who decided is not asked whether they come", () => {
    const asks = /whether you're coming|ob du kommst/;
    for (const kind of ["plan_confirmed", "plan_moved"] as const) {
      expect(textOf({ language, kind })).toMatch(asks);
      expect(textOf({ language, kind, own: true })).not.toMatch(asks);
    }
  });

  it("a confirmation leads to its own page", () => {
    expect(textOf({ language, kind: "confirm_address", sender: "Kim" })).toContain(
      "https://nosh.test/mail/confirm/token",
    );
  });
});
