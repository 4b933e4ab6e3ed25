/**
 * Owns the order of columns in what pg-delta plans: the plan gets each new table's columns in their order, and the result
 * is compared. pg-delta's own proof compares columns by name only.
 */
import type { DependencyEdge, Fact, FactBase, StableId } from "@supabase/pg-delta";
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";

type Delta = Pick<typeof import("@supabase/pg-delta"), "FactBase" | "encodeId">;

/**
 * The wanted objects, with dependencies by which pg-delta writes a new table's columns in their order: a table comes after
 * the objects that its columns need, a column after the one before it, and a generated column is part of CREATE TABLE.
 * A default that needs its own table is left out; the next plan adds it.
 */
export function withColumnOrder({ FactBase, encodeId }: Delta, before: FactBase, after: FactBase): FactBase {
  const edges = new Map<string, StableId[]>();
  for (const { from, to } of after.edges) {
    const key = encodeId(from);
    edges.set(key, [...(edges.get(key) ?? []), to]);
  }
  const replaced = new Map<string, Fact | undefined>();
  const added: DependencyEdge[] = [];
  const dropped = new Set<string>();
  const add = (from: StableId, to: StableId) => {
    added.push({ from, to, kind: "depends" });
    const key = encodeId(from);
    edges.set(key, [...(edges.get(key) ?? []), to]);
  };
  const needs = (id: StableId) => edges.get(encodeId(id)) ?? [];
  /** Whether something needs the table, or a part of it, however indirectly. */
  const reaches = (start: StableId, table: Fact): boolean => {
    const goal = encodeId(table.id);
    const seen = new Set<string>();
    const todo = [start];
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      const key = encodeId(id);
      if (key === goal) return true;
      if (seen.has(key)) continue;
      seen.add(key);
      const parent = after.get(id)?.parent;
      todo.push(...needs(id), ...(parent ? [parent] : []));
    }
    return false;
  };
  for (const table of after.facts()) {
    if (!["table", "foreignTable"].includes(table.id.kind) || before.has(table.id)) continue;
    const own = encodeId(table.id);
    const whole = table.id.kind === "table" && !table.payload.parentTable && !table.payload.partitionKey;
    const columns = after
      .childrenOf(table.id)
      .filter(({ id }) => id.kind === "column")
      .sort((a, b) => Number(a.payload._position) - Number(b.payload._position));
    for (const [at, column] of columns.entries()) {
      const inside = (id: StableId) => encodeId(after.get(id)?.parent ?? id) === own || encodeId(id) === own;
      if (whole) {
        const fallback = after.childrenOf(column.id).find(({ id }) => id.kind === "default");
        const reasons = needs(column.id).filter((id) => !inside(id));
        for (const id of reasons) if (!reaches(id, table)) add(table.id, id);
        if (fallback) {
          const needed = needs(fallback.id).filter((id) => !inside(id));
          if (needed.some((id) => reaches(id, table))) replaced.set(encodeId(fallback.id), undefined);
          else for (const id of needed) add(table.id, id);
        }
        const { type, collation, generatedExpr } = column.payload;
        if (generatedExpr !== null) {
          const sort = collation === null ? "" : ` COLLATE ${collation}`;
          const payload = {
            ...column.payload,
            type: `${type}${sort} GENERATED ALWAYS AS (${generatedExpr}) STORED`,
            collation: null,
            generatedExpr: null,
          };
          replaced.set(encodeId(column.id), { ...column, payload });
          dropped.add(encodeId(column.id));
          const outside = needs(column.id).filter((id) => id.kind !== "column" || !inside(id));
          edges.set(encodeId(column.id), outside);
        }
      }
      const previous = columns[at - 1];
      // A generated column of a foreign table may need a later one, which then comes first.
      if (previous && !reaches(previous.id, column)) add(column.id, previous.id);
    }
  }
  const isDropped = ({ from, to }: DependencyEdge) =>
    dropped.has(encodeId(from)) &&
    to.kind === "column" &&
    encodeId(after.get(to)?.parent ?? to) === encodeId(after.get(from)?.parent ?? from);
  const facts = after.facts().flatMap((fact) => {
    const key = encodeId(fact.id);
    if (!replaced.has(key)) return [fact];
    const other = replaced.get(key);
    return other ? [other] : [];
  });
  const made = new FactBase(
    facts,
    [...after.edges.filter((edge) => !isDropped(edge)), ...added],
    after.source,
    after.referenceOnly,
    { allowDangling: (edge) => edge.kind === "owner" },
  );
  made.diagnostics.push(...after.diagnostics);
  return made;
}

/** The columns of a database's tables and composite types, by quoted name. */
export type Columns = ReadonlyMap<string, readonly string[]>;

/** Reads the order of columns; the platform's own schemas are the same everywhere and cost nothing to compare. */
export async function readColumns(client: pg.ClientBase): Promise<Columns> {
  const { rows } = await client.query<{ schema: string; name: string; columns: string[] }>(
    `select n.nspname as schema, c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p', 'f', 'c') and c.relpersistence <> 't' and n.nspname !~ '^(pg_|information_schema$)'
     group by n.nspname, c.relname order by n.nspname, c.relname`,
  );
  return new Map(rows.map(({ columns, ...name }) => [quoteName(name), columns]));
}

export interface OrderDifferences {
  /** Of tables that the statements create. */
  created: string[];
  /** Of tables that were there: Postgres adds a column last. */
  altered: string[];
}

/** Where two databases have the same columns in another order, as a sentence for each table. */
export function compareOrder(earlier: Columns, made: Columns, wanted: Columns): OrderDifferences {
  const differences: OrderDifferences = { created: [], altered: [] };
  for (const [name, columns] of made) {
    const other = wanted.get(name);
    if (!other || columns.join("\0") === other.join("\0")) continue;
    if ([...columns].sort().join("\0") !== [...other].sort().join("\0")) continue;
    const list = (names: readonly string[]) => names.map(quote).join(", ");
    const kind = earlier.has(name) ? differences.altered : differences.created;
    kind.push(`${name} has its columns in another order: (${list(columns)}) instead of (${list(other)})`);
  }
  return differences;
}
