/** Owns: the three-way merge of a plan that two hosts edit at the same time. Pure. */
import { type PlanEdit, type PlanField, planFields } from "../plans/fields.ts";
import type { Plan } from "../plans/schema.ts";

export interface Merged {
  /** The form's values: the person's own changes, and the other host's elsewhere. */
  draft: PlanEdit;
  /** Fields that were taken over because only they changed them. */
  taken: PlanField[];
  /**
   * Fields that both changed, to different values: the person's own is kept, and the other host's is offered.
   */
  conflicts: PlanField[];
}

/**
 * @param base the plan as it was when editing began
 * @param mine the form now
 * @param theirs the plan as it is now
 */
export function mergeEdits(base: PlanEdit, mine: PlanEdit, theirs: PlanEdit): Merged {
  const changed = (draft: PlanEdit, field: PlanField) => !same(field, draft[field], base[field]);
  const taken = planFields.filter((field) => changed(theirs, field) && !changed(mine, field));
  const conflicts = planFields.filter(
    (field) => changed(theirs, field) && changed(mine, field) && !same(field, mine[field], theirs[field]),
  );
  return {
    draft: { ...mine, ...Object.fromEntries(taken.map((field) => [field, theirs[field]])) },
    taken,
    conflicts,
  };
}

/** Only what differs from the plan, for the request. */
export function changesOf(plan: PlanEdit, draft: PlanEdit): Partial<PlanEdit> {
  return Object.fromEntries(
    planFields
      .filter((field) => !same(field, plan[field], draft[field]))
      .map((field) => [field, draft[field]]),
  );
}

export function editOf(plan: Plan): PlanEdit {
  return Object.fromEntries(planFields.map((field) => [field, plan[field]])) as PlanEdit;
}

/** The database writes an instant in its own way: "+00:00" is "Z". */
function same(field: PlanField, a: unknown, b: unknown): boolean {
  if (field === "vote_deadline" && typeof a === "string" && typeof b === "string") {
    return Date.parse(a) === Date.parse(b);
  }
  return a === b;
}
