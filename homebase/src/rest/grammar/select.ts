/**
 * Owns the grammar of `select`: columns, casts, aggregates, embedded and spread relations
 * (PostgREST documentation, "Vertical Filtering", "Resource Embedding", "Aggregate Functions").
 */
import { readCast, readField, readName } from "./name.ts";
import type { Scanner } from "./scanner.ts";
import {
  AGGREGATES,
  type Aggregate,
  type FieldItem,
  type JoinType,
  type RelationItem,
  type SelectItem,
} from "./syntax.ts";

/** A comma list of items; nothing at all is an empty list. */
export function readSelect(scanner: Scanner): SelectItem[] {
  scanner.skipBlanks();
  if (scanner.done || scanner.startsWith(")")) return [];
  const items: SelectItem[] = [];
  do {
    scanner.skipBlanks();
    items.push(readItem(scanner));
    scanner.skipBlanks();
  } while (scanner.take(","));
  return items;
}

function readItem(scanner: Scanner): SelectItem {
  if (scanner.take("*")) return { kind: "star" };
  if (scanner.take("...")) {
    return readRelation(scanner, undefined, true) ?? scanner.fail('"("');
  }
  const alias = scanner.attempt(() => readAlias(scanner));
  return readRelation(scanner, alias, false) ?? readColumn(scanner, alias);
}

function readAlias(scanner: Scanner): string {
  const alias = readName(scanner);
  if (scanner.startsWith("::")) scanner.fail('":"');
  scanner.expect(":");
  scanner.skipBlanks();
  return alias;
}

function readRelation(
  scanner: Scanner,
  alias: string | undefined,
  spread: boolean,
): RelationItem | undefined {
  const head = scanner.attempt(() => {
    const name = readName(scanner);
    const modifiers: { hint?: string; join?: JoinType } = {};
    for (let count = 0; count < 2 && scanner.take("!"); count++) readModifier(scanner, modifiers);
    // `count()` is the aggregate: a relation of that name cannot be embedded.
    if (name === "count" && scanner.startsWith("()")) scanner.fail("");
    scanner.expect("(");
    return { name, ...modifiers };
  });
  if (!head) return undefined;
  const select = readSelect(scanner);
  scanner.expect(")");
  return { kind: "relation", ...head, ...(alias === undefined ? {} : { alias }), spread, select };
}

function readModifier(scanner: Scanner, into: { hint?: string; join?: JoinType }): void {
  if (into.join === undefined) {
    if (scanner.take("inner")) {
      into.join = "inner";
      return;
    }
    if (scanner.take("left")) {
      into.join = "left";
      return;
    }
  }
  into.hint = readName(scanner);
}

function readColumn(scanner: Scanner, alias: string | undefined): FieldItem {
  const item: FieldItem = { kind: "field" };
  if (alias !== undefined) item.alias = alias;
  if (scanner.take("count()")) {
    item.aggregate = "count";
    const cast = readCast(scanner);
    if (cast !== undefined) item.aggregateCast = cast;
    return item;
  }
  item.field = readField(scanner);
  const cast = readCast(scanner);
  if (cast !== undefined) item.cast = cast;
  if (scanner.take(".")) {
    item.aggregate = readAggregate(scanner);
    const aggregateCast = readCast(scanner);
    if (aggregateCast !== undefined) item.aggregateCast = aggregateCast;
  }
  return item;
}

function readAggregate(scanner: Scanner): Aggregate {
  for (const name of AGGREGATES) if (scanner.take(`${name}()`)) return name;
  return scanner.fail("aggregate function (avg(), count(), max(), min(), sum())");
}
