/** Owns the names of a schema's objects for "Perhaps you meant" hints. */
import { FuzzySet } from "../fuzzy.ts";
import type { SchemaCache } from "../schema/schema-cache.ts";

/** Where a hint's names come from. */
const SOURCES = {
  functions: (cache: SchemaCache) => [...cache.routines.values()].flat(),
  tables: (cache: SchemaCache) => [...cache.relations.values()],
  /** Relations with a relationship into the schema. */
  related: (cache: SchemaCache) =>
    [...cache.relationships.values()].flat().map((one) => ({
      schema: (one.kind === "computed" ? one.fn : one.target).schema,
      name: one.origin.name,
    })),
};

const sets = new WeakMap<SchemaCache, Map<string, FuzzySet>>();

/** The names of a schema's objects; indexed once for each schema cache, because anybody can ask for a hint. */
export function schemaNames(cache: SchemaCache, kind: keyof typeof SOURCES, schema: string): FuzzySet {
  let own = sets.get(cache);
  if (!own) {
    own = new Map();
    sets.set(cache, own);
  }
  const key = `${kind} ${schema}`;
  let set = own.get(key);
  if (!set) {
    const objects: { schema: string; name: string }[] = SOURCES[kind](cache);
    set = new FuzzySet(objects.filter((one) => one.schema === schema).map(({ name }) => name));
    own.set(key, set);
  }
  return set;
}
