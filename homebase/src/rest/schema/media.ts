/**
 * Owns a database's own formats: domain representations and media type handlers (PostgREST documentation,
 * "Domain Representations", "Media Type Handlers").
 */
import type { CatalogHandler, CatalogRepresentation } from "./catalog-query.ts";
import {
  type DomainRepresentation,
  handlerKey,
  type MediaHandler,
  type QualifiedName,
} from "./schema-cache.ts";

function quoted({ schema, name }: QualifiedName): string {
  return `"${schema.replaceAll('"', '""')}"."${name.replaceAll('"', '""')}"`;
}

/** By the domain's name as Postgres prints it. Casts between two domains are ignored. */
export function findRepresentations(
  casts: readonly CatalogRepresentation[],
): Map<string, DomainRepresentation> {
  const found = new Map<string, DomainRepresentation>();
  const add = (domain: string, part: DomainRepresentation) =>
    found.set(domain, { ...found.get(domain), ...part });
  for (const cast of casts) {
    if (cast.target === "json") add(cast.source, { show: quoted(cast) });
    else if (cast.source === "text") add(cast.target, { readText: quoted(cast) });
    else if (cast.source === "json") add(cast.target, { readJson: quoted(cast) });
  }
  return found;
}

/** Types that PostgREST treats as text; only these get a charset. */
const WITH_CHARSET = new Set([
  "application/json",
  "application/geo+json",
  "text/csv",
  "text/plain",
  "text/xml",
  "application/openapi+json",
  "application/x-www-form-urlencoded",
]);

/** Keys from `handlerKey`. */
export function findHandlers(handlers: readonly CatalogHandler[]): Map<string, MediaHandler> {
  const found = new Map<string, MediaHandler>();
  for (const one of handlers) {
    const type = one.mediaType.toLowerCase();
    const name = one.mediaType === "*/*" ? "application/octet-stream" : one.mediaType;
    const contentType = WITH_CHARSET.has(type) ? `${type}; charset=utf-8` : name;
    if (one.kind === "function") {
      found.set(handlerKey(one, type), { contentType, binary: one.binary });
      continue;
    }
    const any = one.argName === "anyelement";
    const row = { schema: one.argSchema, name: one.argName };
    found.set(handlerKey(any ? undefined : row, type), {
      contentType,
      binary: one.binary,
      aggregate: quoted(one),
      ...(any ? {} : { rowType: quoted(row) }),
    });
  }
  return found;
}
