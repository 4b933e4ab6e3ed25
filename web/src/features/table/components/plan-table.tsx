/** Owns: the drawn table of a plan's page, with the number of answers or guests in the middle. Redrawn only on changes. */

import { memo } from "react";
import { cardOf } from "../../plans/cards/of-plan.ts";
import { stateOf, stateOfMember } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import { seatsTaken } from "../../plans/tally.ts";
import { planWords } from "../../plans/words/plan.ts";
import { drawnSeats } from "../drawn-seats.ts";
import { TableDrawing } from "./table-drawing.tsx";

interface PlanTableProps {
  plan: Plan;
  me: string;
  now: number;
  /** Ids of the people who have the plan open. */
  present: ReadonlySet<string>;
  className: string;
}

export const PlanTable = memo(function PlanTable({ plan, me, now, present, className }: PlanTableProps) {
  return (
    <TableDrawing
      // As in the list: a person knows that they are here themselves.
      seats={drawnSeats(cardOf(plan, me), now, new Set([...present].filter((id) => id !== me)))}
      centre={centreOf(plan, now)}
      label={plan.title}
      className={className}
    />
  );
});

function centreOf(plan: Plan, now: number): { large: string; small: string } {
  const words = planWords().centre;
  const people = plan.plan_members.length;
  if (stateOf(plan, now) === "polling") {
    const answered = plan.plan_members.filter(
      (member) => stateOfMember(plan, member, now) !== "asked",
    ).length;
    return { large: `${answered}/${people}`, small: words.answered };
  }
  const seats = seatsTaken(plan, now);
  const small = stateOf(plan, now) === "done" ? words.came(seats) : words.coming(seats);
  return { large: String(seats), small };
}
