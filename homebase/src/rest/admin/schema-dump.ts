/** Owns the output of the admin server's `/schema_cache` and of `--dump-schema`. */
import type { SchemaCache } from "../schema/schema-cache.ts";

/** The schema cache's content, for people: only the top-level structure is PostgREST's. */
export function dumpSchema(cache: SchemaCache): string {
  return JSON.stringify(
    {
      dbTables: [...cache.relations.values()],
      dbRelationships: [...cache.relationships.values()].flat(),
      dbRoutines: [...cache.routines.values()].flat(),
      dbMediaHandlers: [...cache.handlers.values()],
    },
    (_, value: unknown) => (value instanceof Map ? [...value.values()] : value),
  );
}
