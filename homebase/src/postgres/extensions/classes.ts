/**
 * Owns the classification of every extension that hosted Supabase offers: its class and its differences from
 * the real one. docs/compat/extensions.md has the same table; a test compares the two.
 */

/**
 * - real: the extension itself.
 * - stand-in: reimplemented, with the same objects and results; sufficient for development.
 * - inert: it can be created, granted on and dropped; its functions fail with an explanation.
 * - refused: creating it fails with an explanation.
 */
export type ExtensionClass = "real" | "stand-in" | "inert" | "refused";

export interface ExtensionEntry {
  readonly name: string;
  readonly class: ExtensionClass;
  /** Noticeable differences; empty when there are none. */
  readonly differs: string;
}

/** Contrib modules and plpgsql. On hosted, some others require the superuser. */
const CONTRIB =
  "autoinc bloom btree_gin btree_gist citext cube dblink dict_int dict_xsyn earthdistance fuzzystrmatch hstore insert_username intarray isn lo ltree moddatetime pg_buffercache pg_prewarm pg_stat_statements pg_trgm pg_walinspect pgcrypto pgrowlocks pgstattuple plpgsql postgres_fdw refint seg sslinfo tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid-ossp";

const REAL: Record<string, string> = {
  index_advisor:
    "makes each candidate index and rolls it back, as hypopg is inert; other sessions cannot write to the table meanwhile",
  pgjwt: "",
  pgmq: "version 1.11.1 with the signatures and columns of hosted's 1.5.1",
  pgtap: "",
};

const STAND_IN: Record<string, string> = {
  http: "requests are made by Homebase while the statement waits; of the curl options timeouts, user agent and name with password have an effect",
  pg_cron: "jobs run while Homebase runs; in those of a project's own role session_user is another name",
  pg_jsonschema:
    "checked in SQL; unevaluated*, $dynamicRef and references out of the schema fail, formats are not checked",
  pg_net: "requests are made while Homebase runs",
  pg_tle:
    "extensions of plain SQL can be installed, and created in files and by the database API, elsewhere by pgtle.create_extension(); hooks into the server and base types are not there",
  plpgsql_check:
    "checked by Homebase, for role postgres, outside of the transaction; profiler, tracer, dependencies, the format xml and warnings of performance, security and compatibility are not built",
  postgis:
    "the common functions in SQL, all others refuse; <-> sorts instead of using the index; ST_Transform between 4326 and 3857 only",
  supabase_vault: "the key is a file of the server; ciphertexts differ from hosted's",
  vector: "search is exact and reads every row; hnsw and ivfflat indexes are made and not used",
};

const INERT: Record<string, string> = {
  hypopg: "hypothetical indexes need its library",
  pg_graphql: "queries are not answered: /graphql/v1 says so",
  pg_hashids: "hash ids need its library",
  pg_repack: "the table is not repacked",
  pg_stat_monitor: "statements are not monitored; pg_stat_statements is real",
  pgaudit: "nothing is logged; its settings can be set",
  pgroonga:
    "indexes are made and not used; a search fails, as its operators need the library: pg_trgm and full-text search are there",
  pgsodium: "creates and finds keys, encrypts nothing; Vault works without it",
  timescaledb:
    "hypertables are plain tables, continuous aggregates plain materialized views, and time_bucket works; policies and compression are left out with a warning",
  wrappers: "wrappers, servers and foreign tables can be made; reading one fails",
};

const REFUSED: Record<string, string> = {
  address_standardizer: "comes with PostGIS",
  address_standardizer_data_us: "comes with PostGIS",
  pg_partman: "",
  pgroonga_database: "",
  pgrouting: "",
  plcoffee: "plpgsql is there",
  pljava: "plpgsql is there",
  plls: "plpgsql is there",
  plv8: "plpgsql is there",
  postgis_raster: "comes with PostGIS",
  postgis_sfcgal: "comes with PostGIS",
  postgis_tiger_geocoder: "comes with PostGIS",
  postgis_topology: "comes with PostGIS",
  rum: "gin indexes are there",
};

/** All extensions, by name. */
export const EXTENSIONS: readonly ExtensionEntry[] = [
  ...CONTRIB.split(" ").map((name): ExtensionEntry => ({ name, class: "real", differs: "" })),
  ...entries("real", REAL),
  ...entries("stand-in", STAND_IN),
  ...entries("inert", INERT),
  ...entries("refused", REFUSED),
].sort((left, right) => (left.name < right.name ? -1 : 1));

const BY_NAME = new Map(EXTENSIONS.map((entry) => [entry.name, entry]));

/** The class of an extension; undefined for one that hosted does not offer. */
export function extensionEntry(name: string): ExtensionEntry | undefined {
  return BY_NAME.get(name);
}

/** Extensions that hosted projects had up to Postgres 15 (supabase/postgres, pull 1592). */
const NOT_ON_17 = new Set(["plcoffee", "plls", "plv8", "timescaledb"]);

/** Advice for an extension that is not the real one. */
export function realExtensionAdvice(name: string): string {
  return (
    `Install ${name} for PostgreSQL 17 on this machine, or set HOMEBASE_EXTENSIONS to a folder that holds it, ` +
    `and start again; ${NOT_ON_17.has(name) ? "hosted projects with Postgres 17 do not have it" : "or try it on a hosted project"}.`
  );
}

function entries(kind: ExtensionClass, list: Record<string, string>): ExtensionEntry[] {
  return Object.entries(list).map(([name, differs]) => ({ name, class: kind, differs }));
}
