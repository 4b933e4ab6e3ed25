/** Owns: the list of plans made from those that were opened one by one, which stand in for it until it can be read. */
import type { QueryClient } from "@tanstack/react-query";
import type { Plan } from "../schema.ts";
import { nextOf } from "../tally.ts";
import { cardOf } from "./of-plan.ts";

export function listFromPlans(queries: QueryClient, person: string): void {
  const queryKey = ["plans"];
  const singles = queries
    .getQueryCache()
    .findAll({ queryKey: ["plan"] })
    .filter((query) => query.queryKey.length === 2 && query.state.data);
  if (singles.length === 0) return;
  const updatedAt = Math.min(...singles.map(({ state }) => state.dataUpdatedAt));
  const cards = singles.map(({ state }) => {
    const plan = state.data as Plan;
    return cardOf(plan, person, nextOf(plan, person, Date.now()));
  });
  queries.setQueryData(queryKey, { cards, next: null }, { updatedAt });
  void queries.invalidateQueries({ queryKey, exact: true, refetchType: "none" });
}
