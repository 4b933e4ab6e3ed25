/**
 * Owns: the text of push messages in both languages. A lock screen shows them to everybody, so they have the plan's
 * name, what was decided, when and where, and no person's name.
 */

import type { PushedKind } from "../notification_kinds.ts";
import { type Question, tabOf } from "../table/steps.ts";

/** A pending message, as `take_push` returns it. */
export interface WaitingPush {
  id: string;
  kind: PushedKind;
  language: "en" | "de";
  endpoint: string;
  p256dh: string;
  auth: string;
  plan_id: string;
  title: string;
  time_zone: string;
  vote_deadline: string | null;
  starts_at: string | null;
  place: string | null;
  /** The end of the time to object to a proposal. */
  veto_until: string | null;
  /** The reader's open question, of a message that asks to vote. */
  question: Question | null;
}

/** What the service worker shows. */
export interface PushMessage {
  title: string;
  body: string;
  /** Path within the app that a click opens. */
  path: string;
  /** A message replaces the one with the same tag. */
  tag: string;
  lang: "en" | "de";
}

interface MessageDetails {
  /** "Fri 27 Nov, 19:30, Momo Sete", without a place that is to be decided; empty while nothing is decided. */
  what: string;
  /** When voting closes; empty without a deadline. */
  deadline: string;
  /** When a proposal is confirmed; empty without one. */
  until: string;
  /** The sentence that asks for what is missing. */
  ask: () => string;
}

/** One for each kind, and what a message that asks to vote asks for. */
export interface PushWords extends Record<WaitingPush["kind"], (details: MessageDetails) => string> {
  asks: Record<Question, string>;
}

export const english: PushWords = {
  asks: {
    times: "When can you make it?",
    places: "Where would you like to eat?",
  },
  plan_confirmed: ({ what }) => `It's on: ${what}`,
  plan_changed: ({ what }) => `The name or note has changed. ${what}`,
  plan_moved: ({ what }) => `Changed to ${what}. Are you still coming?`,
  plan_placed: ({ what }) => `The place is decided: ${what}`,
  plan_reopened: () => "Voting is open again.",
  plan_cancelled: () => "Cancelled.",
  plan_restored: ({ what }) => (what ? `On again: ${what}` : "On again. When and where are still open."),
  vote_nudge: ({ deadline, ask }) => `${ask()} ${deadline ? `Vote by ${deadline}.` : ""}`,
  vote_reminder: ({ deadline, ask }) => `${ask()} Voting closes ${deadline}.`,
  plan_tomorrow: ({ what }) => `Soon: ${what}`,
  seat_freed: ({ what }) => (what ? `A seat is free, you're in: ${what}` : "A seat is free, you're in."),
  plan_proposed: ({ what, until }) => `Proposed: ${what}. We'll confirm it ${until} unless someone objects.`,
  plan_vetoed: () => "Someone objected to the proposal. The host decides.",
  plan_undecided: () => "We couldn't decide this for you. Choose a time and a place.",
  standing_planned: () => "The next one is set up. Can you make it?",
  everybody_answered: () => "Everyone has answered. See the best match.",
  join_asked: () => "Someone is asking for a seat. Let them in?",
  not_coming: () => "Someone isn't coming.",
};

export const german: PushWords = {
  asks: {
    times: "Wann kannst du?",
    places: "Wohin möchtest du?",
  },
  plan_confirmed: ({ what }) => `Es steht fest: ${what}`,
  plan_changed: ({ what }) => `Name oder Notiz wurde geändert. ${what}`,
  plan_moved: ({ what }) => `Geändert: ${what}. Bist du dabei?`,
  plan_placed: ({ what }) => `Der Ort steht fest: ${what}`,
  plan_reopened: () => "Die Abstimmung ist wieder offen.",
  plan_cancelled: () => "Abgesagt.",
  plan_restored: ({ what }) =>
    what ? `Findet doch statt: ${what}` : "Der Plan gilt wieder. Zeit und Ort sind noch offen.",
  vote_nudge: ({ deadline, ask }) => `${ask()} ${deadline ? `Stimm bis ${deadline} ab.` : ""}`,
  vote_reminder: ({ deadline, ask }) => `${ask()} Die Abstimmung endet am ${deadline}.`,
  plan_tomorrow: ({ what }) => `Bald: ${what}`,
  seat_freed: ({ what }) =>
    what ? `Ein Platz ist frei, du bist dabei: ${what}` : "Ein Platz ist frei, du bist dabei.",
  plan_proposed: ({ what, until }) =>
    `Vorschlag: ${what}. Wenn niemand widerspricht, steht er am ${until} fest.`,
  plan_vetoed: () => "Jemand hat dem Vorschlag widersprochen. Jetzt entscheidet, wer einlädt.",
  plan_undecided: () => "Wir konnten nicht für euch entscheiden. Wähl Zeit und Ort.",
  standing_planned: () => "Das nächste Treffen ist angelegt. Bist du dabei?",
  everybody_answered: () => "Alle haben geantwortet. Sieh dir die beste Kombination an.",
  join_asked: () => "Jemand fragt nach einem Platz. Sagst du zu?",
  not_coming: () => "Jemand kommt nicht.",
};

const TO_VOTE: readonly WaitingPush["kind"][] = [
  "plan_reopened",
  "vote_nudge",
  "vote_reminder",
  "standing_planned",
];

export function messageOf(
  push: WaitingPush,
  words: PushWords = push.language === "de" ? german : english,
): PushMessage {
  const time = (instant: string | null) => (instant === null ? "" : formatTime(instant, push));
  const what = [time(push.starts_at), push.place].filter((part) => part).join(", ");
  return {
    title: push.title,
    body: words[push.kind]({
      what,
      deadline: time(push.vote_deadline),
      until: time(push.veto_until),
      ask: () => words.asks[push.question ?? "times"],
    }).trim(),
    path: `/plans/${push.plan_id}${TO_VOTE.includes(push.kind) ? `?tab=${tabOf[push.question ?? "times"]}` : ""}`,
    tag: `plan:${push.plan_id}`,
    lang: push.language,
  };
}

/** "Fri 27 Nov, 19:30", in the plan's zone. */
function formatTime(instant: string, { language, time_zone }: WaitingPush): string {
  return new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: time_zone,
  }).format(new Date(instant));
}

/** Seconds that a push service keeps a message for a device that is off. */
const KEPT_SECONDS = { decision: 3 * 86_400, other: 86_400 } as const;

/** How long and how urgently a push service delivers: nothing after the meal began, at once on its day. */
export function delivery(push: WaitingPush, now: number): { ttl: number; urgency: "high" | "normal" } {
  const usual = push.kind.startsWith("plan_") ? KEPT_SECONDS.decision : KEPT_SECONDS.other;
  const end = push.starts_at ?? (push.kind.startsWith("vote_") ? push.vote_deadline : null);
  const left = end === null ? usual : Math.floor((Date.parse(end) - now) / 1000);
  return { ttl: Math.max(0, Math.min(usual, left)), urgency: left < 86_400 ? "high" : "normal" };
}
