/**
 * Owns the detection of relationships: foreign keys, their mirror images on views, junctions, and
 * functions of a row (PostgREST documentation, "Resource Embedding"; docs/compat/rest.md 5.2).
 */
import type { Catalog, CatalogKey, CatalogRelation } from "./catalog-query.ts";
import {
  type ComputedRelationship,
  hiddenKey,
  type KeyRelationship,
  nameKey,
  type QualifiedName,
  type Relationship,
} from "./schema-cache.ts";
import { viewColumns } from "./view-columns.ts";

type ColumnPairs = readonly (readonly [origin: string, target: string])[];

/** A foreign key as seen from a relation (table or view) that exposes all its columns. */
interface ForeignKey {
  constraint: string;
  holder: CatalogRelation;
  referenced: CatalogRelation;
  columns: ColumnPairs;
  /** Whether the holder's columns are exactly those of a primary key or unique constraint. */
  oneToOne: boolean;
  /** Whether the holder's columns are all part of its primary key. */
  inPrimaryKey: boolean;
}

/** For each base table: the views of it, with their names of each attribute. */
export type Appearances = ReadonlyMap<string, { view: CatalogRelation; names: Map<number, string[]> }[]>;

/** Resolves every view to base tables, through other views. */
export function findAppearances(catalog: Catalog, byOid: ReadonlyMap<string, CatalogRelation>): Appearances {
  const direct = new Map(catalog.views.map((view) => [view.oid, viewColumns(view.action)]));
  const appearances = new Map<string, { view: CatalogRelation; names: Map<number, string[]> }[]>();
  for (const oid of direct.keys()) {
    const view = byOid.get(oid);
    if (!view) continue;
    const perTable = new Map<string, Map<number, string[]>>();
    const follow = (from: string, attribute: number, output: string, seen: readonly string[]): void => {
      const inner = direct.get(from);
      if (!inner) {
        const names = perTable.get(from) ?? new Map<number, string[]>();
        names.set(attribute, [...(names.get(attribute) ?? []), output]);
        perTable.set(from, names);
        return;
      }
      if (seen.includes(from)) return;
      const column = inner.find((one) => one.position === attribute);
      if (column) follow(column.relation, column.attribute, output, [...seen, from]);
    };
    for (const column of direct.get(oid) ?? []) {
      const output = view.columns.find((one) => one[5] === column.position)?.[0];
      if (output !== undefined) follow(column.relation, column.attribute, output, [oid]);
    }
    for (const [table, names] of perTable) {
      appearances.set(table, [...(appearances.get(table) ?? []), { view, names }]);
    }
  }
  return appearances;
}

/** All relationships whose ends are exposed, by origin. */
export function findRelationships(
  catalog: Catalog,
  byOid: ReadonlyMap<string, CatalogRelation>,
  appearances: Appearances,
): { relationships: Map<string, Relationship[]>; hiddenJunctions: Set<string> } {
  const keys = foreignKeys(catalog, byOid, appearances);
  const found: Relationship[] = [];
  for (const key of keys) if (key.holder.exposed && key.referenced.exposed) found.push(...bothWays(key));
  const junctions = throughJunctions(keys);
  found.push(...junctions.filter(({ exposed }) => exposed).map(({ relationship }) => relationship));
  const computed = computedRelationships(catalog, byOid);

  const byOrigin = new Map<string, Relationship[]>();
  const add = (one: Relationship) => {
    const list = byOrigin.get(nameKey(one.origin));
    if (list) list.push(one);
    else byOrigin.set(nameKey(one.origin), [one]);
  };
  // A function named like the foreign table replaces the detected relationships between the two.
  const replaced = new Set(
    computed
      .filter((one) => one.fn.name === one.target.name && one.fn.schema === one.target.schema)
      .map((one) => `${nameKey(one.origin)}\0${nameKey(one.target)}`),
  );
  for (const one of found) if (!replaced.has(`${nameKey(one.origin)}\0${nameKey(one.target)}`)) add(one);
  for (const one of computed) add(one);
  for (const [origin, list] of byOrigin) byOrigin.set(origin, sorted(list));
  const hiddenJunctions = new Set(
    junctions
      .filter(({ exposed }) => !exposed)
      .map(({ relationship: { origin, target } }) => hiddenKey(origin, target.schema)),
  );
  return { relationships: byOrigin, hiddenJunctions };
}

const CARDINALITIES = ["one-to-many", "many-to-one", "one-to-one", "many-to-many"];

/** In the order of an error's list: by target, cardinality, constraint, columns; functions last. */
function sorted(list: readonly Relationship[]): Relationship[] {
  return list
    .map((one) => [sortKey(one), one] as const)
    .sort(([left], [right]) => compareTexts(left, right))
    .map(([, one]) => one);
}

function sortKey(one: Relationship): string[] {
  const { schema, name } = one.target;
  if (one.kind === "computed") return ["1", one.fn.schema, one.fn.name, schema, name];
  const head = ["0", schema, name, String(CARDINALITIES.indexOf(one.cardinality))];
  if (!one.junction) return [...head, one.constraint, ...one.columns.flat(), one.originHoldsKey ? "0" : "1"];
  const { table, targetConstraint, toOrigin, toTarget } = one.junction;
  return [
    ...head,
    table.schema,
    table.name,
    one.constraint,
    targetConstraint,
    ...toOrigin.flat(),
    ...toTarget.flat(),
  ];
}

function compareTexts(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((text, index) => text !== right[index]);
  if (at < 0) return left.length - right.length;
  const [a = "", b] = [left[at], right[at]];
  return b === undefined || a > b ? 1 : -1;
}

function foreignKeys(
  catalog: Catalog,
  byOid: ReadonlyMap<string, CatalogRelation>,
  appearances: Appearances,
): ForeignKey[] {
  const uniques = new Map<string, CatalogKey[]>();
  for (const key of catalog.keys) {
    const [, type, relation] = key;
    if (type !== "f") uniques.set(relation, [...(uniques.get(relation) ?? []), key]);
  }
  const result: ForeignKey[] = [];
  for (const [constraint, type, relation, keyColumns, target, targetColumns] of catalog.keys) {
    if (type !== "f" || !targetColumns) continue;
    const holders = places(relation, keyColumns, byOid, appearances);
    const targets = places(target, targetColumns, byOid, appearances);
    const own = uniques.get(relation) ?? [];
    const held = new Set(keyColumns);
    const oneToOne = own.some(
      ([, , , unique]) => unique.length === held.size && unique.every((one) => held.has(one)),
    );
    const primary = new Set(own.find(([, type]) => type === "p")?.[3]);
    const inPrimaryKey = keyColumns.every((one) => primary.has(one));
    for (const holder of holders) {
      for (const target of targets) {
        const columns = holder.columns.map((name, at) => [name, target.columns[at] ?? ""] as const);
        const place = { holder: holder.relation, referenced: target.relation };
        result.push({ constraint, ...place, columns, oneToOne, inPrimaryKey });
      }
    }
  }
  return result;
}

/** The table itself and every view that exposes all these columns, once for each set of names. */
function places(
  table: string,
  attributes: readonly number[],
  byOid: ReadonlyMap<string, CatalogRelation>,
  appearances: Appearances,
): { relation: CatalogRelation; columns: string[] }[] {
  const result: { relation: CatalogRelation; columns: string[] }[] = [];
  const base = byOid.get(table);
  if (base) result.push({ relation: base, columns: attributes.map((one) => attributeName(base, one)) });
  for (const { view, names } of appearances.get(table) ?? []) {
    let combinations: string[][] = [[]];
    for (const attribute of attributes) {
      const outputs = names.get(attribute) ?? [];
      combinations = combinations.flatMap((head) => outputs.map((output) => [...head, output]));
    }
    for (const columns of combinations) result.push({ relation: view, columns });
  }
  return result;
}

export function attributeName(relation: CatalogRelation, attribute: number): string {
  return relation.columns.find((one) => one[5] === attribute)?.[0] ?? "";
}

function qualified(relation: CatalogRelation): QualifiedName {
  return { schema: relation.schema, name: relation.name };
}

function isView(relation: CatalogRelation): boolean {
  return relation.kind === "v" || relation.kind === "m";
}

function bothWays(key: ForeignKey): KeyRelationship[] {
  const forth: KeyRelationship = {
    kind: "key",
    origin: qualified(key.holder),
    target: qualified(key.referenced),
    cardinality: key.oneToOne ? "one-to-one" : "many-to-one",
    originIsView: isView(key.holder),
    targetIsView: isView(key.referenced),
    constraint: key.constraint,
    originHoldsKey: true,
    columns: key.columns,
  };
  const back: KeyRelationship = {
    ...forth,
    origin: forth.target,
    target: forth.origin,
    cardinality: key.oneToOne ? "one-to-one" : "one-to-many",
    originIsView: forth.targetIsView,
    targetIsView: forth.originIsView,
    originHoldsKey: false,
    columns: key.columns.map(([holder, referenced]) => [referenced, holder] as const),
  };
  return [forth, back];
}

/** Many-to-many: two different foreign keys of one relation, both inside its primary key. */
function throughJunctions(
  keys: readonly ForeignKey[],
): { relationship: KeyRelationship; exposed: boolean }[] {
  const byHolder = new Map<string, ForeignKey[]>();
  for (const key of keys) {
    if (!key.inPrimaryKey || key.oneToOne || !key.referenced.exposed) continue;
    byHolder.set(key.holder.oid, [...(byHolder.get(key.holder.oid) ?? []), key]);
  }
  const result: { relationship: KeyRelationship; exposed: boolean }[] = [];
  for (const own of byHolder.values()) {
    for (const left of own) {
      for (const right of own) {
        if (left.constraint === right.constraint) continue;
        const relationship: KeyRelationship = {
          kind: "key",
          origin: qualified(left.referenced),
          target: qualified(right.referenced),
          cardinality: "many-to-many",
          originIsView: isView(left.referenced),
          targetIsView: isView(right.referenced),
          constraint: left.constraint,
          originHoldsKey: false,
          columns: [],
          junction: {
            table: qualified(left.holder),
            targetConstraint: right.constraint,
            toOrigin: left.columns.map(([holder, referenced]) => [referenced, holder] as const),
            toTarget: right.columns,
          },
        };
        result.push({ relationship, exposed: left.holder.exposed });
      }
    }
  }
  return result;
}

function computedRelationships(
  catalog: Catalog,
  byOid: ReadonlyMap<string, CatalogRelation>,
): ComputedRelationship[] {
  return catalog.routines.flatMap((routine) => {
    const origin = byOid.get(routine.argRelation);
    const target = byOid.get(routine.returnRelation);
    if (!origin?.exposed || !target?.exposed) return [];
    return [
      {
        kind: "computed" as const,
        origin: qualified(origin),
        target: qualified(target),
        fn: { schema: routine.schema, name: routine.name },
        toOne: routine.returnsOne,
      },
    ];
  });
}
