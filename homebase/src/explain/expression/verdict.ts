/**
 * Owns three-valued logic over a condition: its verdict from the verdicts of its leaves, and the smallest set of
 * leaves that have to be different for another verdict.
 */
import type { Expression, Leaf } from "./expression.ts";

/** As in SQL: true, false, or null for unknown. */
export type Verdict = boolean | null;

/** The verdict of a condition. */
export function verdictOf(expression: Expression, verdict: (leaf: Leaf) => Verdict): Verdict {
  switch (expression.kind) {
    case "leaf":
      return verdict(expression);
    case "not": {
      const inner = verdictOf(expression.member, verdict);
      return inner === null ? null : !inner;
    }
    default: {
      const decisive = expression.kind === "or";
      const verdicts = expression.members.map((one) => verdictOf(one, verdict));
      if (verdicts.includes(decisive)) return decisive;
      return verdicts.includes(null) ? null : !decisive;
    }
  }
}

/** A leaf whose verdict has to be `wanted` for the outcome to be another one. */
export interface Flip<Each = Leaf> {
  leaf: Each;
  wanted: boolean;
}

/**
 * What a condition should be: `true` and `false`, or not so. A row is hidden by unknown as well as by false, so
 * "not true" is what hides it.
 */
export type Goal = "true" | "false" | "not true" | "not false";

const NEGATED: Record<Goal, Goal> = {
  true: "false",
  false: "true",
  "not true": "not false",
  "not false": "not true",
};

/**
 * The fewest leaves that have to change so that the condition reaches the goal; none when it has, undefined when no
 * leaf can: an OR of nothing is false. Each leaf stands in the condition once, so nothing smaller than this set reaches
 * the goal. Of equally small sets the first.
 */
export function flipsFor(
  expression: Expression,
  goal: Goal,
  verdict: (leaf: Leaf) => Verdict,
): Flip[] | undefined {
  switch (expression.kind) {
    case "leaf": {
      const wanted = goal === "true" || goal === "not false";
      return reached(goal, verdict(expression)) ? [] : [{ leaf: expression, wanted }];
    }
    case "not":
      return flipsFor(expression.member, NEGATED[goal], verdict);
    default: {
      const options = expression.members.map((one) => flipsFor(one, goal, verdict));
      const all = (expression.kind === "and") === (goal === "true" || goal === "not false");
      const possible = options.filter((one) => one !== undefined);
      if (!all) return possible.sort((one, other) => one.length - other.length)[0];
      return possible.length === options.length ? possible.flat() : undefined;
    }
  }
}

function reached(goal: Goal, verdict: Verdict): boolean {
  switch (goal) {
    case "true":
      return verdict === true;
    case "false":
      return verdict === false;
    case "not true":
      return verdict !== true;
    case "not false":
      return verdict !== false;
  }
}
