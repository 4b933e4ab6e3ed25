/** Owns: what a plan's card shows. Pure: takes `now` and reads nothing. */

import { isSeated } from "../../../../../supabase/functions/_shared/table/person_state.ts";
import {
  ARRIVALS_OPEN_MS,
  chosenPlace,
  chosenTime,
  isMoved,
  isVotingClosed,
  type PlanState,
  seatedOf,
  stateAt,
  stateOfSeated,
  timesAnswered,
} from "../domain.ts";
import type { Plan } from "../schema.ts";
import type { Card } from "./schema.ts";

type Table = Pick<Card, "status" | "ends_at" | "moved" | "people">;

/** The plan's state at `now` (ms). */
export function cardState(card: Pick<Card, "status" | "ends_at">, now: number): PlanState {
  return stateAt(card.status, card.ends_at, now);
}

/** Places taken at the table, plus-ones included. */
export function cardSeatsTaken(card: Table, now: number): number {
  const state = cardState(card, now);
  return card.people
    .filter((person) => isSeated(stateOfSeated(person, state, card.moved)))
    .reduce((sum, person) => sum + 1 + person.plus_ones, 0);
}

/** How long after the meal the plan still asks for a rating. */
const RATE_FOR_MS = 14 * 24 * 3_600_000;

/** Whether the plan waits for this person, and for what. */
export function waitsFor(card: Card, person: string, now: number): "vote" | "rsvp" | "rating" | null {
  const me = card.people.find((one) => one.user_id === person);
  if (!me) return null;
  const state = cardState(card, now);
  const mine = stateOfSeated(me, state, card.moved);
  if (mine === "was_there") {
    return !card.rated && now - Date.parse(card.ends_at ?? "") < RATE_FOR_MS ? "rating" : null;
  }
  if (mine !== "asked") return null;
  if (state === "confirmed") return "rsvp";
  const upcoming = card.unanswered_until !== null && Date.parse(card.unanswered_until) > now;
  return upcoming && !isVotingClosed(card, now) ? "vote" : null;
}

type Group = "today" | "waiting" | "coming" | "polling" | "past";

/** Sorts the cards into the groups of the home screen, each into exactly one, most urgent first. */
export function groupCards(cards: readonly Card[], person: string, now: number): Record<Group, Card[]> {
  const groups: Record<Group, Card[]> = { today: [], waiting: [], coming: [], polling: [], past: [] };
  for (const card of cards) {
    const state = cardState(card, now);
    const waits = waitsFor(card, person, now);
    const opens = Date.parse(card.starts_at ?? "") - ARRIVALS_OPEN_MS;
    if (state === "cancelled" || (state === "done" && !waits)) groups.past.push(card);
    else if (state === "confirmed" && opens <= now) groups.today.push(card);
    else if (waits) groups.waiting.push(card);
    else if (state === "confirmed") groups.coming.push(card);
    else groups.polling.push(card);
  }
  const start = (card: Card) => Date.parse(card.starts_at ?? card.created_at);
  groups.today.sort((a, b) => start(a) - start(b));
  // Open votes come before ratings.
  groups.waiting.sort((a, b) => Number(cardState(a, now) === "done") - Number(cardState(b, now) === "done"));
  groups.coming.sort((a, b) => start(a) - start(b));
  groups.past.sort((a, b) => start(b) - start(a));
  return groups;
}

/**
 * The card of a completely read plan, for one person.
 * @param rated whether that person has rated the meal; a card asks for a rating only when this is false
 */
export function cardOf(plan: Plan, person: string, rated = true): Card {
  const time = chosenTime(plan);
  const own = (option: Plan["time_options"][number]) =>
    option.time_votes.some((vote) => vote.user_id === person);
  const unanswered = plan.time_options.filter((option) => !own(option));
  return {
    id: plan.id,
    circle_id: plan.circle_id,
    title: plan.title,
    status: plan.status,
    time_zone: plan.time_zone,
    vote_deadline: plan.vote_deadline,
    created_at: plan.created_at,
    starts_at: time?.starts_at ?? null,
    ends_at: time?.ends_at ?? null,
    place_name: chosenPlace(plan)?.name ?? null,
    times: plan.time_options.length,
    places: plan.place_options.length,
    unanswered_until: unanswered.reduce<string | null>(
      (last, { starts_at }) => (last === null || Date.parse(starts_at) > Date.parse(last) ? starts_at : last),
      null,
    ),
    voted: timesAnswered(plan, person),
    rated,
    moved: isMoved(plan),
    people: plan.plan_members.map((member) => seatedOf(plan, member)),
    section: 0,
    position: 0,
  };
}
