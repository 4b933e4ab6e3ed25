/**
 * Owns what the columns of a result are called (docs/compat/rest.md 4, "Result name").
 */
import type { FieldItem } from "../grammar/syntax.ts";

/** The name that SQL must give; undefined where Postgres's own choice is the right one. */
export function outputName(item: FieldItem): string | undefined {
  if (item.alias !== undefined) return item.alias;
  if (item.aggregate !== undefined) return item.aggregate;
  const path = item.field?.path ?? [];
  return path.length === 0 ? undefined : (path.findLast((step) => !step.index)?.key ?? item.field?.name);
}
