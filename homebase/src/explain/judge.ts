/** Owns judging rows: the verdict of every part of the policies that apply, as the caller, for up to 1,000 rows. */
import { arrayLiteral, quote, quoteName } from "../postgres/quoting.ts";
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import {
  type Access,
  applicable,
  type Command,
  type Ignored,
  type Rule,
  readAccess,
  readTable,
  type Table,
} from "./database/before-policies.ts";
import {
  codeOf,
  ExplainError,
  messageOf,
  type RunAs,
  type Session,
} from "./database/explanation-transaction.ts";
import { type Part, type Policy, partOf, partsOf, readPolicies } from "./database/policy-parts.ts";
import { keyToText } from "./database/written-rows.ts";
import { type Expression, type Leaf, leavesOf } from "./expression/expression.ts";
import { peeled } from "./expression/peel.ts";
import { namesWholeRow } from "./expression/references.ts";
import { questionOf } from "./expression/subquery.ts";
import { type Flip, flipsFor, type Verdict, verdictOf } from "./expression/verdict.ts";

/** The rows that are judged are at most so many. */
export const MOST_CANDIDATES = 1_000;
/** So many keys are named for each group of rows. */
const NAMED_KEYS = 3;
/** When a part raises an error for some row, so many rows are judged one by one. */
const MOST_SINGLE_ROWS = 25;

/** A condition of SQL with its values; it names the table by `alias`. */
export interface Where {
  alias: string;
  text: string;
  values: readonly unknown[];
  /** The columns that name a row for people; the primary key by default. */
  named?: readonly string[];
}

/** Rows by their text, as a composite value of the table's row type, or those that meet a condition. */
export type Selection = { rows: readonly string[] } | { where: Where };

export interface PartVerdict {
  part: Part;
  verdict: Verdict;
  /** The error that the part raises, when it is judged alone; the verdict is then unknown. */
  error?: string;
}

/** Rows for which every part has the same verdict. */
export interface Group {
  count: number;
  /** The primary keys of the first ones. */
  keys: string[];
  visible: boolean;
  parts: PartVerdict[];
  /**
   * The fewest parts that have to be different for the rows to be visible, or hidden when they are; none where no part
   * can. One with an error comes first, then one that asks for other rows, then one that compares values.
   */
  reason: Flip<Part>[];
  /** Other sets of parts of which each would do, the smallest first. */
  alternatives: Flip<Part>[][];
  /** The first row, as a composite value. */
  sample: string;
  /** The last row, where there are several. */
  last?: { row: string; key: string };
}

export interface Judgement {
  table: QualifiedName;
  command: Command;
  kind: Rule["kind"];
  role: string;
  access: Access;
  /** The policies that decide, in the order of their names. */
  policies: { name: string; permissive: boolean; command: Policy["command"]; roles: string[] }[];
  /** The table's other policies. */
  ignored: Ignored[];
  /** The columns that name a row. */
  key: readonly string[];
  candidates: number;
  /** The rows that the policies let through, as composite values. */
  passed: string[];
  /** Why not all rows were judged. */
  cut?: string;
  /** The largest first. */
  groups: Group[];
}

/** The command to judge, and the options of a judgement. */
export interface JudgeOptions {
  command?: Command;
  /** Which of the command's conditions: `check` is for the row after a write. By default what the command has. */
  kind?: Rule["kind"];
  /** The columns that the request names. */
  columns?: readonly string[];
  /** How many keys are named for each group of rows; 3 by default. */
  keys?: number;
}

/**
 * Judges rows of a table by one rule: RETURNING, and the filters of UPDATE and DELETE, need SELECT's rule as well.
 * @param as the caller, with the role and the bypass of another table's row security.
 */
export async function judgeRows(
  session: Session,
  as: RunAs,
  name: QualifiedName,
  selection: Selection,
  {
    command = "select",
    kind = command === "insert" ? "check" : "using",
    columns = [],
    keys = NAMED_KEYS,
  }: JudgeOptions = {},
): Promise<Judgement> {
  const table = await readTable(session, name);
  const access = await readAccess(session, as.role, table, command, columns);
  const policies = await readPolicies(session, name);
  const rule: Rule = { command, kind };
  const parts = new Map<Leaf, Part>();
  const { applied, ignored } = await applicable(session, as.role, policies, rule);
  const decides = access.rowSecurity === "on";
  const condition: Expression = { kind: "and", members: decides ? [conditionOf(applied, rule, parts)] : [] };
  const candidates = "rows" in selection ? selection.rows.map((row) => ({ row, key: "" })) : [];
  if ("where" in selection) {
    const whole = partsOf(policies).some(({ text }) => namesWholeRow(text, name.name));
    candidates.push(...(await readCandidates(session, as, table, selection.where, whole)));
  }
  const more = candidates.length > MOST_CANDIDATES;
  if (more) candidates.length = MOST_CANDIDATES;
  const verdicts = await verdictsOf(session, as, table, leavesOf(condition), candidates);
  const groups = grouped(condition, parts, candidates, verdicts, keys);
  const passes = (_: Candidate, at: number) =>
    verdictOf(condition, (leaf) => verdicts[at]?.get(leaf)?.verdict ?? null) === true;
  const cut = session.cut ?? (more ? `only the first ${MOST_CANDIDATES} rows were judged` : undefined);
  return {
    table: table.name,
    command,
    kind,
    role: as.role,
    access,
    policies: applied.map(({ name, permissive, command, roles }) => ({ name, permissive, command, roles })),
    ignored,
    key: ("where" in selection ? selection.where.named : undefined) ?? table.key,
    candidates: candidates.length,
    passed: candidates.filter(passes).map(({ row }) => row),
    cut,
    groups,
  };
}

/** Permissive policies are joined by OR, and none means false; restrictive ones by AND. */
function conditionOf(applied: readonly Policy[], { kind }: Rule, parts: Map<Leaf, Part>): Expression {
  const of = (permissive: boolean) =>
    applied.flatMap((policy) => {
      if (policy.permissive !== permissive) return [];
      // A policy without a check is checked by its using.
      const own = kind === "check" && policy.check ? "check" : "using";
      const expression = policy[own];
      if (!expression) return [];
      for (const leaf of leavesOf(expression)) parts.set(leaf, partOf(policy, own, leaf.path, leaf.text));
      return [expression];
    });
  return { kind: "and", members: [{ kind: "or", members: of(true) }, ...of(false)] };
}

interface Candidate {
  row: string;
  key: string;
}

/** Reads rows with row security bypassed. Columns that no policy reads are left out, because they may be large. */
async function readCandidates(
  session: Session,
  as: RunAs,
  table: Table,
  where: Where,
  whole: boolean,
): Promise<Candidate[]> {
  const alias = quote(where.alias);
  const columns = table.columns.map(({ name, read, domain }) =>
    whole || read || domain || table.key.includes(name) ? `${alias}.${quote(name)}` : "null",
  );
  const key = (where.named ?? table.key).map((name) => `${alias}.${quote(name)}::text`);
  const text = `select row(${columns.join(", ")})::${quoteName(table.name)}::text as row,
      array[${key.join(", ")}]::text[] as key
    from ${quoteName(table.name)} as ${alias}
    where ${where.text === "" ? "true" : where.text} limit ${MOST_CANDIDATES + 1}`;
  const found = await session.read<{ row: string; key: (string | null)[] }>(
    text,
    where.values,
    as,
    table.name,
  );
  return found.map(({ row, key }) => ({ row, key: keyToText(key) }));
}

interface LeafVerdict {
  verdict: Verdict;
  error?: string;
  /** Whether an own limit ended judging it. */
  cut?: boolean;
}

/** The verdicts of leaves, for each row. A leaf that raises is judged alone, then for each row alone. */
async function verdictsOf(
  session: Session,
  as: RunAs,
  table: Table,
  leaves: readonly Leaf[],
  candidates: readonly Candidate[],
): Promise<Map<Leaf, LeafVerdict>[]> {
  const result = candidates.map(() => new Map<Leaf, LeafVerdict>());
  if (leaves.length === 0 || candidates.length === 0) return result;
  const judge = async (some: readonly Leaf[], first: number, count: number): Promise<void> => {
    const rows = arrayLiteral(candidates.slice(first, first + count).map(({ row }) => row));
    try {
      const found = await session.evaluate(judgeText(table.name, some), as, rows);
      for (const [at, row] of found.entries()) {
        for (const [position, leaf] of some.entries()) {
          const value = row[position] ?? null;
          result[first + at]?.set(leaf, { verdict: value === null ? null : value === "true" });
        }
      }
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      const cut = session.limitOf(error) !== undefined;
      if (some.length > 1) for (const leaf of some) await judge([leaf], first, count);
      else if (!cut && count > 1 && count <= MOST_SINGLE_ROWS) {
        for (let at = first; at < first + count; at++) await judge(some, at, 1);
      } else {
        const failed: LeafVerdict = { verdict: null, ...(cut ? { cut } : { error: messageOf(error) }) };
        for (const row of result.slice(first, first + count)) for (const leaf of some) row.set(leaf, failed);
      }
    }
  };
  await judge(leaves, 0, candidates.length);
  return result;
}

function judgeText(table: QualifiedName, leaves: readonly Leaf[]): string {
  const values = leaves.map(({ text }) => `((${text})::pg_catalog.bool)::pg_catalog.text`);
  return `select array[${values.join(", ")}] from ${rowsAs(table)}`;
}

/** FROM for conditions over rows of a table that are given as `$1`. */
export function rowsAs(table: QualifiedName): string {
  return `pg_catalog.unnest($1::${quoteName(table)}[]) as ${quote(table.name)}`;
}

function grouped(
  condition: Expression,
  parts: ReadonlyMap<Leaf, Part>,
  candidates: readonly Candidate[],
  verdicts: readonly ReadonlyMap<Leaf, LeafVerdict>[],
  keys: number,
): Group[] {
  const leaves = leavesOf(condition);
  const groups = new Map<string, Group>();
  for (const [at, { row, key }] of candidates.entries()) {
    const own = verdicts[at] ?? new Map<Leaf, LeafVerdict>();
    if (isOpen(condition, own)) continue;
    const found = leaves.map((leaf) => own.get(leaf) ?? { verdict: null, error: "not judged" });
    const id = JSON.stringify(found);
    const group = groups.get(id);
    if (group) {
      group.count += 1;
      group.last = { row, key };
      if (group.keys.length < keys && key !== "") group.keys.push(key);
      continue;
    }
    const verdict = (leaf: Leaf) => own.get(leaf)?.verdict ?? null;
    const visible = verdictOf(condition, verdict) === true;
    // Where one part is not met and another fails, the request fails.
    const raising = (flips: readonly Flip<Leaf>[]) =>
      Number(flips.some(({ leaf }) => own.get(leaf)?.error !== undefined));
    const [reason, ...alternatives] = flipsFor(condition, visible ? "not true" : "true", verdict)
      .sort(
        (one, other) =>
          one.length - other.length || raising(other) - raising(one) || asking(other) - asking(one),
      )
      .map((flips) => flips.map(({ leaf, wanted }) => ({ leaf: known(parts, leaf), wanted })));
    groups.set(id, {
      count: 1,
      keys: key === "" ? [] : [key],
      visible,
      parts: leaves.map((leaf, position) => ({
        part: known(parts, leaf),
        ...(found[position] ?? { verdict: null }),
      })),
      reason: reason ?? [],
      alternatives,
      sample: row,
    });
  }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}

/** Whether parts that were not judged decide about a row. */
function isOpen(condition: Expression, verdicts: ReadonlyMap<Leaf, LeafVerdict>): boolean {
  // Each leaf stands in the condition once, so the leaves that were not judged do not depend on each other.
  const where = (best: boolean) =>
    verdictOf(condition, (leaf, positive) => {
      const { cut, verdict = null } = verdicts.get(leaf) ?? {};
      return cut ? best === positive : verdict;
    });
  return where(true) === true && where(false) !== true;
}

/** How many of the parts ask for other rows. */
function asking(flips: readonly Flip<Leaf>[]): number {
  return flips.filter(({ leaf }) => asks(leaf.text)).length;
}

function asks(text: string): boolean {
  const inner = peeled(text);
  return inner ? asks(inner.text) : questionOf(text) !== undefined;
}

function known(parts: ReadonlyMap<Leaf, Part>, leaf: Leaf): Part {
  const part = parts.get(leaf);
  if (!part) throw new ExplainError(`A part is missing: ${leaf.text}`);
  return part;
}
