/** Tests the words of mails and push messages, and where their buttons lead. */
import { describe, expect, it } from "vitest";
import { messageOf, type WaitingPush } from "../push/push_words.ts";
import { write } from "./compose.ts";
import type { WaitingMail } from "./letters.ts";

const plan = {
  id: "1",
  plan_id: "00000000-0000-4000-8000-0000000000b3",
  title: "Dumplings",
  time_zone: "Europe/Lisbon",
  vote_deadline: null,
  veto_until: "2026-11-26T12:00:00Z",
  starts_at: "2026-11-27T19:30:00Z",
  first_starts_at: "2026-11-27T19:30:00Z",
  last_starts_at: "2026-11-29T12:00:00Z",
};
const mail = {
  ...plan,
  address: "ben@nosh.test",
  secret: null,
  unsubscribe: "2",
  veto_reason: "",
  vetoed_by: null,
  undecided: null,
  was_starts_at: null,
  was_place: null,
  host: "Ana",
  sender: null,
  people: 3,
  joined: 3,
  own: false,
  hosts: false,
  event: null,
} as const;
const calendarEvent = {
  ...plan,
  note: "",
  revision: 1,
  status: "confirmed",
  ends_at: "2026-11-27T21:30:00Z",
  place: "Momo Sete",
  address: "",
  latitude: null,
  longitude: null,
  people: 3,
  created_at: "2026-11-01T10:00:00Z",
  updated_at: "2026-11-01T10:00:00Z",
} as const;
const sender = { name: "Nosh", address: "table@nosh.test" };
const push = { ...plan, endpoint: "", p256dh: "", auth: "" };
const place = { place: "Momo Sete", address_of_place: "Rua das Flores 7" };
const none = { place: null, address_of_place: null };

const mailOf = (kind: WaitingMail["kind"], language: "en" | "de", where: typeof place | typeof none) =>
  write({ ...mail, ...where, kind, language }, "https://nosh.test", "https://nosh.test/functions/v1", sender);
const pushOf = (kind: WaitingPush["kind"], language: "en" | "de", where: string | null) =>
  messageOf({ ...push, kind, language, place: where }).body;

it.each([
  [
    "en",
    "Friday 27 November at 19:30. The place is still to be decided.",
    "Friday 27 November at 19:30, Momo Sete",
  ],
  ["de", "Freitag, 27. November um 19:30. Der Ort folgt noch.", "Freitag, 27. November um 19:30, Momo Sete"],
] as const)("a mail in %s gives the time and says that the place is open", (language, open, whole) => {
  for (const kind of [
    "plan_confirmed",
    "plan_tomorrow",
    "plan_changed",
    "plan_moved",
    "plan_proposed",
  ] as const) {
    const { subject, text } = mailOf(kind, language, none);
    expect(text, kind).toContain(open);
    expect(subject + text, kind).not.toMatch(/null|undefined|, \.|, *$/m);
    expect(mailOf(kind, language, place).text, kind).toContain(whole);
  }
});

it("a mail about the place names it in its subject", () => {
  expect(mailOf("plan_placed", "en", place).subject).toBe("The place is Momo Sete: Dumplings");
  expect(mailOf("plan_placed", "de", place).subject).toBe("Der Ort steht fest: Momo Sete, Dumplings");
});

it("a push message has no gap for a place that is open", () => {
  expect(pushOf("plan_confirmed", "en", null)).toBe("It's on: Fri 27 Nov, 19:30");
  expect(pushOf("plan_placed", "en", "Momo Sete")).toBe("The place is decided: Fri 27 Nov, 19:30, Momo Sete");
  expect(pushOf("plan_placed", "de", "Momo Sete")).toBe(
    "Der Ort steht fest: Fr., 27. Nov., 19:30, Momo Sete",
  );
});

describe.each(["en", "de"] as const)("in %s", (language) => {
  const textOf = (kind: WaitingMail["kind"], change: Partial<WaitingMail> = {}) =>
    write(
      { ...mail, ...place, kind, language, ...change },
      "https://nosh.test",
      "https://nosh.test/functions/v1",
      sender,
    ).text;

  it("the button for rating leads to the tab where plans are rated", () => {
    expect(textOf("rate_reminder")).toContain(`https://nosh.test/plans/${plan.plan_id}?tab=day`);
  });

  it.each(["rate_reminder", "plan_cancelled"] as const)("a mail of %s has the date", (kind) => {
    expect(textOf(kind)).toMatch(/27\.? November/);
    expect(textOf(kind)).toContain("19:30");
  });

  it.each([
    "invite",
    "join_asked",
    "vote_nudge",
    "plan_reopened",
    "plan_vetoed",
    "plan_undecided",
    "everybody_answered",
  ] as const)("a mail of %s has the date, or the days that are voted on", (kind) => {
    expect(textOf(kind)).toMatch(/27\.? November/);
    expect(textOf(kind)).not.toContain("29");
    const days = textOf(kind, { starts_at: null });
    expect(days).toMatch(/27\.? November.*29\.? November/);
    const one = textOf(kind, { starts_at: null, last_starts_at: mail.first_starts_at });
    expect(one.match(/27\.? November/g)).toHaveLength(1);
    expect(textOf(kind, { starts_at: null, first_starts_at: null, last_starts_at: null })).not.toMatch(
      /November/,
    );
  });

  it("a nudge about the places names no days, as they are not what is asked", () => {
    const open = { starts_at: null, question: "places" } as const;
    expect(textOf("vote_nudge", open)).not.toMatch(/November/);
    expect(textOf("vote_nudge", { ...open, question: "times" })).toMatch(/November/);
  });

  it("a request to join names who asks, and leads to the request", () => {
    const text = textOf("join_asked", { sender: "Finn" });
    expect(text).toMatch(/Finn (is asking for a seat|fragt nach einem Platz)/);
    expect(text).toContain(`https://nosh.test/plans/${plan.plan_id}#asking`);
  });

  it("the host who decided is not asked whether they come", () => {
    const asks = /whether you're coming|ob du kommst/;
    for (const kind of ["plan_confirmed", "plan_moved"] as const) {
      expect(textOf(kind)).toMatch(asks);
      expect(textOf(kind, { own: true })).not.toMatch(asks);
    }
  });

  it("a decision says what is known of whether the reader comes", () => {
    const event = { ...calendarEvent, state: "asked" } as const;
    const texts = (["asked", "expected", "waitlisted", "not_coming"] as const).map((state) =>
      textOf("plan_confirmed", { event: { ...event, state } }),
    );
    expect(new Set(texts).size).toBe(4);
    expect(texts[0]).toMatch(/Are you coming\?|Kommst du\?/);
    expect(texts[1]).toMatch(/We're expecting you|Wir rechnen mit dir/);
  });

  it("a change says what was and what is", () => {
    const text = textOf("plan_moved", { was_starts_at: "2026-11-26T12:00:00Z", was_place: "Trattoria" });
    expect(text).toMatch(
      /26\.? November (at|um) 12:00, Trattoria\..+27\.? November (at|um) 19:30, Momo Sete/,
    );
  });

  it("a confirmation leads to its own page", () => {
    expect(textOf("confirm_address", { secret: "token", sender: "Kim" })).toContain(
      "https://nosh.test/mail/confirm/token",
    );
  });
});
