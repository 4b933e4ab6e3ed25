/** Owns staged changes: they are values, and each function returns new ones. */
import type { Change, TableName, Values } from "../../server/api.ts";

/** The staged change of a row. */
export function changeOf(
  changes: readonly Change[],
  { schema, name }: TableName,
  key: readonly string[],
): Change | undefined {
  return changes.find(
    (change) =>
      change.kind !== "insert" &&
      change.table.schema === schema &&
      change.table.name === name &&
      key.every((one, at) => change.key[at] === one),
  );
}

/** Stages another value; one that the row had before leaves no change. */
export function withValue(
  changes: readonly Change[],
  {
    table,
    key,
    column,
    value,
    was,
  }: Pick<Change, "table"> & { key: string[]; column: string; value: string | null; was: string | null },
): Change[] {
  const before = changeOf(changes, table, key);
  if (before?.kind === "delete") return [...changes];
  const values: Values = { ...(before?.kind === "update" ? before.values : {}) };
  const old: Values = { ...(before?.kind === "update" ? before.was : {}) };
  if (value === was) {
    delete values[column];
    delete old[column];
  } else {
    values[column] = value;
    old[column] = was;
  }
  const others = changes.filter((change) => change !== before);
  if (Object.keys(values).length === 0) return others;
  return [...others, { kind: "update", table, key, values, was: old }];
}

/** Stages the removal of a row, or takes it back. */
export function withDeleted(changes: readonly Change[], table: Change["table"], key: string[]): Change[] {
  const before = changeOf(changes, table, key);
  const others = changes.filter((change) => change !== before);
  return before?.kind === "delete" ? others : [...others, { kind: "delete", table, key }];
}
