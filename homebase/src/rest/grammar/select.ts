/**
 * Owns the grammar of `select`: columns, casts, aggregates, embedded and spread relations
 * (PostgREST documentation, "Vertical Filtering", "Resource Embedding", "Aggregate Functions").
 */
import { readCast, readField, readName } from "./name.ts";
import type { Scanner } from "./scanner.ts";
import type { Aggregate, FieldItem, JoinType, RelationItem, SelectItem } from "./syntax.ts";

/** A comma list of items; an empty text is an empty list. */
export function readSelect(scanner: Scanner): SelectItem[] {
  const items = scanner.option(() =>
    scanner.separated(
      () => readItem(scanner),
      () => scanner.lexeme(() => scanner.expect(",")),
    ),
  );
  return items ?? [];
}

// Fast path for the two most frequent kinds of items; neither can be the cause of a later error.
const PLAIN_COLUMN = /(?:([A-Za-z0-9_]+):)?([A-Za-z0-9_]+)(?:::([A-Za-z0-9_]+))?(?=[,)]|$)/y;
const PLAIN_STAR = /\*(?=[,)]|$)/y;

function readItem(scanner: Scanner): SelectItem {
  if (scanner.shortcut(PLAIN_STAR)) return { kind: "star" };
  const plain = scanner.shortcut(PLAIN_COLUMN);
  if (plain) return plainColumn(plain);
  const spread = scanner.attempt(() => scanner.lexeme(() => readSpread(scanner)));
  if (spread) return withSelect(scanner, spread);
  const relation = scanner.attempt(() => scanner.lexeme(() => readRelation(scanner)));
  if (relation) return withSelect(scanner, relation);
  return scanner.lexeme(() => readColumn(scanner));
}

function plainColumn([, alias, name = "", cast]: RegExpExecArray): FieldItem {
  const item: FieldItem = { kind: "field", field: { name, path: [] } };
  if (alias !== undefined) item.alias = alias;
  if (cast !== undefined) item.cast = cast;
  return item;
}

function withSelect(scanner: Scanner, head: RelationItem): RelationItem {
  scanner.expect("(");
  head.select = scanner.nested(() => readSelect(scanner));
  scanner.expect(")");
  return head;
}

function readSpread(scanner: Scanner): RelationItem {
  scanner.expectWord("...");
  const name = readName(scanner);
  return relation(scanner, { kind: "relation", name, spread: true, select: [] });
}

function readRelation(scanner: Scanner): RelationItem {
  const alias = readAlias(scanner);
  const name = readName(scanner);
  // `count()` is the aggregate: a relation with that name cannot be embedded.
  if (name === "count") scanner.fail();
  const item: RelationItem = { kind: "relation", name, spread: false, select: [] };
  if (alias !== undefined) item.alias = alias;
  return relation(scanner, item);
}

/** Hint and join type, in either order, and the bracket that distinguishes a relation from a column. */
function relation(scanner: Scanner, item: RelationItem): RelationItem {
  for (let count = 0; count < 2; count++) {
    const modifier = scanner.option(() => readModifier(scanner));
    if (modifier?.join !== undefined) item.join ??= modifier.join;
    if (modifier?.hint !== undefined) item.hint ??= modifier.hint;
  }
  if (!scanner.sees("(")) scanner.fail();
  return item;
}

function readModifier(scanner: Scanner): { hint?: string; join?: JoinType } {
  scanner.expect("!");
  if (scanner.takeWord("left")) return { join: "left" };
  if (scanner.takeWord("inner")) return { join: "inner" };
  const hint = scanner.attempt(() => readName(scanner));
  return hint === undefined ? scanner.fail() : { hint };
}

function readAlias(scanner: Scanner): string | undefined {
  return scanner.attempt(() => {
    const alias = readName(scanner);
    scanner.expect(":");
    scanner.refuse((character) => character === ":", ['":"']);
    return alias;
  });
}

function readColumn(scanner: Scanner): SelectItem {
  const star = scanner.attempt(() => {
    scanner.expectWord("*");
    expectEndOfItem(scanner);
    return true;
  });
  if (star) return { kind: "star" };
  const count = scanner.attempt(() => {
    const alias = readAlias(scanner);
    scanner.expectWord("count()");
    const cast = readCast(scanner);
    expectEndOfItem(scanner);
    return fieldItem({ alias, aggregate: "count", aggregateCast: cast });
  });
  if (count) return count;
  const alias = readAlias(scanner);
  const field = readField(scanner);
  const cast = readCast(scanner);
  const aggregate = scanner.attempt(() => readAggregate(scanner));
  const aggregateCast = readCast(scanner);
  expectEndOfItem(scanner);
  // Without an aggregate there is nothing for a second cast to apply to.
  return fieldItem({
    field,
    alias,
    cast,
    aggregate,
    aggregateCast: aggregate === undefined ? undefined : aggregateCast,
  });
}

function fieldItem(parts: { [Key in keyof Omit<FieldItem, "kind">]: FieldItem[Key] | undefined }): FieldItem {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return { kind: "field", ...Object.fromEntries(given) };
}

function readAggregate(scanner: Scanner): Aggregate {
  scanner.expect(".");
  const name = readAggregateName(scanner);
  scanner.expectWord("()");
  return name;
}

function readAggregateName(scanner: Scanner): Aggregate {
  for (const name of ["sum", "avg", "count"] as const) {
    if (scanner.option(() => expectWhole(scanner, name))) return name;
  }
  for (const name of ["max", "min"] as const) if (scanner.takeWord(name)) return name;
  return scanner.fail();
}

function expectWhole(scanner: Scanner, word: string): true {
  scanner.expectWord(word);
  return true;
}

function expectEndOfItem(scanner: Scanner): void {
  if (!scanner.sees(")") && !scanner.sees(",") && !scanner.seesEnd()) scanner.fail();
}
