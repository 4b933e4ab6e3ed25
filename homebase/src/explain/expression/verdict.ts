/**
 * Owns three-valued logic over a condition: its verdict from the verdicts of its leaves, and the smallest set of
 * leaves that have to be different for another verdict.
 */
import type { Expression, Leaf } from "./expression.ts";

/** As in SQL: true, false, or null for unknown. */
export type Verdict = boolean | null;

/** The verdict of a condition. @param verdict of a leaf; `positive` where the condition is truer when the leaf is. */
export function verdictOf(
  expression: Expression,
  verdict: (leaf: Leaf, positive: boolean) => Verdict,
  positive = true,
): Verdict {
  switch (expression.kind) {
    case "leaf":
      return verdict(expression, positive);
    case "not": {
      const inner = verdictOf(expression.member, verdict, !positive);
      return inner === null ? null : !inner;
    }
    default: {
      const decisive = expression.kind === "or";
      const verdicts = expression.members.map((one) => verdictOf(one, verdict, positive));
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

/** So many sets are named. */
const MOST_SETS = 8;

/**
 * The sets of leaves that have to change so that the condition reaches the goal, the smallest first: one empty set when it
 * has, none when no leaf can, because an OR of nothing is false. Each leaf stands in the condition once, so no part of a
 * set reaches the goal.
 */
export function flipsFor(expression: Expression, goal: Goal, verdict: (leaf: Leaf) => Verdict): Flip[][] {
  switch (expression.kind) {
    case "leaf": {
      const wanted = goal === "true" || goal === "not false";
      return [reached(goal, verdict(expression)) ? [] : [{ leaf: expression, wanted }]];
    }
    case "not":
      return flipsFor(expression.member, NEGATED[goal], verdict);
    default: {
      const options = expression.members.map((one) => flipsFor(one, goal, verdict));
      const all = (expression.kind === "and") === (goal === "true" || goal === "not false");
      const smallest = (sets: Flip[][]) =>
        sets.sort((one, other) => one.length - other.length).slice(0, MOST_SETS);
      if (all)
        return options.reduce<Flip[][]>(
          (sets, own) => smallest(sets.flatMap((one) => own.map((other) => [...one, ...other]))),
          [[]],
        );
      // A verdict that is reached already needs no change: an empty set, once.
      return options.some(([first]) => first?.length === 0) ? [[]] : smallest(options.flat());
    }
  }
}

function reached(goal: Goal, verdict: Verdict): boolean {
  return goal.startsWith("not ") ? goal !== `not ${verdict}` : goal === String(verdict);
}
