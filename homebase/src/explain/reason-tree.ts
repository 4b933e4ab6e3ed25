/** Owns the shape of the reasons of a verdict: a tree, because a reason may be another table's policy. */
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import type { Verdict } from "./expression/verdict.ts";
import type { Judgement } from "./judge.ts";

/** A look for rows stops counting here. */
export const MOST_COUNTED = 1_000;
/** A text and its value as text; null for SQL's null. */
export interface Value {
  text: string;
  value: string | null;
  /** What the request lacks, so that there is no value. */
  because?: string;
  /** The row that a query without a value looks for, and the policies that hide it. */
  sought?: Pick<Reason, "looked" | "hidden">;
  /** Whether the text returns rows; the value then lists the first ones. */
  set?: boolean;
}

/** The rows that a condition looks for. */
export interface Looked {
  /** The tables that it looks in, as they are written. */
  from: string;
  /** Whether `from` names a query of a WITH, which looks in the tables. */
  named?: boolean;
  tables: QualifiedName[];
  /** The conditions that tie the rows to the row that is judged, or to a function's argument, with its value. */
  link: { text: string; value?: string | null; argument?: boolean }[];
  /** The rows that meet the link, up to `MOST_COUNTED`. */
  linked: number;
  /** Where several joined tables have no linked row: the one that the link is about: how many of its rows are linked, how many of these meet its own conditions, and which conditions none meets. */
  alone?: { name: string; linked: number; found: number; unmet: number[] };
  /** The conditions that the row alone has to meet. */
  own?: { text: string; verdict: Verdict; values: Value[] }[];
  /** The other conditions, each with the count of linked rows that meet it. */
  conditions: { text: string; count: number; values: Value[] }[];
  /** Whether the row that comes closest meets each condition, where each is met by some row and all by none. */
  closest?: boolean[];
  /** The rows that meet everything. */
  found: number;
  /** Those of them that the policies of the tables let the asker see; absent when row security hides none. */
  seen?: number;
}

/** Why one part, or one condition inside a function, has its verdict. */
export interface Reason {
  text: string;
  verdict: Verdict;
  wanted: boolean;
  /** Set for a part of a policy. */
  policy?: string;
  error?: string;
  values: Value[];
  looked?: Looked;
  /** The function that was gone into, and what in it decides; `any` where one of them is enough. */
  inside?: { call: string; runsAs: string; reasons: Reason[]; any?: boolean };
  /** The statements that a function without a body in SQL ran, and the rows that they took from tables. */
  ran?: { text: string; found: { table: QualifiedName; rows: number; withoutRowSecurity: number }[] }[];
  /** The reasons inside of the text itself, e.g. in the branch that a CASE takes, which is `branch`. */
  within?: { branch?: string; reasons: Reason[] };
  /** The rows that were looked for, and that other tables' policies hide. */
  hidden?: Tree[];
  /** The limit that the explanation met, in words. */
  note?: string;
}

/** One row's judgement and the reasons of its verdict. */
export interface Tree {
  judgement: Judgement;
  reasons: Reason[];
}

/** A reason and all that it rests on, those of the policies that hide rows from it among them. */
export function reasonsWithin(reason: Reason): Reason[] {
  const { inside, within, hidden = [] } = reason;
  const own = [
    ...(inside?.reasons ?? []),
    ...(within?.reasons ?? []),
    ...hidden.flatMap((one) => one.reasons),
  ];
  return [reason, ...own.flatMap(reasonsWithin)];
}
