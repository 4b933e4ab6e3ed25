/** Owns: reading the raw rows of a table for the claims, and the subject of a claim. */
import type { Member, PlaceOption, TimeOption } from "../../features/plans/schema.ts";
import type { Table } from "./tables.ts";

export type Question = "times" | "places";

/** What a sentence is about. */
export interface Subject extends Table {
  time?: TimeOption | undefined;
  place?: PlaceOption | undefined;
  person?: string;
}

const MEAL_IS_OVER_MS = 4 * 3_600_000;
export const MINUTE_MS = 60_000;

export const invited = ({ plan }: Subject) => plan.plan_members.filter(({ rsvp }) => rsvp !== "declined");
export const vote = (
  votes: readonly { user_id: string; answer: string }[] | undefined,
  person: string | undefined,
) => votes?.find(({ user_id }) => user_id === person)?.answer;
export const atTime = (on: Subject, answer: string | undefined) =>
  invited(on).filter((member) => answerAt(on, member) === answer);
/** The people who have not said that they stay away. */
export const mayCome = (on: Subject) => invited(on).filter((member) => answerAt(on, member) !== "no");
export const noToPlace = (on: Subject) =>
  mayCome(on).filter(({ user_id }) => vote(on.place?.place_votes, user_id) === "no");
export const stars = (on: Subject, person: string) =>
  on.ratings.filter(({ user_id, place_id }) => user_id === person && place_id === on.place?.place_id);
export const tripsOf = (on: Subject) =>
  mayCome(on).flatMap(({ user_id }) =>
    on.trips.filter((trip) => trip.user_id === user_id && trip.place_id === on.place?.place_id),
  );
export const timesOf = ({ plan }: Subject, person: string | undefined) =>
  plan.time_options.flatMap(({ time_votes }) => vote(time_votes, person) ?? []);
export const placesOf = ({ plan }: Subject, person: string | undefined) =>
  plan.place_options.flatMap(({ place_votes }) => vote(place_votes, person) ?? []);
export const seat = ({ plan }: Subject, person: string | undefined): Member | undefined =>
  plan.plan_members.find(({ user_id }) => user_id === person);
export const full = (member: Member | undefined) => member?.profiles?.display_name ?? "";

/** A name that is said means one person at the table. */
export const oneName = ({ plan }: Subject, name: string) => {
  const first = plan.plan_members.filter((member) => full(member).split(" ")[0] === name);
  const whole = plan.plan_members.filter((member) => full(member) === name);
  // Of two who share a first name both are called by the whole one, and by a number where that is shared, too.
  const [, same = "", number = ""] = /^(.*) \((\d)\)$/.exec(name) ?? [];
  const alike = plan.plan_members.filter((member) => full(member) === same);
  return first.length === 1 || whole.length === 1 || alike.length >= Number(number || Infinity);
};
export const sameNames = (on: Subject, names: readonly string[], people: readonly Member[]) =>
  names.length === people.length &&
  people.every((member) =>
    names.some((name) => {
      const plain = name.replace(/ \(\d\)$/, "");
      return full(member) === plain || full(member).split(" ")[0] === plain;
    }),
  ) &&
  names.every((name) => oneName(on, name));

/** The people who come, by what they said and else by their answers to what was chosen, and those they bring. */
export const coming = (on: Subject): number => {
  const { plan, now } = on;
  return plan.plan_members
    .filter((member) => comes(on, member))
    .reduce((sum, { plus_ones }) => sum + 1 + plus_ones, now - now);
};
export const comes = ({ plan }: Subject, member: Member): boolean => {
  const time = plan.time_options.find(({ id }) => id === plan.chosen_time_id);
  const place = plan.place_options.find(({ id }) => id === plan.chosen_place_id);
  if (member.arrivals?.status === "arrived" || member.arrivals?.status === "on_the_way") return true;
  if (member.rsvp !== "pending") return member.rsvp === "going";
  if (plan.moved_from_time_id !== null) return false;
  const given = vote(time?.time_votes, member.user_id);
  if (vote(place?.place_votes, member.user_id) === "no") return false;
  return given === "yes" || (given === undefined && member.role === "host");
};
const SAID: Record<string, string> = { waitlisted: "yes", maybe: "if_need_be", declined: "no" };
/** What a person answers to a time; to the chosen one, whether they come by what they said and voted since. */
export function answerAt(on: Subject, member: Member | undefined): string | undefined {
  const given = vote(on.time?.time_votes, member?.user_id);
  if (on.plan.status !== "confirmed" || isOver(on) || on.time?.id !== on.plan.chosen_time_id || !member)
    return given;
  if (comes(on, member)) return "yes";
  if (member.rsvp !== "pending") return SAID[member.rsvp];
  if (on.plan.moved_from_time_id !== null) return undefined;
  const place = on.plan.place_options.find(({ id }) => id === on.plan.chosen_place_id);
  return given === "if_need_be" && vote(place?.place_votes, member.user_id) === "no"
    ? undefined
    : given === "yes"
      ? undefined
      : given;
}
export const isOver = ({ plan, now }: Subject) => {
  const time = plan.time_options.find(({ id }) => id === plan.chosen_time_id);
  return (
    plan.status === "confirmed" && time !== undefined && Date.parse(time.ends_at) + MEAL_IS_OVER_MS <= now
  );
};
export const isNear = (a: string, b: number) => Math.abs(Number(a.replace(",", ".")) - b) <= 0.051;
export const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;

export function unasked(on: Subject): Member[] {
  return invited(on).filter(({ profiles }) => !profiles?.diets_known);
}

export function toPlace(on: Subject) {
  return on.trips.filter(({ place_id }) => place_id === on.place?.place_id);
}

/** The people who have answered none of a question's options. */
export function openFor(on: Subject, question: Question): Member[] {
  const [answers, options] =
    question === "times" ? [timesOf, on.plan.time_options] : [placesOf, on.plan.place_options];
  return options.length === 0 ? [] : invited(on).filter(({ user_id }) => answers(on, user_id).length === 0);
}

/** How many people have an answer and a gap among the options of a question that can still be answered. */
export function inPart(on: Subject, question: Question): number {
  const lists =
    question === "times"
      ? on.plan.time_options
          .filter(({ starts_at }) => Date.parse(starts_at) > on.now)
          .map((one) => one.time_votes)
      : on.plan.place_options.map((one) => one.place_votes);
  return invited(on).filter(({ user_id }) => {
    const answered = lists.map((votes) => vote(votes, user_id) !== undefined);
    return answered.includes(true) && answered.includes(false);
  }).length;
}

/** The others with an open question. */
export function othersAsked(on: Subject): Member[] {
  const asked = [...openFor(on, "times"), ...openFor(on, "places")].map(({ user_id }) => user_id);
  return invited(on).filter(({ user_id }) => user_id !== on.me && asked.includes(user_id));
}

/** The others whom no message reaches and whose answer is missing: to a question, or to what was decided. */
export function askedByHosts(on: Subject): Member[] {
  const { plan } = on;
  const open = othersAsked(on);
  const time = plan.time_options.find(({ id }) => id === plan.chosen_time_id);
  const place = plan.place_options.find(({ id }) => id === plan.chosen_place_id);
  return plan.plan_members.filter((member) => {
    const { user_id } = member;
    if (user_id === on.me || !on.unreached.includes(user_id)) return false;
    if (plan.status === "polling") return open.includes(member);
    const given = vote(time?.time_votes, user_id);
    const voted = given === "no" || (given && vote(place?.place_votes, user_id) !== "no");
    return member.rsvp === "pending" && !comes(on, member) && (plan.moved_from_time_id !== null || !voted);
  });
}

/** Whether the reader neither said what they eat, nor was asked, nor stays away. */
export function wantsDiet(on: Subject): boolean {
  const mine = seat(on, on.me);
  return !on.asked && !mine?.profiles?.diets_known && mine?.rsvp !== "declined";
}

export function isMe({ me }: Subject): (member: Member) => boolean {
  return ({ user_id }) => user_id === me;
}

export function isHost(on: Subject): boolean {
  return seat(on, on.me)?.role !== "guest";
}

export function isVoting({ plan, now }: Subject): boolean {
  return plan.status === "polling" && plan.time_options.some(({ starts_at }) => Date.parse(starts_at) > now);
}

export function said(on: Subject): boolean {
  return seat(on, on.me)?.rsvp !== "pending";
}

export function reached({ unreached, me }: Subject): boolean {
  return !unreached.includes(me);
}

export function arrivalOf(plan: Subject["plan"], person: string): string | undefined {
  return plan.plan_members.find(({ user_id }) => user_id === person)?.arrivals?.status;
}

/** How many people have answered the time. */
export function answersTo(on: Subject): number {
  return on.time?.time_votes.length ?? 0;
}

export function due(on: Subject): number {
  return (Date.parse(seat(on, on.person)?.arrivals?.eta ?? "") - on.now) / MINUTE_MS;
}

export function trips(on: Subject, minutes: number, known: number, total: number): boolean {
  const all = tripsOf(on);
  return (
    all.length === known &&
    total === mayCome(on).length &&
    Math.max(...all.map((one) => one.minutes)) === minutes
  );
}

/** Whether a place is confirmed for these diets; a vegan kitchen is one for vegetarians. */
export function eats({ place }: Subject, diets: readonly string[]): boolean {
  const safe: readonly string[] = place?.places?.safe_diets ?? [];
  return diets.every((diet) => safe.includes(diet) || (diet === "vegetarian" && safe.includes("vegan")));
}

/** Whether a name that is said can mean this person. */
export function isCalled(member: Member, name: string): boolean {
  const plain = name.replace(/ \(\d\)$/, "");
  return full(member) === plain || full(member).split(" ")[0] === plain;
}

/** The month of a person's newest answer whether there was a meal for a diet at the place, if it was a yes. */
export function ateBy(on: Subject, person: string, diet: string): string | null {
  const newest = stars(on, person)
    .filter(({ ate, lacked }) => [...ate, ...lacked].some((one) => one === diet))
    .sort((a, b) => (String(a.eaten_at) < String(b.eaten_at) ? 1 : -1))[0];
  if (!newest?.eaten_at || newest.lacked.some((one) => one === diet)) return null;
  return new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: on.plan.time_zone }).format(
    new Date(newest.eaten_at),
  );
}

/** Whether a place is neither confirmed for one of a person's diets, nor did the person eat there by it. */
export function isAtRisk(on: Subject, member: Member | undefined): boolean {
  return (member?.profiles?.diets ?? []).some(
    (diet) => !eats(on, [diet]) && ateBy(on, member?.user_id ?? "", diet) === null,
  );
}
