/** Owns: what can be said about a plan from its rows. Pure: takes `now` and asks nobody. */
import type { Ballot } from "./mutations.ts";
import { type Answer, answers, type Member, type Plan, type TimeOption } from "./schema.ts";
import { tableWords } from "./words/table.ts";

export type PlanState = "polling" | "confirmed" | "done" | "cancelled";

/** As private.limits in SQL says: when a meal is over, and when its arrival board opens. */
const DONE_AFTER_MS = 4 * 3_600_000;
const ARRIVALS_OPEN_MS = 6 * 3_600_000;

/** The plan's state at `now` (ms). `done` is never stored; it follows from the chosen time. */
export function stateOf(plan: Plan, now: number): PlanState {
  const chosen = chosenTime(plan);
  if (plan.status === "confirmed" && chosen && Date.parse(chosen.ends_at) + DONE_AFTER_MS <= now)
    return "done";
  return plan.status;
}

export function chosenTime(plan: Plan): TimeOption | null {
  return plan.time_options.find((option) => option.id === plan.chosen_time_id) ?? null;
}

export function chosenPlace(plan: Plan) {
  return plan.place_options.find((option) => option.id === plan.chosen_place_id)?.places ?? null;
}

export function isToday(plan: Plan, now: number): boolean {
  const chosen = chosenTime(plan);
  return (
    stateOf(plan, now) === "confirmed" &&
    chosen !== null &&
    Date.parse(chosen.starts_at) - ARRIVALS_OPEN_MS <= now
  );
}

export function isHost(plan: Plan, person: string): boolean {
  return plan.plan_members.some((member) => member.user_id === person && member.role !== "guest");
}

/** Whether a person may invite by link: hosts may, and of guests without an account only the plan's own host. */
export function mayInvite(plan: Plan, person: string, guest: boolean): boolean {
  return plan.plan_members.some(
    (member) => member.user_id === person && (member.role === "host" || (member.role === "cohost" && !guest)),
  );
}

/**
 * How a seat looks: dashed for no answer, a set place for a yes, a folded napkin for a maybe, a chair pulled
 * back for a no, a covered dish for an answer that is hidden, waiting for someone in line; `arrived` glows.
 */
export type SeatLook = "empty" | "set" | "maybe" | "out" | "waiting" | "arrived" | "covered";

export interface Seat {
  personId: string;
  look: SeatLook;
  /** For screen readers and tooltips: "has not answered", "is coming with 1 more". */
  words: string;
}

/** One seat for each person, in the order of the table. */
export function seatsOf(plan: Plan, now: number): Seat[] {
  const state = stateOf(plan, now);
  return plan.plan_members.map((member) => {
    const seat =
      state === "polling"
        ? pollingSeat(plan, member, now)
        : state === "done"
          ? pastSeat(member)
          : comingSeat(member);
    return { personId: member.user_id, ...seat };
  });
}

/**
 * Whether a member has answered: every time that is still ahead. This is what "answered" means on every screen.
 * Where the answers are hidden, it is what the server says: that they have answered something.
 */
export function hasAnswered(plan: Plan, { user_id, answered_at }: Member, now: number): boolean {
  const isTheirs = (vote: { user_id: string }) => vote.user_id === user_id;
  const visible =
    plan.time_options.some((option) => option.time_votes.some(isTheirs)) ||
    plan.place_options.some((option) => option.place_votes.some(isTheirs));
  if (!visible) return answered_at !== null;
  return plan.time_options.every(
    (option) => Date.parse(option.starts_at) <= now || option.time_votes.some(isTheirs),
  );
}

function pollingSeat(plan: Plan, member: Member, now: number): Omit<Seat, "personId"> {
  const words = tableWords().seats;
  if (member.rsvp === "declined") return { look: "out", words: words.declined };
  const votes = plan.time_options.flatMap((option) =>
    option.time_votes.filter((vote) => vote.user_id === member.user_id).map((vote) => vote.answer),
  );
  if (votes.length === 0) {
    // What they said may be hidden; that they said something is not.
    return hasAnswered(plan, member, now)
      ? { look: "covered", words: words.answered }
      : { look: "empty", words: words.silent };
  }
  const best = answers.find((answer) => votes.includes(answer)) ?? "no";
  const looks: Record<Answer, Omit<Seat, "personId">> = {
    yes: { look: "set", words: words.yes(votes.filter((answer) => answer === "yes").length) },
    if_need_be: { look: "maybe", words: words.ifNeedBe },
    no: { look: "out", words: words.no },
  };
  return looks[best];
}

/** After the meal: a yes or an arrival counts as having been there; after a maybe nobody knows. */
function pastSeat(member: Member): Omit<Seat, "personId"> {
  const words = tableWords().seats;
  const came = member.rsvp === "going" || member.arrivals?.status === "arrived";
  if (!came && member.rsvp === "maybe") return { look: "maybe", words: words.saidMaybe };
  return came
    ? { look: "set", words: words.came(member.plus_ones) }
    : { look: "out", words: words.stayedAway };
}

function comingSeat(member: Member): Omit<Seat, "personId"> {
  const words = tableWords().seats;
  if (member.arrivals?.status === "arrived") return { look: "arrived", words: words.here };
  switch (member.rsvp) {
    case "going":
      return { look: "set", words: words.going(member.plus_ones) };
    case "maybe":
      return { look: "maybe", words: words.maybe };
    case "declined":
      return { look: "out", words: words.declined };
    case "waitlisted":
      return { look: "waiting", words: words.waitlisted };
    case "pending":
      return { look: "empty", words: words.silent };
  }
}

/** How long after the meal the plan still asks how it was. */
const RATE_FOR_MS = 14 * 24 * 3_600_000;

/**
 * Whether the plan waits for this person, and for what.
 * @param rated ids of the plans that the person has rated; without it, no plan waits for a rating
 */
export function waitsFor(
  plan: Plan,
  person: string,
  now: number,
  rated?: ReadonlySet<string>,
): "vote" | "rsvp" | "rating" | null {
  const me = plan.plan_members.find((member) => member.user_id === person);
  if (!me || me.rsvp === "declined") return null;
  const state = stateOf(plan, now);
  if (state === "polling") {
    const closed = plan.vote_deadline !== null && Date.parse(plan.vote_deadline) <= now;
    const silent = plan.time_options.some(
      (option) =>
        Date.parse(option.starts_at) > now && !option.time_votes.some((vote) => vote.user_id === person),
    );
    return silent && !closed ? "vote" : null;
  }
  if (state === "done") {
    const over = Date.parse(chosenTime(plan)?.ends_at ?? "");
    const asks = rated !== undefined && me.rsvp === "going" && !rated.has(plan.id);
    return asks && now - over < RATE_FOR_MS ? "rating" : null;
  }
  return state === "confirmed" && me.rsvp === "pending" ? "rsvp" : null;
}

/** Places taken at the table, plus-ones included. */
export function seatsTaken(plan: Plan): number {
  return plan.plan_members
    .filter((member) => member.rsvp === "going")
    .reduce((sum, member) => sum + 1 + member.plus_ones, 0);
}

/** Sorts the plans into the groups of the home screen, each plan into exactly one, the most urgent first. */
export function groupPlans(plans: readonly Plan[], person: string, now: number, rated?: ReadonlySet<string>) {
  const groups = { today: [], waiting: [], coming: [], polling: [], past: [] } as Record<
    "today" | "waiting" | "coming" | "polling" | "past",
    Plan[]
  >;
  for (const plan of plans) {
    const state = stateOf(plan, now);
    const waits = waitsFor(plan, person, now, rated);
    if (state === "cancelled" || (state === "done" && !waits)) groups.past.push(plan);
    else if (isToday(plan, now)) groups.today.push(plan);
    else if (waits) groups.waiting.push(plan);
    else if (state === "confirmed") groups.coming.push(plan);
    else groups.polling.push(plan);
  }
  const start = (plan: Plan) => Date.parse(chosenTime(plan)?.starts_at ?? plan.created_at);
  groups.today.sort((a, b) => start(a) - start(b));
  // What can still be decided comes before how it was.
  groups.waiting.sort((a, b) => Number(stateOf(a, now) === "done") - Number(stateOf(b, now) === "done"));
  groups.coming.sort((a, b) => start(a) - start(b));
  groups.past.sort((a, b) => start(b) - start(a));
  return groups;
}

/** The plan as it will be when these votes are in. Others' votes, and one's others, stay as they are. */
export function withVotes(plan: Plan, me: string, times: Ballot, places: Ballot): Plan {
  type Vote = { user_id: string; answer: Answer };
  const change = (votes: Vote[], answer: Answer | null | undefined): Vote[] => {
    if (answer === undefined) return votes;
    const others = votes.filter((vote) => vote.user_id !== me);
    return answer === null ? others : [...others, { user_id: me, answer }];
  };
  return {
    ...plan,
    time_options: plan.time_options.map((option) => ({
      ...option,
      time_votes: change(option.time_votes, times[option.id]),
    })),
    place_options: plan.place_options.map((option) => ({
      ...option,
      place_votes: change(option.place_votes, places[option.id]),
    })),
  };
}
