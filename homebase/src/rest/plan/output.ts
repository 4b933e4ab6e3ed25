/** Owns the names of a result's columns (docs/compat/rest.md 4, "Result name"). */
import type { FieldItem } from "../grammar/syntax.ts";

/** The alias to write in SQL; undefined when Postgres's default is correct. */
export function outputName(item: FieldItem): string | undefined {
  if (item.alias !== undefined) return item.alias;
  if (item.aggregate !== undefined) return item.aggregate;
  const path = item.field?.path ?? [];
  return path.length === 0 ? undefined : (path.findLast((step) => !step.index)?.key ?? item.field?.name);
}
