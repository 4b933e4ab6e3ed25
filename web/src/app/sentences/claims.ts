/**
 * Owns: what each sentence claims, as a rule about the raw rows, written from the specification. It imports neither the
 * ranking nor the tally nor the rule of a person's state, so that a fault there is not repeated here.
 */
import type { Member, PlaceOption, TimeOption } from "../../features/plans/schema.ts";
import type { Table } from "./tables.ts";

type Question = "times" | "places";

/** What a sentence is about. */
export interface Subject extends Table {
  time?: TimeOption | undefined;
  place?: PlaceOption | undefined;
  person?: string;
}

export type Claim = (subject: Subject, ...values: never[]) => boolean;

const MEAL_IS_OVER_MS = 4 * 3_600_000;
const MINUTE_MS = 60_000;

const invited = ({ plan }: Subject) => plan.plan_members.filter(({ rsvp }) => rsvp !== "declined");
const vote = (
  votes: readonly { user_id: string; answer: string }[] | undefined,
  person: string | undefined,
) => votes?.find(({ user_id }) => user_id === person)?.answer;
const atTime = (on: Subject, answer: string | undefined) =>
  invited(on).filter(({ user_id }) => vote(on.time?.time_votes, user_id) === answer);
/** The people who have not said that they stay away. */
const mayCome = (on: Subject) =>
  invited(on).filter(({ user_id }) => vote(on.time?.time_votes, user_id) !== "no");
const noToPlace = (on: Subject) =>
  mayCome(on).filter(({ user_id }) => vote(on.place?.place_votes, user_id) === "no");
const stars = (on: Subject, person: string) =>
  on.ratings.filter(({ user_id, place_id }) => user_id === person && place_id === on.place?.place_id);
const tripsOf = (on: Subject) =>
  mayCome(on).flatMap(({ user_id }) =>
    on.trips.filter((trip) => trip.user_id === user_id && trip.place_id === on.place?.place_id),
  );
const timesOf = ({ plan }: Subject, person: string | undefined) =>
  plan.time_options.flatMap(({ time_votes }) => vote(time_votes, person) ?? []);
const placesOf = ({ plan }: Subject, person: string | undefined) =>
  plan.place_options.flatMap(({ place_votes }) => vote(place_votes, person) ?? []);
const seat = ({ plan }: Subject, person: string | undefined): Member | undefined =>
  plan.plan_members.find(({ user_id }) => user_id === person);
const full = (member: Member | undefined) => member?.profiles?.display_name ?? "";

/** A name that is said means one person at the table. */
const oneName = ({ plan }: Subject, name: string) => {
  const first = plan.plan_members.filter((member) => full(member).split(" ")[0] === name);
  const whole = plan.plan_members.filter((member) => full(member) === name);
  // Of two who share a first name both are called by the whole one, and by a number where that is shared, too.
  const [, same = "", number = ""] = /^(.*) \((\d)\)$/.exec(name) ?? [];
  const alike = plan.plan_members.filter((member) => full(member) === same);
  return first.length === 1 || whole.length === 1 || alike.length >= Number(number || Infinity);
};
const sameNames = (on: Subject, names: readonly string[], people: readonly Member[]) =>
  names.length === people.length &&
  people.every((member) =>
    names.some((name) => {
      const plain = name.replace(/ \(\d\)$/, "");
      return full(member) === plain || full(member).split(" ")[0] === plain;
    }),
  ) &&
  names.every((name) => oneName(on, name));

/** The people who come, by what they said and else by their answers to what was chosen, and those they bring. */
const coming = (on: Subject): number => {
  const { plan, now } = on;
  const time = plan.time_options.find(({ id }) => id === plan.chosen_time_id);
  const place = plan.place_options.find(({ id }) => id === plan.chosen_place_id);
  return plan.plan_members
    .filter((member) => {
      if (member.arrivals?.status === "arrived" || member.arrivals?.status === "on_the_way") return true;
      if (member.rsvp !== "pending") return member.rsvp === "going";
      if (plan.moved_from_time_id !== null) return false;
      const given = vote(time?.time_votes, member.user_id);
      if (vote(place?.place_votes, member.user_id) === "no") return false;
      return given === "yes" || (given === undefined && member.role === "host");
    })
    .reduce((sum, { plus_ones }) => sum + 1 + plus_ones, now - now);
};
const isOver = ({ plan, now }: Subject) => {
  const time = plan.time_options.find(({ id }) => id === plan.chosen_time_id);
  return (
    plan.status === "confirmed" && time !== undefined && Date.parse(time.ends_at) + MEAL_IS_OVER_MS <= now
  );
};
const isNear = (a: string, b: number) => Math.abs(Number(a.replace(",", ".")) - b) <= 0.051;
const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;

/** By the path of the word. */
export const claims: Record<string, Claim> = {
  "best.reasons.all_come": (on, total: number) =>
    invited(on).length === total && atTime(on, "yes").length === total && noToPlace(on).length === 0,
  "best.reasons.attendance": (on, yes: number, total: number, ifNeedBe: number, silent: number) =>
    atTime(on, "yes").length === yes &&
    atTime(on, "if_need_be").length === ifNeedBe &&
    atTime(on, undefined).length === silent &&
    invited(on).length === total,
  "best.reasons.place_refused": (on, names: string) =>
    noToPlace(on).length > 0 &&
    noToPlace(on).every((member) => names.includes(full(member).split(" ")[0] ?? "")),
  "best.reasons.required_out": (on, names: string) =>
    atTime(on, "no").some(({ required }) => required) &&
    atTime(on, "no").every((member) => !member.required || names.includes(full(member).split(" ")[0] ?? "")),
  // A meal is no confirmation.
  "best.reasons.all_safe": (on) =>
    mayCome(on).every(({ profiles }) => profiles?.diets_known && eats(on, profiles.diets)),
  "best.reasons.safe_as_known": (on, _names: string, count: number) =>
    mayCome(on).every(({ profiles }) => eats(on, profiles?.diets ?? [])) &&
    mayCome(on).filter(({ profiles }) => !profiles?.diets_known).length === count,
  "best.reasons.ate_here": (on, name: string, diet: string, month: string) =>
    oneName(on, name) &&
    mayCome(on).some((member) => isCalled(member, name) && ateBy(on, member.user_id, diet) === month),
  "best.reasons.even_trips": (on, minutes: number, known: number, total: number) =>
    trips(on, minutes, known, total) &&
    minutes - Math.min(...tripsOf(on).map((one) => one.minutes)) <= Math.max(5, minutes / 4),
  "best.reasons.longest_trip": (on, name: string, minutes: number, known: number, total: number) =>
    trips(on, minutes, known, total) && oneName(on, name),
  "best.reasons.rated": (on, given: string) =>
    isNear(given, mean(mayCome(on).flatMap(({ user_id }) => stars(on, user_id).map((one) => one.stars)))),
  "best.reasons.all_liked": (on, month: string, given: string) => {
    const all = mayCome(on).map(({ user_id }) => stars(on, user_id));
    const newest =
      all
        .flat()
        .map(({ created_at }) => created_at)
        .sort()
        .at(-1) ?? "";
    return (
      all.length > 1 &&
      all.every((own) => own.length > 0 && mean(own.map((one) => one.stars)) >= 4) &&
      isNear(given, mean(all.flat().map((one) => one.stars))) &&
      month ===
        new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: on.plan.time_zone }).format(
          new Date(newest),
        )
    );
  },
  "best.reasons.photos": (on, count: number) =>
    count ===
    on.photos
      .filter(
        ({ place_id, author_id }) =>
          place_id === on.place?.place_id && invited(on).some(({ user_id }) => user_id === author_id),
      )
      .reduce((sum, { photos }) => sum + photos, 0),
  "best.card.spread": (on, minutes: number) => {
    const all = tripsOf(on).map((one) => one.minutes);
    return all.length > 1 && Math.max(...all) - Math.min(...all) === minutes;
  },
  "best.further.notSafe": (on, count: number) =>
    mayCome(on).filter((member) => isAtRisk(on, member)).length === count,
  "best.person.ate": (on, diet: string, month: string) =>
    invited(on).some(({ user_id }) => ateBy(on, user_id, diet) === month),
  "best.person.minutes": (on, minutes: number) => tripsOf(on).some((one) => one.minutes === minutes),
  "best.compromises.of": (on, name: string) => oneName(on, name),
  "best.compromises.cannot_come": (on) => vote(on.time?.time_votes, on.person) === "no",
  "best.compromises.time_if_need_be": (on) => vote(on.time?.time_votes, on.person) === "if_need_be",
  "best.compromises.place_if_need_be": (on) => vote(on.place?.place_votes, on.person) === "if_need_be",
  "best.compromises.place_unwanted": (on) => vote(on.place?.place_votes, on.person) === "no",
  "best.compromises.not_known_safe": (on) => isAtRisk(on, seat(on, on.person)),
  "best.compromises.rated_low": (on, given: string) =>
    isNear(given, mean(stars(on, on.person ?? "").map((one) => one.stars))) && Number.parseFloat(given) <= 2,
  "best.compromises.longest_trip": (on, minutes: number) =>
    Math.max(...tripsOf(on).map((one) => one.minutes)) === minutes,
  "best.doubtful.refused": (on, names: readonly string[]) => sameNames(on, names, noToPlace(on)),
  "best.doubtful.absent": (on, names: readonly string[]) => sameNames(on, names, atTime(on, "no")),

  "plan.change.turnout": (on, can: number, asked: number) =>
    can === atTime(on, "yes").length + atTime(on, "if_need_be").length && asked === invited(on).length,
  "place-options.refused": (on, names: readonly string[]) => sameNames(on, names, noToPlace(on)),
  "plan.ticket.coming": (on, count: number, capacity: number | null) =>
    count === coming(on) && capacity === on.plan.capacity,
  // What is booked, or on a host's button what would be.
  "plan.ticket.booking.booked": (on, seats: number, name: string) =>
    (seats === on.plan.booked_seats && name === on.plan.booked_name) ||
    (seats === coming(on) && seat(on, on.me)?.role !== "guest" && oneName(on, name)),
  "plan.ticket.booking.now": (on, count: number) => count === coming(on),
  "plan.ticket.byVote": (on) => {
    const time = on.plan.time_options.find(({ id }) => id === on.plan.chosen_time_id);
    return seat(on, on.me)?.rsvp === "pending" && vote(time?.time_votes, on.me) !== undefined;
  },
  "plan.ticket.refusedPlace": ({ plan, me }) =>
    vote(plan.place_options.find(({ id }) => id === plan.chosen_place_id)?.place_votes, me) === "no",
  "plan.ticket.inLine": ({ plan, me }, place: number) => {
    const line = plan.plan_members
      .filter(({ rsvp }) => rsvp === "waitlisted")
      .sort((a, b) => ((a.waitlisted_at ?? "") < (b.waitlisted_at ?? "") ? -1 : 1));
    return line[place - 1]?.user_id === me;
  },
  "place-options.diets.safe": (on, names: readonly string[]) =>
    sameNames(
      on,
      names,
      invited(on).filter(({ profiles }) => profiles && profiles.diets.length > 0 && eats(on, profiles.diets)),
    ),
  "place-options.diets.ate": (on, name: string, diet: string, month: string) =>
    oneName(on, name) &&
    invited(on).some((member) => isCalled(member, name) && ateBy(on, member.user_id, diet) === month),
  "place-options.diets.unasked": (on, names: readonly string[]) => sameNames(on, names, unasked(on)),
  "place-options.diets.unaskedMany": (on, count: number) => count === unasked(on).length,
  "place-options.trip.yours": (on, minutes: number) =>
    toPlace(on).some((one) => one.user_id === on.me && one.minutes === minutes),
  "place-options.trip.range": (on, shortest: number, longest: number) =>
    toPlace(on).length > 1 &&
    Math.min(...toPlace(on).map((one) => one.minutes)) === shortest &&
    Math.max(...toPlace(on).map((one) => one.minutes)) === longest,
  "place-options.trip.one": (on, minutes: number) =>
    toPlace(on).length === 1 && toPlace(on)[0]?.minutes === minutes,
  // Of the place on the card, and on the ticket of the chosen one.
  "place-options.diets.forWhom": (on, diets: readonly string[], name: string) => {
    const place = on.place ?? on.plan.place_options.find(({ id }) => id === on.plan.chosen_place_id);
    return (
      diets.length > 0 &&
      oneName(on, name) &&
      on.plan.plan_members.some((member) => isCalled(member, name) && isAtRisk({ ...on, place }, member))
    );
  },

  "table.seats.yes": (on, times: number) =>
    times > 0 && timesOf(on, on.person).filter((answer) => answer === "yes").length === times,
  "table.seats.ifNeedBe": (on) => timesOf(on, on.person).includes("if_need_be"),
  "table.seats.noneSoFar": (on) =>
    timesOf(on, on.person).length > 0 && timesOf(on, on.person).every((answer) => answer === "no"),
  "table.seats.answered": (on) =>
    timesOf(on, on.person).length + placesOf(on, on.person).length > 0 ||
    seat(on, on.person)?.rsvp !== "pending",
  "table.seats.silent": (on) =>
    on.plan.status === "confirmed" || timesOf(on, on.person).length + placesOf(on, on.person).length === 0,
  "table.seats.going": (on, plusOnes: number) => seat(on, on.person)?.plus_ones === plusOnes,
  "table.seats.came": (on, plusOnes: number) => isOver(on) && seat(on, on.person)?.plus_ones === plusOnes,
  "table.seats.waitlisted": (on) => seat(on, on.person)?.rsvp === "waitlisted",
  "table.seats.refusedPlace": (on) =>
    vote(on.plan.place_options.find(({ id }) => id === on.plan.chosen_place_id)?.place_votes, on.person) ===
    "no",
  "table.drawn": (on, _label: string, count: number) => count === on.plan.plan_members.length,
  "table.card.next.invite": (on) => isHost(on) && on.plan.plan_members.length === 1,
  "table.card.next.times": (on) => isVoting(on) && openFor(on, "times").some(isMe(on)),
  "table.card.next.places": (on) => isVoting(on) && openFor(on, "places").some(isMe(on)),
  "table.card.next.decide": (on) =>
    isVoting(on) && isHost(on) && openFor(on, "times").length + openFor(on, "places").length === 0,
  "table.card.next.rsvp": (on) => on.plan.status === "confirmed" && !isOver(on),
  "table.card.next.place": (on) => isHost(on) && on.plan.chosen_time_id !== null && !on.plan.chosen_place_id,
  "table.card.next.set_out": ({ plan, now, me }) =>
    Date.parse(plan.time_options.find(({ id }) => id === plan.chosen_time_id)?.starts_at ?? "") - now <=
      6 * 60 * MINUTE_MS && !["arrived", "on_the_way"].includes(arrivalOf(plan, me) ?? ""),
  "table.card.next.rate": (on) => isOver(on),
  "table.card.youAnswered": (on, answered: number, all: number) =>
    timesOf(on, on.me).length === answered && all === on.plan.time_options.length,
  "table.card.options": ({ plan }, times: number, places: number) =>
    times === plan.time_options.length && places === plan.place_options.length,
  "table.card.coming": (on, count: number) => count === coming(on),
  "table.card.came": (on, count: number) => isOver(on) && count === coming(on),
  "table.card.cancelled": ({ plan }) => plan.status === "cancelled",

  "next.done": (on) => timesOf(on, on.me).length + placesOf(on, on.me).length > 0 || said(on),
  "next.declined": (on) => seat(on, on.me)?.rsvp === "declined",
  "next.tells.answered.mail": (on) => isHost(on) && reached(on) && othersAsked(on).length > 0,
  "next.tells.answered.none": (on) => isHost(on) && !reached(on) && othersAsked(on).length > 0,
  "next.tells.decided.mail": reached,
  "next.tells.decided.none": (on) => !reached(on),

  "time-options.waitingFor": (on, names: readonly string[], more: number, question: Question) => {
    const others = openFor(on, question).filter((member) => !isMe(on)(member));
    return (
      names.length + more === others.length &&
      (more === 0 ? sameNames(on, names, others) : names.every((name) => oneName(on, name)))
    );
  },
  "time-options.answeredBut": (on, all: number, left: number, question: Question) =>
    all === invited(on).length &&
    openFor(on, question).length === 0 &&
    left > 0 &&
    left === openFor(on, question === "times" ? "places" : "times").length,
  "time-options.allAnswered": (on) => openFor(on, "times").length + openFor(on, "places").length === 0,
  "time-options.silent": (on, count: number) => count === atTime(on, undefined).length,
  "time-options.heat.of": (on, people: number) => people === answersTo(on),
  "time-options.board.requiredOut": (on, names: readonly string[]) =>
    sameNames(
      on,
      names,
      on.plan.plan_members.filter(
        ({ user_id, required }) => required && vote(on.time?.time_votes, user_id) === "no",
      ),
    ),

  "new-plan.again.people": (on, count: number) =>
    count === invited(on).filter(({ user_id }) => user_id !== on.me).length,
  "new-plan.again.time": ({ plan }) => plan.chosen_time_id !== null,

  "day.board.hereOf": ({ plan }, here: number, expected: number) =>
    here <= expected &&
    here === plan.plan_members.filter(({ arrivals }) => arrivals?.status === "arrived").length,
  "day.board.minutes": (on, minutes: number) => minutes > 0 && Math.abs(due(on) - minutes) <= 1,
  "day.board.anyMoment": (on) => Math.abs(due(on)) <= 5,
  "day.board.here": (on) => seat(on, on.person)?.arrivals?.status === "arrived",

  "hosts.nudge": (on, count: number) =>
    count === othersAsked(on).filter(({ user_id }) => !on.unreached.includes(user_id)).length,
  "hosts.tellThem": (on, names: readonly string[]) =>
    names.length > 0 && names.every((name) => oneName(on, name)) && names.length <= on.unreached.length,
  "hosts.askThem": (on, names: readonly string[], _title: string, places: boolean) =>
    places === on.plan.place_options.length > 0 &&
    (names.length === 0 ||
      sameNames(
        on,
        names,
        othersAsked(on).filter(({ user_id }) => on.unreached.includes(user_id)),
      )),
};

function unasked(on: Subject): Member[] {
  return invited(on).filter(({ profiles }) => !profiles?.diets_known);
}

function toPlace(on: Subject) {
  return on.trips.filter(({ place_id }) => place_id === on.place?.place_id);
}

/** The people who have answered none of a question's options. */
function openFor(on: Subject, question: Question): Member[] {
  const [answers, options] =
    question === "times" ? [timesOf, on.plan.time_options] : [placesOf, on.plan.place_options];
  return options.length === 0 ? [] : invited(on).filter(({ user_id }) => answers(on, user_id).length === 0);
}

/** The others with an open question. */
function othersAsked(on: Subject): Member[] {
  const asked = [...openFor(on, "times"), ...openFor(on, "places")].map(({ user_id }) => user_id);
  return invited(on).filter(({ user_id }) => user_id !== on.me && asked.includes(user_id));
}

function isMe({ me }: Subject): (member: Member) => boolean {
  return ({ user_id }) => user_id === me;
}

function isHost(on: Subject): boolean {
  return seat(on, on.me)?.role !== "guest";
}

function isVoting({ plan, now }: Subject): boolean {
  return plan.status === "polling" && plan.time_options.some(({ starts_at }) => Date.parse(starts_at) > now);
}

function said(on: Subject): boolean {
  return seat(on, on.me)?.rsvp !== "pending";
}

function reached({ unreached, me }: Subject): boolean {
  return !unreached.includes(me);
}

function arrivalOf(plan: Subject["plan"], person: string): string | undefined {
  return plan.plan_members.find(({ user_id }) => user_id === person)?.arrivals?.status;
}

/** How many people have answered the time. */
function answersTo(on: Subject): number {
  return on.time?.time_votes.length ?? 0;
}

function due(on: Subject): number {
  return (Date.parse(seat(on, on.person)?.arrivals?.eta ?? "") - on.now) / MINUTE_MS;
}

function trips(on: Subject, minutes: number, known: number, total: number): boolean {
  const all = tripsOf(on);
  return (
    all.length === known &&
    total === mayCome(on).length &&
    Math.max(...all.map((one) => one.minutes)) === minutes
  );
}

/** Whether a place is confirmed for these diets; a vegan kitchen is one for vegetarians. */
function eats({ place }: Subject, diets: readonly string[]): boolean {
  const safe: readonly string[] = place?.places?.safe_diets ?? [];
  return diets.every((diet) => safe.includes(diet) || (diet === "vegetarian" && safe.includes("vegan")));
}

/** Whether a name that is said can mean this person. */
function isCalled(member: Member, name: string): boolean {
  const plain = name.replace(/ \(\d\)$/, "");
  return full(member) === plain || full(member).split(" ")[0] === plain;
}

/** The month of a person's newest answer whether there was a meal for a diet at the place, if it was a yes. */
function ateBy(on: Subject, person: string, diet: string): string | null {
  const newest = stars(on, person)
    .filter(({ ate, lacked }) => [...ate, ...lacked].some((one) => one === diet))
    .sort((a, b) => (String(a.eaten_at) < String(b.eaten_at) ? 1 : -1))[0];
  if (!newest?.eaten_at || newest.lacked.some((one) => one === diet)) return null;
  return new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: on.plan.time_zone }).format(
    new Date(newest.eaten_at),
  );
}

/** Whether a place is neither confirmed for one of a person's diets, nor did the person eat there by it. */
function isAtRisk(on: Subject, member: Member | undefined): boolean {
  return (member?.profiles?.diets ?? []).some(
    (diet) => !eats(on, [diet]) && ateBy(on, member?.user_id ?? "", diet) === null,
  );
}
