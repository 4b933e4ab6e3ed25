/** Owns: what a plan's card shows. Pure: takes `now` and reads nothing. */

import { isSeated } from "../../../../../supabase/functions/_shared/table/person_state.ts";
import type { NextStep } from "../../../../../supabase/functions/_shared/table/steps.ts";
import { ARRIVALS_OPEN_MS, isVotingClosed, type PlanState, stateAt, stateOfSeated } from "../domain.ts";
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

/** What the plan waits for from this person. A card may be older than the end of the vote. */
export function waitsFor(card: Card, now: number): Card["next"] {
  const { next } = card;
  return next && ASKED.has(next) && card.status === "polling" && isVotingClosed(card, now) ? null : next;
}

/** Asked until the end of the vote. */
const ASKED: ReadonlySet<NextStep> = new Set(["times", "places", "diet", "share"]);
/** The others come before a rating, and that before what is only to be read. */
const rank = (card: Card) => ["rate", "chat"].indexOf(card.next ?? "");

type Group = "today" | "waiting" | "coming" | "polling" | "past";

/** Sorts the cards into the groups of the home screen, each into exactly one, most urgent first. */
export function groupCards(cards: readonly Card[], now: number): Record<Group, Card[]> {
  const groups: Record<Group, Card[]> = { today: [], waiting: [], coming: [], polling: [], past: [] };
  for (const card of cards) {
    const state = cardState(card, now);
    const waits = waitsFor(card, now);
    const opens = Date.parse(card.starts_at ?? "") - ARRIVALS_OPEN_MS;
    if (state === "cancelled" || (state === "done" && !waits)) groups.past.push(card);
    else if (state === "confirmed" && opens <= now) groups.today.push(card);
    else if (waits) groups.waiting.push(card);
    else if (state === "confirmed") groups.coming.push(card);
    else groups.polling.push(card);
  }
  const start = (card: Card) => Date.parse(card.starts_at ?? card.created_at);
  groups.today.sort((a, b) => start(a) - start(b));
  groups.waiting.sort((a, b) => rank(a) - rank(b));
  groups.coming.sort((a, b) => start(a) - start(b));
  groups.past.sort((a, b) => start(b) - start(a));
  return groups;
}
