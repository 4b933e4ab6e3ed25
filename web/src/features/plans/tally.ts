/** Owns: the tally of answers to one time, the missing answers, the seats taken, and whether answers are hidden. Pure. */

import { nextStep, openQuestion } from "../../../../supabase/functions/_shared/table/next_step.ts";
import { isSeated, saidNo } from "../../../../supabase/functions/_shared/table/person_state.ts";
import type { NextStep, Question } from "../../../../supabase/functions/_shared/table/steps.ts";
import type { Answer } from "./answers.ts";
import { chosenPlace, chosenTime, isToday, isVotingClosed, stateOf, stateOfMember } from "./domain.ts";
import type { Member, Plan } from "./schema.ts";

export interface Tally extends Record<Answer, readonly string[]> {
  silent: readonly string[];
  /** Required people who said no. */
  requiredOut: readonly string[];
}

/** Person ids by answer, in the table's order. Members who declined the whole plan are in no list. */
export function tallyOf(
  votes: readonly { user_id: string; answer: Answer }[],
  members: readonly Member[],
): Tally {
  const given = new Map(votes.map((vote) => [vote.user_id, vote.answer]));
  const asked = members.filter((member) => !saidNo(member) || given.has(member.user_id));
  const by = (answer: Answer | undefined) =>
    asked.filter((member) => given.get(member.user_id) === answer).map((member) => member.user_id);
  return {
    yes: by("yes"),
    if_need_be: by("if_need_be"),
    no: by("no"),
    silent: by(undefined),
    requiredOut: asked
      .filter((member) => member.required && given.get(member.user_id) === "no")
      .map((member) => member.user_id),
  };
}

/**
 * Whether others' answers are hidden from this person: the host chose that, and they have not answered yet.
 */
export function areHidden(plan: Plan, me: string): boolean {
  return (
    plan.results_hidden &&
    plan.status === "polling" &&
    !plan.time_options.some((option) => option.time_votes.some((vote) => vote.user_id === me)) &&
    !plan.place_options.some((option) => option.place_votes.some((vote) => vote.user_id === me))
  );
}

/** The warmth of a time, 0 to 1: a yes counts whole, an if need be half, relative to everyone invited. */
export function warmthOf({ yes, if_need_be, no, silent }: Tally): number {
  const asked = yes.length + if_need_be.length + no.length + silent.length;
  return asked === 0 ? 0 : (yes.length + if_need_be.length / 2) / asked;
}

/** Whether a plan accepts answers: it is in voting, before the deadline, and a time is still to come. */
export function acceptsAnswers(plan: Plan, now: number): boolean {
  return stateOf(plan, now) === "polling" && !isVotingClosed(plan, now) && isUpcoming(plan, now);
}

const isUpcoming = (plan: Plan, now: number) =>
  plan.time_options.some((option) => Date.parse(option.starts_at) > now);

/** What a member has answered, with this device's answers that are still to be sent. */
function answeredBy(plan: Plan, member: Member): Record<Question, boolean> {
  const theirs = (vote: { user_id: string }) => vote.user_id === member.user_id;
  return {
    times: member.times_answered || plan.time_options.some((option) => option.time_votes.some(theirs)),
    places: member.places_answered || plan.place_options.some((option) => option.place_votes.some(theirs)),
  };
}

const questionOf = (plan: Plan, member: Member) =>
  openQuestion(member, answeredBy(plan, member), plan.place_options.length);

/** The members who have a question open, while the plan accepts answers. @param question only this one */
export function waitedFor(plan: Plan, now: number, question?: Question): Member[] {
  if (!acceptsAnswers(plan, now)) return [];
  const others = question === undefined ? {} : { [question === "times" ? "places" : "times"]: true };
  return plan.plan_members.filter(
    (member) =>
      openQuestion(member, { ...answeredBy(plan, member), ...others }, plan.place_options.length) !== null,
  );
}

/** How many people have answered an option of a question that is still open, and left out another. */
export function partlyAnswered(plan: Plan, now: number, question: Question): number {
  const options =
    question === "times"
      ? plan.time_options.filter((option) => Date.parse(option.starts_at) > now).map((one) => one.time_votes)
      : plan.place_options.map((one) => one.place_votes);
  return plan.plan_members.filter((member) => {
    const given = options.filter((votes) => votes.some((vote) => vote.user_id === member.user_id)).length;
    return !saidNo(member) && given > 0 && given < options.length;
  }).length;
}

/** The facts about a person that are not part of the plan. */
interface Known {
  /** Whether they have rated the meal. */
  rated?: boolean;
  /** Whether they have neither said what they eat nor skipped the question. */
  diet?: boolean;
  unread?: boolean;
  /** For hosts: the ids of the others whom no message reaches. */
  unreached?: readonly string[];
}

/** What the plan waits for from a person. */
export function nextOf(
  plan: Plan,
  person: string,
  now: number,
  { rated = true, diet = false, unread = false, unreached = [] }: Known = {},
): NextStep | null {
  const member = plan.plan_members.find((one) => one.user_id === person);
  if (!member) return null;
  const meal = chosenTime(plan);
  const kitchen = chosenPlace(plan);
  const seats = seatsTaken(plan, now);
  return nextStep({
    plan: stateOf(plan, now),
    state: stateOfMember(plan, member, now),
    question: questionOf(plan, member),
    hosts: member.role !== "guest",
    alone: plan.plan_members.length === 1,
    accepts: acceptsAnswers(plan, now),
    decides:
      isUpcoming(plan, now) &&
      !plan.decides_itself &&
      plan.proposed_time_id === null &&
      (isVotingClosed(plan, now) || plan.plan_members.every((one) => questionOf(plan, one) === null)),
    placed: plan.chosen_place_id !== null,
    today: isToday(plan, now),
    rates: !rated && meal !== null && now - Date.parse(meal.ends_at) < RATE_FOR_MS,
    diet,
    shares: plan.plan_members.some(
      (one) =>
        unreached.includes(one.user_id) &&
        (meal ? stateOfMember(plan, one, now) === "asked" : questionOf(plan, one) !== null),
    ),
    books:
      meal !== null &&
      Date.parse(meal.starts_at) > now &&
      !!(kitchen?.phone || kitchen?.booking_url) &&
      seats > 0 &&
      plan.booked_seats !== seats,
    unread,
  });
}

/** How long after the meal the plan still asks for a rating. */
const RATE_FOR_MS = 14 * 24 * 3_600_000;

/** Places taken at the table, plus-ones included. */
export function seatsTaken(plan: Plan, now: number): number {
  return plan.plan_members
    .filter((member) => isSeated(stateOfMember(plan, member, now)))
    .reduce((sum, member) => sum + 1 + member.plus_ones, 0);
}
