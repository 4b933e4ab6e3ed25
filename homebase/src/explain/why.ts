/** Owns the tree of why rows of a table are hidden or visible. */
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import type { Caller } from "./database/explained-caller.ts";
import type { Session } from "./database/explanation-transaction.ts";
import { type Judgement, type JudgeOptions, judgeRows, type Selection } from "./judge.ts";
import type { Collect } from "./look.ts";
import type { Reason, Tree, Value } from "./reason-tree.ts";
import { Reasons } from "./reasons.ts";

/** As whom rows are judged. */
export interface Judging {
  session: Session;
  caller: Caller;
  /** Takes the rows that were looked at. */
  collect?: Collect | undefined;
}

/** A judgement of rows, with the reasons of each group's first row. */
export interface Explained {
  judgement: Judgement;
  /** For each group of the judgement, as far as time allows. */
  groups: Tree["reasons"][];
  /** For hidden groups whose rows have several reasons: those of its last row, with its key. */
  others?: ({ key: string; reasons: Reason[] } | undefined)[];
  /** For each group, the values that its parts and their alternatives compare, by the parts' texts. */
  compared?: ReadonlyMap<string, Value[]>[];
}

/**
 * Judges rows, and goes into the parts that decide: subqueries, functions and other tables' policies.
 */
export async function explainRows(
  { session, caller, collect }: Judging,
  table: QualifiedName,
  selection: Selection,
  options: JudgeOptions = {},
): Promise<Explained> {
  const judgement = await judgeRows(session, caller, table, selection, options);
  const reasons = new Reasons(session, collect);
  const groups: Explained["groups"] = [];
  const others: NonNullable<Explained["others"]> = [];
  const compared: NonNullable<Explained["compared"]> = [];
  for (const [at, { visible, count, last }] of judgement.groups.entries()) {
    const own = at < MOST_GROUPS ? await reasons.ofGroup(caller, judgement, at) : [];
    groups.push(own);
    if (own.length > 0) compared[at] = await reasons.compared(caller, judgement, at);
    if (visible || count === 1 || !last || !own.some(asksElsewhere)) continue;
    const other = await reasons.ofGroup(caller, judgement, at, 0, last.row);
    if (JSON.stringify(other.map(shapeOf)) !== JSON.stringify(own.map(shapeOf)))
      others[at] = { key: last.key, reasons: other };
  }
  return { judgement, groups, compared, others };
}

/** Whether a reason is about more than the row's own values, so that it may be another for each row. */
export function asksElsewhere({ looked, inside, within }: Reason): boolean {
  return looked !== undefined || inside !== undefined || within !== undefined;
}

/** The text of a reason without its values and numbers. */
function shapeOf({ looked, inside, within, hidden }: Reason): unknown {
  return [
    looked && [
      looked.own?.map(({ verdict }) => verdict === true),
      looked.linked > 0,
      looked.conditions.map(({ count }) => count > 0),
      looked.found > 0,
    ],
    inside?.reasons.map(shapeOf),
    within && [within.branch, within.reasons.map(shapeOf)],
    hidden?.map(({ judgement, reasons }) => [
      judgement.table,
      reasons.map((one) => [one.policy, one.values.map(({ text }) => text), shapeOf(one)]),
    ]),
  ];
}

/** More groups than a person reads are judged, but not gone into. */
const MOST_GROUPS = 5;
