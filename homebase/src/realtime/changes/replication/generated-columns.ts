/**
 * Owns stored generated columns, which Postgres 17 omits from the log: their values are read from the table
 * when the change is processed, so they are those of the newest row.
 */

import type pg from "pg";
import { quote } from "../../../postgres/quoting.ts";
import type { RowChange } from "../subscribers-view.ts";
import { waitForTransactions } from "../visibility.ts";
import type { Relation } from "./relation.ts";

/** Adds the generated values of inserted and updated rows; for a deleted row they stay absent. */
export async function readGenerated(client: pg.ClientBase, changes: readonly RowChange[]): Promise<void> {
  const byRelation = new Map<Relation, RowChange[]>();
  for (const change of changes) {
    const { relation } = change;
    if (!change.next || relation.primaryKey.length === 0 || !hasGenerated(relation)) continue;
    const list = byRelation.get(relation) ?? [];
    byRelation.set(relation, list);
    list.push(change);
  }
  if (byRelation.size === 0) return;
  await waitForTransactions(client, changes);
  await Promise.all([...byRelation].map(([relation, list]) => readOf(client, relation, list)));
}

async function readOf(client: pg.ClientBase, relation: Relation, changes: RowChange[]): Promise<void> {
  const generated = relation.columns.flatMap((column, index) =>
    column.position < 0 ? [{ column, index }] : [],
  );
  const keys = relation.primaryKey.map((index) => relation.columns[index]);
  const names = keys.map((_, index) => `k${index}`);
  const { rows } = await client
    .query<(string | null)[]>({
      text: `select q.i::text, ${generated.map(({ column }) => `t.${quote(column.name)}::text`).join(", ")}
        from unnest(${names.map((_, index) => `$${index + 1}::text[]`).join(", ")})
          with ordinality as q(${[...names, "i"].join(", ")})
        join ${relation.sql} t on ${keys
          .map((column, index) => `t.${quote(column?.name ?? "")} = q.k${index}::${column?.type.sql}`)
          .join(" and ")}`,
      values: relation.primaryKey.map((index) => changes.map(({ next }) => next?.[index] ?? null)),
      rowMode: "array",
    })
    // The table was altered or dropped meanwhile: its changes are sent without these columns.
    .catch(() => ({ rows: [] as (string | null)[][] }));
  for (const [number, ...values] of rows) {
    const change = changes[Number(number) - 1];
    generated.forEach(({ index }, at) => {
      if (change?.next) change.next[index] = values[at] ?? null;
    });
  }
}

function hasGenerated(relation: Relation): boolean {
  return relation.columns.some((column) => column.position < 0);
}
