/** Owns: a plan's card, made from the completely read plan. */
import { chosenPlace, chosenTime, isMoved, seatedOf, timesAnswered } from "../domain.ts";
import type { Plan } from "../schema.ts";
import type { Card } from "./schema.ts";

/**
 * The card of a completely read plan, for one person.
 * @param next what it waits for from them
 */
export function cardOf(plan: Plan, person: string, next: Card["next"] = null): Card {
  const time = chosenTime(plan);
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
    next,
    voted: timesAnswered(plan, person),
    moved: isMoved(plan),
    people: plan.plan_members.map((member) => seatedOf(plan, member)),
    section: 0,
    position: 0,
  };
}
