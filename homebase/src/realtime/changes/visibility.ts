/**
 * Owns who may see a changed row: Postgres evaluates row security, once for each group of subscribers with
 * equal role and claims, for all rows of a batch in one statement (docs/compat/realtime.md 14 and 18).
 */

import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../../core/log.ts";
import { quote } from "../../postgres/quoting.ts";
import type { Group } from "./audience.ts";
import type { Relation } from "./replication/relation.ts";
import { isStatementError } from "./statement-error.ts";
import type { RowChange } from "./subscribers-view.ts";

/** A row to check for a group. */
export interface VisibilityQuery {
  group: Group;
  change: RowChange;
}

const TIMEOUT_MS = 10_000;
/** Postgres's code for a named statement that it does not have. */
const UNKNOWN_NAME = "26000";

/**
 * Resolves when the transactions are visible to all sessions. A commit is in the log slightly before other
 * sessions see its rows; a check in between would not find them.
 */
export async function waitForTransactions(
  client: pg.ClientBase,
  transactions: Iterable<{ readonly xid: number }>,
): Promise<void> {
  const xids = numbersOf(transactions);
  while (xids.length > 0 && !(await haveEnded(client, xids))) await pause(1);
}

function numbersOf(transactions: Iterable<{ readonly xid: number }>): number[] {
  return [...new Set([...transactions].map(({ xid }) => xid))];
}

async function haveEnded(client: pg.ClientBase, xids: readonly number[]): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>({ ...ENDED, values: [xids] });
  return rows[0]?.ended ?? true;
}

/** The log has the lower 32 bits of a transaction id; the upper 32 are the current ones, or one less. */
const ENDED = {
  name: "transactions ended",
  text: `with present as (select s, pg_snapshot_xmax(s)::text::bigint as xmax from pg_current_snapshot() s),
    numbered as (select s, xmax, (xmax >> 32 << 32) + low as number from present, unnest($1::bigint[]) low)
    select bool_and(pg_visible_in_snapshot(
      (case when number > xmax + 2147483648 then number - 4294967296 else number end)::text::xid8, s)) as ended
    from numbered`,
};

/**
 * The checks that succeeded. A policy that raises an error denies access only for its group.
 * @param transactions all transactions to be delivered: each is waited for, even without a check, so that a
 * client that rereads a table because of an event sees the event's change.
 */
export async function visibleRows(
  client: pg.ClientBase,
  questions: readonly VisibilityQuery[],
  transactions: Iterable<{ readonly xid: number }>,
  log: Log,
): Promise<ReadonlySet<VisibilityQuery>> {
  const byGroup = new Map<Group, Map<Relation, VisibilityQuery[]>>();
  for (const question of questions) {
    const relations = byGroup.get(question.group) ?? new Map<Relation, VisibilityQuery[]>();
    byGroup.set(question.group, relations);
    const list = relations.get(question.change.relation) ?? [];
    relations.set(question.change.relation, list);
    list.push(question);
  }
  const xids = numbersOf(transactions);
  if (xids.length === 0) return new Set();
  for (;;) {
    const visible = new Set<VisibilityQuery>();
    // The results are valid if all transactions were visible when the checks began; both statements are sent
    // together.
    const ended = haveEnded(client, xids);
    const asked: Promise<unknown>[] = [ended];
    for (const relations of byGroup.values()) {
      for (const [relation, list] of relations) asked.push(ask(client, relation, list, visible, log));
    }
    await Promise.all(asked);
    if (await ended) return visible;
    await pause(1);
  }
}

/**
 * Both statements have names, so that Postgres parses and plans them once for each table and role: that is half of the
 * time of a check.
 * @param named false to parse the check anew.
 */
async function ask(
  client: pg.ClientBase,
  relation: Relation,
  questions: VisibilityQuery[],
  visible: Set<VisibilityQuery>,
  log: Log,
  named = true,
): Promise<void> {
  const group = questions[0]?.group;
  // Rows of a dropped table are not visible.
  if (!group || relation.sql === "") return;
  const keys = relation.primaryKey.map((index) => relation.columns[index]);
  const names = keys.map((_, index) => `k${index}`);
  const conditions = keys.map(
    (column, index) => `t.${quote(column?.name ?? "")} = q.k${index}::${column?.type.sql}`,
  );
  // "offset 0" keeps the lookup by key: for a join the planner may read the whole table for a few rows.
  const text = `select q.i::int as i from unnest(${names.map((_, index) => `$${index + 1}::text[]`).join(", ")})
    with ordinality as q(${[...names, "i"].join(", ")})
    where exists (select 1 from ${relation.sql} t where ${conditions.join(" and ")} offset 0)`;
  const values = relation.primaryKey.map((index) =>
    questions.map(({ change }) => change.next?.[index] ?? null),
  );
  // One round trip: each group has its own transaction, so that a failure affects only that group.
  const [, , answer] = await Promise.allSettled([
    client.query("begin read only"),
    client.query({ ...SETTINGS, values: [group.role, group.claims, String(TIMEOUT_MS)] }),
    client.query<{ i: number }>({ text, values, ...(named ? { name: nameOf(text, group.role) } : {}) }),
    client.query("rollback"),
  ]);
  if (answer?.status === "fulfilled") {
    for (const { i } of answer.value.rows) {
      const question = questions[i - 1];
      if (question) visible.add(question);
    }
    return;
  }
  const error: unknown = (answer as PromiseRejectedResult | undefined)?.reason;
  // Of several groups that were asked together the first parses for all: it has failed, and the others may not.
  if (named && (error as { code?: string }).code === UNKNOWN_NAME)
    return ask(client, relation, questions, visible, log, false);
  if (!isStatementError(error)) throw error;
  log.error(
    `A policy on ${relation.schema}.${relation.table} failed: its changes are not delivered to ${group.role}.`,
    { error: String(error) },
  );
}

const SETTINGS = {
  name: "visibility settings",
  text: "select set_config('statement_timeout', $3, true), set_config('request.jwt.claims', $2, true), set_config('role', $1, true)",
};

/** By role too: the policies in a plan are those of the role that it was made for. */
function nameOf(text: string, role: string): string {
  return `visible ${createHash("sha1").update(`${role}\0${text}`).digest("base64url")}`;
}
