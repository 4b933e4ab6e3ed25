/**
 * Owns the finished OpenAPI documents: kept until the schema cache changes, by what the caller may see. A role whose
 * rights change sees another document at once, and no role sees more than its own.
 */
import type { SchemaCache } from "../schema/schema-cache.ts";
import type { DescribedRoutine, Description } from "./description-query.ts";
import type { DocumentOptions } from "./document.ts";

/** Few: a schema's document has megabytes, and a request's host can be a part of it. */
const MOST_DOCUMENTS = 8;

const documents = new WeakMap<SchemaCache, Map<string, string>>();

/** @param visible the response to `VISIBLE_QUERY`. */
export function findDocument(
  cache: SchemaCache,
  options: DocumentOptions,
  visible: string,
): string | undefined {
  return documents.get(cache)?.get(keyOf(options, JSON.parse(visible)));
}

/** @param description and @param routines what the document describes, which decides who may have it. */
export function keepDocument(
  cache: SchemaCache,
  options: DocumentOptions,
  description: Description,
  routines: readonly DescribedRoutine[],
  text: string,
): void {
  const kept = documents.get(cache) ?? new Map<string, string>();
  documents.set(cache, kept);
  const oids = routines.map(({ oid }) => oid).sort((a, b) => Number(a) - Number(b));
  kept.set(keyOf(options, [description.tables.map(({ name }) => name), oids]), text);
  const [oldest] = kept.keys();
  if (kept.size > MOST_DOCUMENTS && oldest !== undefined) kept.delete(oldest);
}

function keyOf({ schema, address, security }: DocumentOptions, visible: unknown): string {
  return JSON.stringify([schema, address.href, security, visible]);
}
