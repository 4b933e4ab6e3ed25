/** Owns which extension an object belongs to that a project uses and no file creates: a dashboard turns extensions on by a switch. */

import { quote } from "../quoting.ts";
import type { OfExtension } from "./objects.ts";

/** Types, functions, operator classes, access methods and wrappers. */
const NAMES: Readonly<Record<string, string>> = {
  btree_gist: "gist_int4_ops gist_int8_ops gist_text_ops gist_uuid_ops",
  citext: "citext",
  cube: "cube cube_distance",
  earthdistance: "earth ll_to_earth earth_distance earth_box",
  fuzzystrmatch:
    "levenshtein levenshtein_less_equal soundex metaphone dmetaphone dmetaphone_alt daitch_mokotoff",
  hstore: "hstore hstore_to_json hstore_to_jsonb gin_hstore_ops",
  http: "http http_get http_post http_put http_patch http_delete http_head http_header http_request urlencode",
  index_advisor: "index_advisor",
  intarray: "gin__int_ops gist__int_ops gist__intbig_ops",
  isn: "isbn isbn13 issn ean13",
  ltree: "ltree lquery ltxtquery text2ltree subpath subltree nlevel gist_ltree_ops",
  moddatetime: "moddatetime",
  pg_hashids: "id_encode id_decode id_decode_once",
  pg_jsonschema: "json_matches_schema jsonb_matches_schema jsonschema_is_valid",
  pg_trgm:
    "similarity word_similarity strict_word_similarity show_trgm set_limit show_limit gin_trgm_ops gist_trgm_ops",
  pgroonga: "pgroonga",
  plpgsql_check: "plpgsql_check_function plpgsql_check_function_tb",
  postgis: "geometry geography box2d box3d gist_geometry_ops_2d gist_geography_ops",
  postgres_fdw: "postgres_fdw",
  tablefunc: "crosstab crosstab2 crosstab3 crosstab4 connectby normal_rand",
  timescaledb:
    "create_hypertable time_bucket add_retention_policy add_compression_policy add_continuous_aggregate_policy add_reorder_policy drop_chunks show_chunks set_chunk_time_interval refresh_continuous_aggregate",
  unaccent: "unaccent",
  vector:
    "vector halfvec sparsevec hnsw ivfflat l2_distance cosine_distance inner_product l2_normalize binary_quantize",
};
const EXTENSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([extension, names]) => names.split(" ").map((name) => [name, extension])),
);
const ALIKE: readonly [RegExp, string][] = [
  [/^_?st_\w+$/, "postgis"],
  [/^(?:vector|halfvec|sparsevec)_\w+$|^bit_(?:hamming|jaccard)_ops$/, "vector"],
  [/^dblink(?:_\w+)?$/, "dblink"],
  [/^pgroonga_\w+$/, "pgroonga"],
  [/^hypopg_\w+$/, "hypopg"],
];

/** Extensions that are not made in the schema `extensions` alone. */
const CREATED: Readonly<Record<string, string>> = {
  earthdistance: "with schema extensions cascade",
  pg_cron: "with schema pg_catalog",
  pgmq: "",
};

/** The statement that makes an extension. */
export function createExtension(name: string): string {
  const where = CREATED[name] ?? "with schema extensions";
  return `create extension if not exists ${quoteIfNeeded(name)}${where === "" ? "" : ` ${where}`};`;
}

const quoteIfNeeded = (name: string) => (/^[a-z_]\w*$/.test(name) ? name : quote(name));

/** The extension that makes a schema. */
export const SCHEMA_OF: Readonly<Record<string, string>> = { cron: "pg_cron", net: "pg_net", pgmq: "pgmq" };

/** The extension of an object by its name, without its schema. */
export function extensionOf(name: string): string | undefined {
  return EXTENSIONS.get(name) ?? ALIKE.find(([pattern]) => pattern.test(name))?.[1];
}

/** The messages of Postgres about objects that only an extension has. */
const MESSAGES: readonly [RegExp, OfExtension][] = [
  [/^operator class "(.+)" does not exist for access method/, "operator class"],
  [/^access method "(.+)" does not exist$/, "access method"],
  [/^foreign-data wrapper "(.+)" does not exist$/, "foreign-data wrapper"],
];
const PLAIN_TYPE =
  /^data type (?:smallint|integer|bigint|numeric|text|character varying|uuid|boolean|date|timestamp with(?:out)? time zone) has no default operator class for access method "gist"$/;

/** The object of an extension that a message says is not there; of the operator classes for plain types, one of them. */
export function wantedOfExtension(message: string): { kind: OfExtension; name: string } | undefined {
  if (PLAIN_TYPE.test(message)) return { kind: "operator class", name: "gist_int4_ops" };
  for (const [pattern, kind] of MESSAGES) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined && extensionOf(name.split(".").at(-1) ?? "") !== undefined) return { kind, name };
  }
  return undefined;
}
