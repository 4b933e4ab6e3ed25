/**
 * Owns: what each sentence of a mail or a push message claims, as a rule about the raw rows. It imports nothing of what
 * makes the messages, and the claims of the app's sentences only for reading votes.
 */
import {
  comes,
  full,
  invited,
  isHost,
  isOver,
  openFor,
  type Subject as Row,
  seat,
  vote,
} from "../../../web/src/app/sentences/rows.ts";

/** The rows, the reader (`me`), and the person who did what the message tells; null for the schedule. */
export interface Subject extends Row {
  actor: string | null;
  /** People who sit at no table, by id. */
  strangers: Readonly<Record<string, string>>;
  /** The people who have accepted a seat. */
  accepted: readonly string[];
}
export type Claim = (subject: Subject, ...values: never[]) => boolean;

const isPolling = ({ plan }: Subject) => plan.status === "polling";
const isOn = (on: Subject) => on.plan.status === "confirmed" && !isOver(on);
const isToCome = (on: Subject) => isOn(on) && Date.parse(chosen(on)?.starts_at ?? "") > on.now;
const chosen = ({ plan }: Subject) => plan.time_options.find(({ id }) => id === plan.chosen_time_id);
const placeOf = ({ plan }: Subject, option = plan.chosen_place_id) =>
  plan.place_options.find(({ id }) => id === option)?.places?.name;
const timeOf = ({ plan }: Subject, option: string | null) =>
  plan.time_options.find(({ id }) => id === option)?.starts_at;
const displayName = (on: Subject, id: string | null) => full(seat(on, id ?? "")) || on.strangers[id ?? ""];

/** A name that means this person and nobody else at the table. Two who share the whole name cannot be told apart. */
function means(on: Subject, name: string, id: string | null | undefined): boolean {
  const whole = displayName(on, id ?? null);
  if (whole === undefined) return false;
  const others = on.plan.plan_members.filter(({ user_id }) => user_id !== id);
  return (
    name === whole ||
    (name === whole.split(" ")[0] && others.every((other) => full(other).split(" ")[0] !== name))
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(locale: string, style: "long" | "short", timeZone: string): Intl.DateTimeFormat {
  const key = `${locale} ${style} ${timeZone}`;
  const clock = { hour: "2-digit", minute: "2-digit", timeZone } as const;
  const made =
    formats.get(key) ??
    new Intl.DateTimeFormat(locale, { weekday: style, day: "numeric", month: style, ...clock });
  formats.set(key, made);
  return made;
}

/** A time as it is said in the plan's zone, in either language, in a mail or in a push message. */
function isTime({ plan }: Subject, text: string, iso: string | null | undefined): boolean {
  if (!iso) return text === "";
  const at = new Date(iso);
  return ["en-GB", "de-DE"].some((locale) =>
    (["long", "short"] as const).some((style) => text === formatOf(locale, style, plan.time_zone).format(at)),
  );
}

const OPEN = / (The place is still to be decided|Der Ort folgt noch)\.$/;
/** "Friday 27 November at 19:30, Momo Sete.", of these options, or that the place is open. */
function isPair(on: Subject, text: string, time: string | null, place: string | null): boolean {
  const name = placeOf(on, place);
  if (OPEN.test(text) && name !== undefined) return false;
  const plain = text.replace(OPEN, "").replace(/\.$/, "");
  if (name === undefined) return isTime(on, plain, timeOf(on, time));
  return plain.endsWith(`, ${name}`) && isTime(on, plain.slice(0, -name.length - 2), timeOf(on, time));
}
const isChoice = (on: Subject, text: string) =>
  isPair(on, text, on.plan.chosen_time_id, on.plan.chosen_place_id);
const isTitle = ({ plan }: Subject, title: string) => title === plan.title;
const mine = (on: Subject) => seat(on, on.me);
const isOpenForMe = (on: Subject, question: "times" | "places") =>
  openFor(on, question).some(({ user_id }) => user_id === on.me);
const isVoteOpen = (on: Subject) =>
  isPolling(on) && (on.plan.vote_deadline === null || Date.parse(on.plan.vote_deadline) > on.now);
const isProposed = ({ plan }: Subject) => plan.status === "polling" && plan.proposed_time_id !== null;
/** The times of a vote that are not over. */
const startOf = ({ plan, now }: Subject) =>
  plan.time_options
    .map(({ starts_at }) => starts_at)
    .filter((starts) => Date.parse(starts) > now)
    .sort();
const saidNo = (on: Subject) =>
  mine(on)?.rsvp === "declined" ||
  (mine(on)?.rsvp === "pending" &&
    on.plan.moved_from_time_id === null &&
    vote(chosen(on)?.time_votes, on.me) === "no");
const isEverybodyDone = (on: Subject) =>
  isPolling(on) && openFor(on, "times").length + openFor(on, "places").length === 0;

/** By the path of the sentence. */
export const mailClaims: Record<string, Claim> = {
  "mail.placeOpen": (on) => placeOf(on, isProposed(on) ? on.plan.proposed_place_id : undefined) === undefined,
  "mail.bothOpen": (on) => isPolling(on) && on.plan.chosen_time_id === null,
  "mail.ask.times.missing": (on) => isOpenForMe(on, "times"),
  "mail.ask.places.missing": (on) => isOpenForMe(on, "places") && !isOpenForMe(on, "times"),
  "mail.coming.expected": (on) => comes(on, mine(on) ?? never()),
  "mail.coming.waitlisted": (on) => mine(on)?.rsvp === "waitlisted",
  "mail.coming.notComing": saidNo,
  "mail.coming.asked": (on) => !comes(on, mine(on) ?? never()) && !saidNo(on),
  "mail.coming.stillSuits": (on) => isOn(on) && !comes(on, mine(on) ?? never()) && !saidNo(on),
  "mail.invite.subject": (on, name: string, title: string) => byFirstName(on, name) && isTitle(on, title),
  "mail.invite.wants": (on, name: string) => (isPolling(on) || isOn(on)) && byFirstName(on, name),
  "mail.invite.joined": (on, people: number) =>
    people === invited(on).filter(({ user_id }) => on.accepted.includes(user_id)).length,
  "mail.reminder.closes": (on, title: string, deadline: string) =>
    isTitle(on, title) && isVoteOpen(on) && isTime(on, deadline, on.plan.vote_deadline),
  "mail.nudge.waits": (on, name: string, title: string) =>
    means(on, name, on.actor) && isHost({ ...on, me: on.actor ?? "" }) && isTitle(on, title),
  "mail.nudge.closes": (on, deadline: string) =>
    isVoteOpen(on) && isTime(on, deadline, on.plan.vote_deadline),
  "mail.soon.subject": (on, title: string) => isToCome(on) && isTitle(on, title),
  "mail.soon.sayNow": (on) => isToCome(on) && mine(on)?.rsvp !== "declined",
  "mail.rate.subject": (on, what: string) => isOver(on) && what === (placeOf(on) ?? on.plan.title),
  "mail.rate.why": (on, title: string) => isOver(on) && isTitle(on, title),
  "mail.confirmed.subject": (on, title: string, time: string) =>
    isOn(on) && isTitle(on, title) && isTime(on, time, chosen(on)?.starts_at),
  "mail.reopened.subject": (on, title: string) => isPolling(on) && isTitle(on, title),
  "mail.reopened.open": (on) => isPolling(on) && on.plan.chosen_time_id === null,
  "mail.cancelled.subject": (on, title: string) => on.plan.status === "cancelled" && isTitle(on, title),
  "mail.cancelled.own": (on) => on.plan.status === "cancelled" && on.actor === on.me,
  "mail.cancelled.by": (on, name: string) => on.actor !== on.me && means(on, name, on.actor),
  "mail.cancelled.was": (on, time: string) => isTime(on, time, chosen(on)?.starts_at),
  "mail.restored.subject": (on, title: string) => on.plan.status !== "cancelled" && isTitle(on, title),
  "mail.restored.on": (on, choice: string) => on.plan.status === "confirmed" && isChoice(on, choice),
  "mail.changed.subject": isTitle,
  "mail.changed.what": isOn,
  "mail.changed.note": (on, note: string) => note === on.plan.note,
  "mail.moved.subject": (on, title: string, choice: string) => isTitle(on, title) && isChoice(on, choice),
  "mail.moved.was": (on, choice: string) =>
    isPair(on, choice, on.plan.moved_from_time_id, on.plan.moved_from_place_id),
  "mail.moved.changed": (on) => on.plan.moved_from_time_id === null,
  "mail.moved.now": isChoice,
  "mail.placed.subject": (on, place: string, title: string) => place === placeOf(on) && isTitle(on, title),
  "mail.placed.decided": (on, choice: string) => placeOf(on) !== undefined && isChoice(on, choice),
  "mail.proposed.subject": (on, title: string, time: string) =>
    isTitle(on, title) && isTime(on, time, timeOf(on, on.plan.proposed_time_id)),
  "mail.proposed.until": (on, time: string) =>
    isProposed(on) && isTime(on, time, on.plan.veto_until) && Date.parse(on.plan.veto_until ?? "") > on.now,
  "mail.vetoed.subject": (on, title: string) => isPolling(on) && isTitle(on, title),
  "mail.vetoed.by": (on, name: string, reason: string) =>
    means(on, name, on.plan.vetoed_by) && reason === on.plan.veto_reason,
  "mail.vetoed.youDecide": isHost,
  "mail.vetoed.decides": (on, name: string) =>
    !isHost(on) && means(on, name, on.plan.plan_members.find(({ role }) => role === "host")?.user_id),
  "mail.undecided.subject": (on, title: string) => isPolling(on) && isHost(on) && isTitle(on, title),
  "mail.undecided.failed": (on) => isPolling(on) && on.plan.undecided !== null,
  ...Object.fromEntries(
    (
      [
        "nobody_voted",
        "no_pair",
        "unsafe",
        "required_out",
        "too_late",
        "tie",
        "closed",
        "options_changed",
      ] as const
    ).map((reason) => [`mail.undecided.reasons.${reason}`, (on: Subject) => on.plan.undecided === reason]),
  ),
  "mail.address.subject": isTitle,
  "mail.address.wants": (on, name: string, title: string) => means(on, name, on.actor) && isTitle(on, title),
  "mail.everybody.subject": (on, title: string) => isEverybodyDone(on) && isTitle(on, title),
  "mail.everybody.voted": (on, people: number) => isEverybodyDone(on) && people === invited(on).length,
  "mail.request.subject": asks,
  "mail.request.heading": (on, name: string) => asks(on, name, on.plan.title),
  "mail.request.asks": asks,
  "mail.date.fixed": (on, time: string) => isTime(on, time, chosen(on)?.starts_at),
  "mail.date.one": (on, time: string) =>
    isPolling(on) && startOf(on).length === 1 && isTime(on, time, startOf(on)[0]),
  "mail.date.open": (on, first: string, last: string) =>
    on.plan.chosen_time_id === null &&
    isTime(on, first, startOf(on)[0]) &&
    isTime(on, last, startOf(on).at(-1)),
};

interface Details {
  what: string;
  deadline: string;
  until: string;
}

export const pushClaims: Record<string, Claim> = {
  "push.asks.times": (on) => isOpenForMe(on, "times"),
  "push.asks.places": (on) => isOpenForMe(on, "places") && !isOpenForMe(on, "times"),
  "push.plan_confirmed": (on, { what }: Details) => isOn(on) && isChoice(on, what),
  "push.plan_changed": (on, { what }: Details) => isOn(on) && isChoice(on, what),
  "push.plan_moved": (on, { what }: Details) => isOn(on) && isChoice(on, what),
  "push.plan_placed": (on, { what }: Details) => placeOf(on) !== undefined && isChoice(on, what),
  "push.plan_reopened": isPolling,
  "push.plan_cancelled": (on) => on.plan.status === "cancelled",
  "push.plan_restored": (on, { what }: Details) =>
    on.plan.status === "confirmed" ? isChoice(on, what) : isPolling(on) && what === "",
  "push.vote_nudge": (on, { deadline }: Details) =>
    isVoteOpen(on) && isTime(on, deadline, on.plan.vote_deadline),
  "push.vote_reminder": (on, { deadline }: Details) =>
    isVoteOpen(on) && deadline !== "" && isTime(on, deadline, on.plan.vote_deadline),
  "push.plan_tomorrow": (on, { what }: Details) => isToCome(on) && isChoice(on, what),
  "push.seat_freed": (on, { what }: Details) =>
    isOn(on) && comes(on, mine(on) ?? never()) && isChoice(on, what),
  "push.plan_proposed": (on, { what, until }: Details) =>
    isProposed(on) &&
    isPair(on, what, on.plan.proposed_time_id, on.plan.proposed_place_id) &&
    isTime(on, until, on.plan.veto_until),
  "push.plan_vetoed": (on) => isPolling(on) && on.plan.vetoed_by !== null,
  "push.plan_undecided": (on) => isPolling(on) && isHost(on) && on.plan.undecided !== null,
  "push.standing_planned": isPolling,
  "push.everybody_answered": isEverybodyDone,
  "push.not_coming": (on) => isOn(on) && isHost(on) && seat(on, on.actor ?? "")?.rsvp === "declined",
  "push.join_asked": (on) => isHost(on) && (on.strangers[on.actor ?? ""] ?? "") !== "",
};

/** What a button is for, what the reader can do, what an attachment is, and the words for an unknown person. */
export const silentWords: ReadonlySet<string> = new Set([
  "mail.someone",
  "mail.view",
  "mail.sayWhether",
  "mail.attached",
  "mail.ask.times.heading",
  "mail.ask.times.button",
  "mail.ask.places.heading",
  "mail.ask.places.button",
  "mail.invite.how",
  "mail.invite.button",
  "mail.reminder.subject",
  "mail.rate.heading",
  "mail.rate.button",
  "mail.confirmed.attached",
  "mail.reopened.button",
  "mail.cancelled.unknown",
  "mail.placed.sameTime",
  "mail.proposed.button",
  "mail.vetoed.hostDecides",
  "mail.undecided.choose",
  "mail.undecided.button",
  "mail.address.heading",
  "mail.address.ifNot",
  "mail.address.button",
  "mail.everybody.button",
  "mail.request.button",
  "mail.why",
  "mail.stop",
  // Of a circle, whose rows are not those of a table, and of a host without a name.
  "preview.members",
  "preview.someone",
  "preview.locale",
]);

const isHostsName = (on: Subject, name: string) =>
  name ===
  full(on.plan.plan_members.find(({ role }) => role === "host"))
    .split(" ")
    .at(0);

/** Of the preview of a link in a chat. */
export const previewClaims: Record<string, Claim> = {
  "preview.invites": isHostsName,
  "preview.hosted": isHostsName,
  "preview.open": isPolling,
  "preview.over": isOver,
  "preview.cancelled": ({ plan }) => plan.status === "cancelled",
  "preview.joined": (on, people: number) =>
    people === invited(on).filter(({ user_id }) => on.accepted.includes(user_id)).length,
};

/** An invitation goes to somebody outside the table, who reads first names only. */
function byFirstName(on: Subject, name: string): boolean {
  return name === displayName(on, on.actor)?.split(" ")[0];
}

function asks(on: Subject, name: string, title: string): boolean {
  return means(on, name, on.actor) && on.strangers[on.actor ?? ""] !== undefined && isTitle(on, title);
}

function never(): never {
  throw new Error("The reader has no seat at this table.");
}
