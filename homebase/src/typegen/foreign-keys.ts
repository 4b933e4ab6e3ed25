/** Owns foreign keys as a type file lists them: of tables, and of views that show all columns of one end. */
import type { ForeignKeyFact, RelationFact, TypeCatalog } from "./typed-objects.ts";

export interface RelationshipFact {
  name: string;
  columns: string[];
  oneToOne: boolean;
  target: string;
  targetColumns: string[];
}

/** A relation that shows columns of a table, by the table's attribute numbers. */
interface Appearance {
  relation: RelationFact;
  names: Map<number, string>;
}

/** The relationships of each relation, by oid, within its schema. */
export function findRelationships(catalog: TypeCatalog): Map<string, RelationshipFact[]> {
  const appearances = new Map<string, Appearance[]>();
  const add = (table: string, appearance: Appearance) =>
    appearances.set(table, [...(appearances.get(table) ?? []), appearance]);
  for (const relation of catalog.relations) {
    const perTable = new Map<string, Map<number, string>>();
    for (const { name, attribute } of relation.columns) {
      const origin = originOf(catalog, relation.oid, attribute);
      if (!origin) continue;
      const names = perTable.get(origin.relation) ?? new Map<number, string>();
      if (!names.has(origin.attribute)) names.set(origin.attribute, name);
      perTable.set(origin.relation, names);
    }
    for (const [table, names] of perTable) add(table, { relation, names });
  }
  const found = new Map<string, RelationshipFact[]>();
  const shown = (table: string, attributes: readonly number[]) =>
    (appearances.get(table) ?? []).filter(({ names }) => attributes.every((one) => names.has(one)));
  for (const key of catalog.keys) {
    for (const holder of shown(key.relation, key.columns)) {
      const list = shown(key.target, key.targetColumns)
        .filter(({ relation }) => relation.schema === holder.relation.schema)
        .map((target) => relationship(key, holder, target));
      found.set(holder.relation.oid, [...(found.get(holder.relation.oid) ?? []), ...list]);
    }
  }
  for (const list of found.values()) {
    list.sort(
      (left, right) => left.name.localeCompare(right.name) || left.target.localeCompare(right.target),
    );
  }
  return found;
}

function relationship(key: ForeignKeyFact, holder: Appearance, target: Appearance): RelationshipFact {
  return {
    name: key.name,
    columns: key.columns.map((one) => holder.names.get(one) ?? ""),
    oneToOne: key.unique,
    target: target.relation.name,
    targetColumns: key.targetColumns.map((one) => target.names.get(one) ?? ""),
  };
}

/** The table's column that a column is or shows; undefined for an expression. */
export function originOf(
  { views }: TypeCatalog,
  relation: string,
  attribute: number,
): { relation: string; attribute: number; optional: boolean } | undefined {
  let place = { relation, attribute, optional: false };
  for (let inner = views.get(place.relation); inner; inner = views.get(place.relation)) {
    const column = inner.find(({ position }) => position === place.attribute);
    if (!column) return undefined;
    place = {
      relation: column.relation,
      attribute: column.attribute,
      optional: place.optional || column.optional,
    };
  }
  return place;
}
