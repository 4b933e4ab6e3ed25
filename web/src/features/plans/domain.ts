/** Owns: what follows from a plan's rows. Pure: takes `now` and reads nothing. */

import { type PersonState, personState } from "../../../../supabase/functions/_shared/table/person_state.ts";
import type { Ballot } from "./answers.ts";
import { type Answer, answers } from "./answers.ts";
import type { Seated } from "./cards/schema.ts";
import type { Member, Plan, TimeOption } from "./schema.ts";
import { tableWords } from "./words/table.ts";

export type PlanState = "polling" | "confirmed" | "done" | "cancelled";

/** As private.limits in SQL: when a meal is over, and when its arrival board opens. */
const DONE_AFTER_MS = 4 * 3_600_000;
export const ARRIVALS_OPEN_MS = 6 * 3_600_000;

/** Whether the deadline for votes has passed. */
export function isVotingClosed(plan: { vote_deadline: string | null }, now: number): boolean {
  return plan.vote_deadline !== null && Date.parse(plan.vote_deadline) <= now;
}

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

/**
 * The look of a seat: dashed for no answer, a set place for a yes, a folded napkin for a maybe, a chair
 * pulled back for a no, a covered dish for a hidden answer, waiting for someone on the waitlist; `arrived`
 * glows.
 */
export type SeatLook = "empty" | "set" | "maybe" | "out" | "waiting" | "arrived" | "covered";

export interface Seat {
  look: SeatLook;
  /** For screen readers and tooltips: "has not answered", "is coming with 1 more". */
  words: string;
}

/** A person in a plan that is in this state; the answers are to the chosen time and place. */
export function stateOfSeated(person: Seated, plan: PlanState, moved: boolean): PersonState {
  return personState({ ...person, plan, moved });
}

/** The state of a member, with this device's votes and answers that are still to be sent. */
export function stateOfMember(plan: Plan, member: Member, now: number): PersonState {
  return stateOfSeated(seatedOf(plan, member), stateOf(plan, now), isMoved(plan));
}

/** What a state says of coming, in the words of the vote. */
const answerOf: Partial<Record<PersonState, Answer>> = {
  expected: "yes",
  on_the_way: "yes",
  here: "yes",
  waitlisted: "yes",
  maybe: "if_need_be",
  not_coming: "no",
};

/** The answers to a time. Those to the chosen time follow from each member's state, so that all screens say the same. */
export function answersAt(plan: Plan, time: TimeOption, now: number): TimeOption["time_votes"] {
  if (time.id !== plan.chosen_time_id || stateOf(plan, now) !== "confirmed") return time.time_votes;
  return plan.plan_members.flatMap((member) => {
    const answer = answerOf[stateOfMember(plan, member, now)];
    return answer ? [{ user_id: member.user_id, answer }] : [];
  });
}

/** Whether the hosts have changed the choice since the vote: then votes count no more, and everybody is asked again. */
export function isMoved(plan: Plan): boolean {
  return plan.moved_from_time_id !== null;
}

/** A member in the form of a card's. */
export function seatedOf(plan: Plan, member: Member): Seated {
  const theirs = (vote: { user_id: string }) => vote.user_id === member.user_id;
  const times = plan.time_options.flatMap((option) => option.time_votes.filter(theirs));
  const decided = plan.time_options.find((option) => option.id === plan.chosen_time_id)?.time_votes;
  const place = plan.place_options.find((option) => option.id === plan.chosen_place_id)?.place_votes;
  const given = (decided?.filter(theirs) ?? times).map((vote) => vote.answer);
  return {
    user_id: member.user_id,
    display_name: member.profiles?.display_name ?? null,
    avatar_path: member.profiles?.avatar_path ?? null,
    role: member.role,
    rsvp: member.rsvp,
    plus_ones: member.plus_ones,
    // Where answers are hidden, the server's flag.
    answered:
      member.answered_at !== null ||
      times.length > 0 ||
      plan.place_options.some((option) => option.place_votes.some(theirs)),
    arrival: member.arrivals?.status ?? null,
    answer: answers.find((answer) => given.includes(answer)) ?? null,
    yes: given.filter((answer) => answer === "yes").length,
    place_answer: place?.find(theirs)?.answer ?? null,
  };
}

/** Whether a person's answer to the chosen place is a no, which leaves open whether they come. */
export function refusedPlace({ place_answer }: Seated, moved: boolean): boolean {
  return place_answer === "no" && !moved;
}

/** The seat of a person, in the plan's state. */
export function seatOf(person: Seated, plan: PlanState, moved: boolean): Seat {
  const words = tableWords().seats;
  switch (stateOfSeated(person, plan, moved)) {
    case "asked":
      return { look: "empty", words: refusedPlace(person, moved) ? words.refusedPlace : words.silent };
    case "voted":
      return votedSeat(person);
    case "expected":
      return { look: "set", words: words.going(person.plus_ones) };
    case "on_the_way":
      return { look: "set", words: words.onTheWay };
    case "here":
      return { look: "arrived", words: words.here };
    case "was_there":
      return { look: "set", words: words.came(person.plus_ones) };
    case "maybe":
      return { look: "maybe", words: plan === "done" ? words.saidMaybe : words.maybe };
    case "waitlisted":
      return { look: "waiting", words: words.waitlisted };
    case "not_coming":
      return { look: "out", words: plan === "done" ? words.stayedAway : words.declined };
  }
}

function votedSeat({ answer, yes }: Seated): Seat {
  const words = tableWords().seats;
  switch (answer) {
    case "yes":
      return { look: "set", words: words.yes(yes) };
    case "if_need_be":
      return { look: "maybe", words: words.ifNeedBe };
    case "no":
      // Of only some of the times, perhaps.
      return { look: "out", words: words.noneSoFar };
    case null:
      // The answers may be hidden, or to places alone.
      return { look: "covered", words: words.answered };
  }
}

/** How many of a plan's times a person has answered, as far as their answers are visible. */
export function timesAnswered(plan: Plan, person: string): number {
  return plan.time_options.filter((option) => option.time_votes.some((vote) => vote.user_id === person))
    .length;
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
