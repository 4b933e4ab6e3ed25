/**
 * Owns: what each sentence claims, as a rule about the raw rows, written from the specification. It imports neither the
 * ranking nor the tally nor the rule of a person's state, so that a fault there is not repeated here.
 */
import {
  answerAt,
  answersTo,
  arrivalOf,
  askedByHosts,
  ateBy,
  atTime,
  coming,
  due,
  eats,
  full,
  inPart,
  invited,
  isAtRisk,
  isCalled,
  isHost,
  isMe,
  isNear,
  isOver,
  isVoting,
  MINUTE_MS,
  mayCome,
  mean,
  noToPlace,
  oneName,
  openFor,
  othersAsked,
  placesOf,
  type Question,
  reached,
  type Subject,
  said,
  sameNames,
  seat,
  stars,
  timesOf,
  toPlace,
  trips,
  tripsOf,
  unasked,
  vote,
  wantsDiet,
} from "./rows.ts";

export type Claim = (subject: Subject, ...values: never[]) => boolean;

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
  "best.compromises.of": (on, names: string, count: number) => {
    const all = names.split(/, | and /);
    return all.length === count && all.every((name) => oneName(on, name));
  },
  // Of one person, or of all who cannot come.
  "best.compromises.cannot_come": (on, count: number) =>
    on.person ? answerAt(on, seat(on, on.person)) === "no" : atTime(on, "no").length === count,
  "best.compromises.time_if_need_be": (on) => answerAt(on, seat(on, on.person)) === "if_need_be",
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
    const mine = seat(on, on.me);
    // A person who has set out or arrived has said so since.
    const said = ["arrived", "on_the_way"].includes(arrivalOf(on.plan, on.me) ?? "");
    return mine?.rsvp === "pending" && !said && vote(time?.time_votes, on.me) !== undefined;
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
  "place-options.diets.forWhom": (on, diets: readonly string[], names: readonly string[]) => {
    const place = on.place ?? on.plan.place_options.find(({ id }) => id === on.plan.chosen_place_id);
    return (
      diets.length > 0 &&
      names.every(
        (name) =>
          oneName(on, name) &&
          on.plan.plan_members.some((member) => isCalled(member, name) && isAtRisk({ ...on, place }, member)),
      )
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
  "table.card.next.diet": (on) => isVoting(on) && wantsDiet(on),
  "table.card.next.share": (on) => isHost(on) && askedByHosts(on).length > 0,
  "table.card.next.book": (on) =>
    isHost(on) &&
    coming(on) > 0 &&
    on.plan.booked_seats !== coming(on) &&
    on.plan.place_options.some(({ id, places }) => id === on.plan.chosen_place_id && places?.phone !== ""),
  "table.card.next.chat": (on) => on.unread && on.plan.status !== "cancelled" && !isOver(on),
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

  "next.done": (on) =>
    [0, on.plan.time_options.length].includes(timesOf(on, on.me).length) &&
    (timesOf(on, on.me).length + placesOf(on, on.me).length > 0 || said(on)) &&
    !on.unread &&
    !(isVoting(on) && wantsDiet(on)) &&
    !(isHost(on) && isVoting(on) && askedByHosts(on).length > 0),
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
  "time-options.answeredBut": (on, all: number, partly: number, left: number, question: Question) =>
    all === invited(on).length &&
    partly === inPart(on, question) &&
    openFor(on, question).length === 0 &&
    left > 0 &&
    left === openFor(on, question === "times" ? "places" : "times").length,
  "time-options.allAnswered": (on, partly: number, question: Question) =>
    openFor(on, "times").length + openFor(on, "places").length === 0 && partly === inPart(on, question),
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
    count === on.plan.plan_members.filter(({ user_id }) => user_id !== on.me).length,
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
  // Until the meal begins.
  "hosts.decided": (on, names: readonly string[]) => {
    const time = on.plan.time_options.find(({ id }) => id === on.plan.chosen_time_id);
    const untold = on.plan.plan_members.filter(({ user_id }) => on.unreached.includes(user_id));
    return time !== undefined && on.now < Date.parse(time.starts_at) && sameNames(on, names, untold);
  },
  "hosts.askThem": (on, names: readonly string[], _title: string, questions: readonly Question[]) => {
    const unreached = ({ user_id }: { user_id: string }) => on.unreached.includes(user_id);
    return (
      sameNames(on, names, othersAsked(on).filter(unreached)) &&
      questions.every((question) => openFor(on, question).some(unreached)) &&
      questions.length > 0
    );
  },
};
