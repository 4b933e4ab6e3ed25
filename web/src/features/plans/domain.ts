/** Owns: what follows from a plan's rows. Pure: takes `now` and reads nothing. */

import type { Answer } from "./answers.ts";
import type { Seated } from "./cards/schema.ts";
import type { Ballot } from "./mutations.ts";
import type { Member, Plan, TimeOption } from "./schema.ts";
import { tableWords } from "./words/table.ts";

export type PlanState = "polling" | "confirmed" | "done" | "cancelled";

/** As private.limits in SQL: when a meal is over, and when its arrival board opens. */
const DONE_AFTER_MS = 4 * 3_600_000;
export const ARRIVALS_OPEN_MS = 6 * 3_600_000;

/** A plan's state at `now` (ms). `done` is never stored; it follows from when the chosen time ends. */
export function stateAt(status: Plan["status"], endsAt: string | null, now: number): PlanState {
  return status === "confirmed" && endsAt !== null && Date.parse(endsAt) + DONE_AFTER_MS <= now
    ? "done"
    : status;
}

export function stateOf(plan: Plan, now: number): PlanState {
  return stateAt(plan.status, chosenTime(plan)?.ends_at ?? null, now);
}

export function chosenTime(plan: Plan): TimeOption | null {
  return plan.time_options.find((option) => option.id === plan.chosen_time_id) ?? null;
}

export function chosenPlace(plan: Plan) {
  return plan.place_options.find((option) => option.id === plan.chosen_place_id)?.places ?? null;
}

/** Whether the plan has a proposal, an objection, or a reason why it was not decided. */
export function hasDecisionNews(plan: Plan): boolean {
  return (
    plan.proposed_time_id !== null ||
    plan.veto_reason !== "" ||
    plan.vetoed_by !== null ||
    plan.undecided !== null
  );
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
 * The look of a seat: dashed for no answer, a set place for a yes, a folded napkin for a maybe, a chair
 * pulled back for a no, a covered dish for a hidden answer, waiting for someone on the waitlist; `arrived`
 * glows.
 */
export type SeatLook = "empty" | "set" | "maybe" | "out" | "waiting" | "arrived" | "covered";

export interface Seat {
  personId: string;
  look: SeatLook;
  /** For screen readers and tooltips: "has not answered", "is coming with 1 more". */
  words: string;
}

/**
 * Whether a member has answered every time that is still ahead. Every screen uses this definition of
 * "answered". Where the answers are hidden, the server's flag is used: that they have answered something.
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

/** The seat of a person, in the plan's state. */
export function seatOf(person: Seated, state: PlanState): Seat {
  const seat =
    state === "polling" ? pollingSeat(person) : state === "done" ? pastSeat(person) : comingSeat(person);
  return { personId: person.user_id, ...seat };
}

function pollingSeat({ rsvp, answer, answered, yes }: Seated): Omit<Seat, "personId"> {
  const words = tableWords().seats;
  if (rsvp === "declined") return { look: "out", words: words.declined };
  switch (answer) {
    case "yes":
      return { look: "set", words: words.yes(yes) };
    case "if_need_be":
      return { look: "maybe", words: words.ifNeedBe };
    case "no":
      return { look: "out", words: words.no };
    case null:
      // The answers may be hidden; whether they answered is not.
      return answered ? { look: "covered", words: words.answered } : { look: "empty", words: words.silent };
  }
}

/** After the meal: a yes or an arrival counts as attended; a maybe stays unknown. */
function pastSeat(person: Seated): Omit<Seat, "personId"> {
  const words = tableWords().seats;
  const came = person.rsvp === "going" || person.arrival === "arrived";
  if (!came && person.rsvp === "maybe") return { look: "maybe", words: words.saidMaybe };
  return came
    ? { look: "set", words: words.came(person.plus_ones) }
    : { look: "out", words: words.stayedAway };
}

function comingSeat(person: Seated): Omit<Seat, "personId"> {
  const words = tableWords().seats;
  if (person.arrival === "arrived") return { look: "arrived", words: words.here };
  switch (person.rsvp) {
    case "going":
      return { look: "set", words: words.going(person.plus_ones) };
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

/** Whether a plan in voting still waits for this person's answer to an upcoming time. */
export function waitsForVote(plan: Plan, person: string, now: number): boolean {
  const me = plan.plan_members.find((member) => member.user_id === person);
  const closed = plan.vote_deadline !== null && Date.parse(plan.vote_deadline) <= now;
  return (
    me !== undefined &&
    me.rsvp !== "declined" &&
    stateOf(plan, now) === "polling" &&
    !closed &&
    plan.time_options.some(
      (option) =>
        Date.parse(option.starts_at) > now && !option.time_votes.some((vote) => vote.user_id === person),
    )
  );
}

/** Places taken at the table, plus-ones included. */
export function seatsTaken(plan: Plan): number {
  return plan.plan_members
    .filter((member) => member.rsvp === "going")
    .reduce((sum, member) => sum + 1 + member.plus_ones, 0);
}

/** The plan with these votes applied. Other votes are unchanged. */
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
