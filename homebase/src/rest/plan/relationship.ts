/**
 * Owns resolving an embedding to a relationship, and the errors for none or several (PostgREST documentation,
 * "Resource Embedding"; docs/compat/rest.md 5.1).
 */
import { restErrors } from "../errors.ts";
import { FuzzySet } from "../fuzzy.ts";
import type { RelationItem } from "../grammar/syntax.ts";
import {
  hiddenKey,
  type KeyRelationship,
  nameKey,
  type QualifiedName,
  type Relationship,
  type SchemaCache,
  sameName,
} from "../schema/schema-cache.ts";
import { schemaNames } from "./hints.ts";

const RELATION_THRESHOLD = 0.33;

/** @throws RestError PGRST200 or PGRST201. */
export function chooseRelationship(
  cache: SchemaCache,
  origin: QualifiedName,
  item: RelationItem,
  schema: string,
): Relationship {
  const own = cache.relationships.get(nameKey(origin)) ?? [];
  const candidates = own.filter((one) => inSchema(one, schema) && matches(one, item));
  const [first, second] = candidates;
  if (!first) {
    throw restErrors.noRelationship(
      origin.name,
      item.name,
      item.hint,
      schema,
      guess(cache, own, origin, item, schema),
    );
  }
  if (second) throw ambiguous(origin, item, candidates);
  return first;
}

function inSchema(one: Relationship, schema: string): boolean {
  return one.kind === "computed" ? one.fn.schema === schema : one.target.schema === schema;
}

function matches(one: Relationship, item: RelationItem): boolean {
  if (one.kind === "computed") return item.name === one.fn.name;
  const { name, hint } = item;
  const named = name === one.target.name;
  if (sameName(one.origin, one.target)) {
    if (one.cardinality === "one-to-many") {
      return named && (hint === undefined || hint === singleColumn(one, "target"));
    }
    return one.cardinality === "many-to-one" && hint === undefined && name === singleColumn(one, "origin");
  }
  if (hint === undefined) {
    if (named) return true;
    if (one.targetIsView || one.junction) return false;
    return name === one.constraint || name === singleColumn(one, "origin");
  }
  if (!named) return false;
  if (one.junction) return hint === one.junction.table.name;
  return (
    hint === one.constraint || hint === singleColumn(one, "origin") || hint === singleColumn(one, "target")
  );
}

function singleColumn(one: KeyRelationship, side: "origin" | "target"): string | undefined {
  const [first, second] = one.columns;
  return first && !second ? first[side === "origin" ? 0 : 1] : undefined;
}

function ambiguous(origin: QualifiedName, item: RelationItem, candidates: readonly Relationship[]) {
  const details = candidates.map((one) => ({
    cardinality: one.kind === "computed" ? (one.toOne ? "many-to-one" : "one-to-many") : one.cardinality,
    embedding: `${one.origin.name} with ${one.target.name}`,
    relationship: describe(one),
  }));
  const suggestions = candidates.map((one) => `${item.name}!${hintFor(one)}`);
  return restErrors.ambiguousRelationship(origin.name, item.name, details, suggestions);
}

function hintFor(one: Relationship): string {
  if (one.kind === "computed") return one.fn.name;
  return one.junction?.table.name ?? one.constraint;
}

function describe(one: Relationship): string {
  if (one.kind === "computed") return `${one.fn.name}(${one.origin.name})`;
  const { junction } = one;
  if (junction) {
    const left = junction.toOrigin.map(([, column]) => column).join(", ");
    const right = junction.toTarget.map(([column]) => column).join(", ");
    return `${junction.table.name} using ${one.constraint}(${left}) and ${junction.targetConstraint}(${right})`;
  }
  const origin = one.columns.map(([column]) => column).join(", ");
  const target = one.columns.map(([, column]) => column).join(", ");
  return `${one.constraint} using ${one.origin.name}(${origin}) and ${one.target.name}(${target})`;
}

function guess(
  cache: SchemaCache,
  own: readonly Relationship[],
  origin: QualifiedName,
  item: RelationItem,
  schema: string,
): string | null {
  const into = own.filter((one) => inSchema(one, schema));
  if (into.length === 0) {
    // A name that is related only through an unusable relationship is still spelled correctly.
    if (cache.hiddenJunctions.has(hiddenKey(origin, schema))) return null;
    const parent = schemaNames(cache, "related", schema).closest(origin.name, RELATION_THRESHOLD);
    return parent !== undefined && parent !== origin.name
      ? `Perhaps you meant '${parent}' instead of '${origin.name}'.`
      : null;
  }
  const child = new FuzzySet(into.map((one) => one.target.name)).closest(item.name, RELATION_THRESHOLD);
  // The correct name with a wrong hint, or in other case, is not a misspelt name.
  return child !== undefined && child.toLowerCase() !== item.name.toLowerCase()
    ? `Perhaps you meant '${child}' instead of '${item.name}'.`
    : null;
}
