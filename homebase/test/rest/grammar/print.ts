/** Prints parsed queries, for tests: the printed text must parse to the same query. */
import type { Field, LogicTree, Operation, OrderTerm, SelectItem } from "../../../src/rest/grammar/syntax.ts";

const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

export function printField({ name, path }: Field): string {
  return quoted(name) + path.map(({ arrow, key, index }) => arrow + (index ? key : quoted(key))).join("");
}

export function printSelect(items: readonly SelectItem[]): string {
  return items.map(printItem).join(",");
}

function printItem(item: SelectItem): string {
  if (item.kind === "star") return "*";
  const alias = item.alias === undefined ? "" : `${quoted(item.alias)}:`;
  if (item.kind === "relation") {
    const hint = item.hint === undefined ? "" : `!${quoted(item.hint)}`;
    const join = item.join === undefined ? "" : `!${item.join}`;
    return `${item.spread ? "..." : alias}${quoted(item.name)}${hint}${join}(${printSelect(item.select)})`;
  }
  const cast = item.cast === undefined ? "" : `::${item.cast}`;
  const aggregateCast = item.aggregateCast === undefined ? "" : `::${item.aggregateCast}`;
  if (!item.field) return `${alias}count()${aggregateCast}`;
  const aggregate = item.aggregate === undefined ? "" : `.${item.aggregate}()${aggregateCast}`;
  return alias + printField(item.field) + cast + aggregate;
}

export function printLogic(tree: LogicTree): string {
  if (tree.kind === "group") {
    return `${tree.negated ? "not." : ""}${tree.operator}(${tree.members.map(printLogic).join(",")})`;
  }
  return `${printField(tree.field)}.${tree.negated ? "not." : ""}${printOperation(tree.operation)}`;
}

function printOperation(operation: Operation): string {
  switch (operation.kind) {
    case "compare":
      return `${operation.operator}${operation.quantifier ? `(${operation.quantifier})` : ""}.${quoted(operation.value)}`;
    case "plain":
      return `${operation.operator}.${quoted(operation.value)}`;
    case "in":
      return `in.(${operation.values.map(quoted).join(",")})`;
    case "is":
      return `is.${operation.value}`;
    case "distinct":
      return `isdistinct.${quoted(operation.value)}`;
    case "search":
      return `${operation.operator}${operation.language === undefined ? "" : `(${operation.language})`}.${quoted(operation.value)}`;
  }
}

export function printOrder(terms: readonly OrderTerm[]): string {
  return terms
    .map(({ field, relation, direction, nulls }) => {
      const column = relation === undefined ? printField(field) : `${quoted(relation)}(${printField(field)})`;
      return `${column}${direction ? `.${direction}` : ""}${nulls ? `.nulls${nulls}` : ""}`;
    })
    .join(",");
}
