/** Owns the calls on policies and rows: `judge`, and the tree of why rows of a table are hidden or visible. */
import type pg from "pg";
import type { QualifiedName } from "../rest/schema/schema.ts";
import { type Caller, Session, type SessionOptions } from "./database/session.ts";
import { type Judgement, type JudgeOptions, judgeRows, type Selection } from "./judge.ts";
import { type Collect, Reasons } from "./reasons.ts";
import type { Tree } from "./tree.ts";

/** For a database that is not this project's: `readOnly`. */
export type ExplainOptions = SessionOptions;

/**
 * The verdict of every part of the policies that apply to a table's rows, for a caller and a command. Runs in one
 * transaction that is rolled back; at most 1,000 rows and one second.
 * @param db a connection without a transaction, of a login that row security does not restrict.
 * @throws ExplainError with what the user can change.
 */
export async function judge(
  db: pg.ClientBase,
  caller: Caller,
  table: QualifiedName,
  selection: Selection,
  options: JudgeOptions & ExplainOptions = {},
): Promise<Judgement> {
  return Session.run(db, options, (session) =>
    judgeRows(session, { caller, role: caller.role }, table, selection, options),
  );
}

/** A judgement of rows, with the reasons of each group's first row. */
export interface Explained {
  judgement: Judgement;
  /** For each group of the judgement, as far as time allows. */
  groups: Tree["reasons"][];
}

/**
 * Judges rows, and goes into the parts that decide: subqueries, functions and other tables' policies.
 * @param options `most`: how many groups are gone into, the largest first; `collect`: takes the rows that were looked at.
 */
export async function explainRows(
  session: Session,
  caller: Caller,
  table: QualifiedName,
  selection: Selection,
  {
    most = MOST_GROUPS,
    collect,
    ...options
  }: JudgeOptions & { most?: number; collect?: Collect | undefined } = {},
): Promise<Explained> {
  const as = { caller, role: caller.role };
  const judgement = await judgeRows(session, as, table, selection, options);
  const reasons = new Reasons(session, collect);
  const groups: Explained["groups"] = [];
  for (const at of judgement.groups.keys()) {
    groups.push(at < most ? await reasons.ofGroup(as, judgement, at) : []);
  }
  return { judgement, groups };
}

/** More groups than a person reads are judged, but not gone into. */
const MOST_GROUPS = 5;
