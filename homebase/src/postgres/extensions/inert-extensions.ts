/**
 * Owns the generated files of extensions without code: inert ones, with the signatures that migrations grant
 * on, and refused ones. Their error says what is missing and how to proceed.
 */
import { EXTENSIONS, realExtensionAdvice } from "./classes.ts";
import type { ExtensionFile } from "./control-file.ts";
import { PG_STAT_MONITOR_FUNCTIONS, PG_STAT_MONITOR_VIEW } from "./pg-stat-monitor.ts";
import { PGROONGA_FUNCTIONS, PGROONGA_OBJECTS, PGROONGA_SEARCHES } from "./pgroonga.ts";
import { PGSODIUM_FUNCTIONS, PGSODIUM_OBJECTS } from "./pgsodium.ts";
import { PLPGSQL_CHECK_FUNCTIONS, PLPGSQL_CHECK_OBJECTS } from "./plpgsql-check.ts";
import { TIMESCALEDB_FUNCTIONS, TIMESCALEDB_OBJECTS } from "./timescaledb.ts";
import { WRAPPERS_FUNCTIONS, WRAPPERS_OBJECTS } from "./wrappers.ts";

interface Inert {
  version: string;
  /** The schema in the real extension's control file. */
  schema?: string;
  requires?: string;
  /** Objects other than functions; created before these. */
  objects?: string;
  /** As CREATE FUNCTION has them, without a body. */
  functions: readonly string[];
  /** Views and operators on these, which fail as they do. */
  users?: string;
}

/** Signatures of the real extensions, as used in public projects and documentation. */
const INERT: Record<string, Inert> = {
  hypopg: {
    version: "1.4.1",
    functions: [
      "hypopg_reset_index() returns void",
      "hypopg_reset() returns void",
      "hypopg_create_index(sql_order text, out indexrelid oid, out indexname text) returns setof record",
      "hypopg_drop_index(indexid oid) returns bool",
      "hypopg(out indexname text, out indexrelid oid, out indrelid oid, out innatts integer, out indisunique boolean, out indkey int2vector, out indcollation oidvector, out indclass oidvector, out indoption oidvector, out indexprs pg_node_tree, out indpred pg_node_tree, out amid oid) returns setof record",
      "hypopg_relation_size(indexid oid) returns bigint",
      "hypopg_get_indexdef(indexid oid) returns text",
      "hypopg_hide_index(indexid oid) returns boolean",
      "hypopg_unhide_index(indexid oid) returns boolean",
      "hypopg_unhide_all_indexes() returns void",
      "hypopg_hidden_indexes() returns table (indexid oid)",
    ],
    users: `create view hypopg_list_indexes as
      select h.indexrelid, h.indexname as index_name, null::name as schema_name, null::name as table_name, null::name as am_name from hypopg() h;
    create view hypopg_hidden_indexes as select h.indexid as indexrelid, null::name as index_name, null::name as schema_name,
      null::name as table_name, null::name as am_name, null::bool as is_hypo from hypopg_hidden_indexes() h;`,
  },
  pg_graphql: {
    version: "1.5.11",
    schema: "graphql",
    objects: "create sequence graphql.seq_schema_version as int cycle;",
    functions: [
      "graphql._internal_resolve(query text, variables jsonb default '{}', \"operationName\" text default null, extensions jsonb default null) returns jsonb",
      "graphql.resolve(query text, variables jsonb default '{}', \"operationName\" text default null, extensions jsonb default null) returns jsonb",
      "graphql.comment_directive(comment_ text) returns jsonb",
      "graphql.exception(message text) returns text",
      "graphql.get_schema_version() returns int",
      "graphql.increment_schema_version() returns event_trigger",
    ],
  },
  pg_hashids: {
    version: "1.3",
    functions: [
      "id_encode(bigint) returns text",
      "id_encode(bigint, text) returns text",
      "id_encode(bigint, text, int) returns text",
      "id_encode(bigint, text, int, text) returns text",
      "id_encode(bigint[]) returns text",
      "id_encode(bigint[], text) returns text",
      "id_encode(bigint[], text, int) returns text",
      "id_encode(bigint[], text, int, text) returns text",
      "id_decode(text) returns bigint[]",
      "id_decode(text, text) returns bigint[]",
      "id_decode(text, text, int) returns bigint[]",
      "id_decode(text, text, int, text) returns bigint[]",
      "id_decode_once(text) returns bigint",
      "id_decode_once(text, text) returns bigint",
      "id_decode_once(text, text, int) returns bigint",
      "id_decode_once(text, text, int, text) returns bigint",
      "hash_encode(bigint) returns text",
      "hash_encode(bigint, text) returns text",
      "hash_encode(bigint, text, int) returns text",
      "hash_decode(text, text, int) returns int",
    ],
  },
  pg_repack: {
    version: "1.5.2",
    objects: "create schema repack;",
    functions: ["repack.version() returns text", "repack.version_sql() returns text"],
  },
  pg_stat_monitor: {
    version: "2.1",
    functions: PG_STAT_MONITOR_FUNCTIONS,
    users: PG_STAT_MONITOR_VIEW,
  },
  pgaudit: {
    version: "17.0",
    functions: [
      "pgaudit_ddl_command_end() returns event_trigger",
      "pgaudit_sql_drop() returns event_trigger",
    ],
  },
  pgroonga: {
    version: "3.2.5",
    objects: PGROONGA_OBJECTS,
    functions: PGROONGA_FUNCTIONS,
    users: PGROONGA_SEARCHES,
  },
  pgsodium: {
    version: "3.1.8",
    schema: "pgsodium",
    objects: PGSODIUM_OBJECTS,
    functions: PGSODIUM_FUNCTIONS,
  },
  plpgsql_check: {
    version: "2.7",
    objects: PLPGSQL_CHECK_OBJECTS,
    functions: PLPGSQL_CHECK_FUNCTIONS,
  },
  timescaledb: {
    version: "2.16.1",
    objects: TIMESCALEDB_OBJECTS,
    functions: TIMESCALEDB_FUNCTIONS,
  },
  wrappers: { version: "0.5.7", objects: WRAPPERS_OBJECTS, functions: WRAPPERS_FUNCTIONS },
};

/** The control files and scripts of all inert and refused extensions. */
export function generatedExtensions(): ExtensionFile[] {
  return EXTENSIONS.flatMap(({ name, class: kind }) => {
    if (kind === "refused") return files(name, "0", refusal(name), { comment: "not part of Homebase" });
    const inert = INERT[name];
    if (!inert) return [];
    return files(
      name,
      inert.version,
      [
        own(inert.schema),
        inert.objects ?? "",
        ...inert.functions.map((text) => stub(name, text)),
        inert.users ?? "",
      ].join("\n"),
      {
        comment:
          kind === "stand-in"
            ? "without its library: its checks work, by Homebase"
            : "without its library: it can be created, and fails when used",
        ...(inert.schema ? { schema: inert.schema } : {}),
        ...(inert.requires ? { requires: inert.requires } : {}),
        relocatable: !inert.schema && !inert.objects,
      },
    );
  });
}

/** A schema that the extension's code belongs in is the superuser's (bootstrap/powers.sql). */
function own(schema: string | undefined): string {
  return schema === undefined ? "" : `select pg_catalog.homebase_own_schema('${schema}');`;
}

function files(
  name: string,
  version: string,
  script: string,
  control: { comment: string; schema?: string; requires?: string; relocatable?: boolean },
): ExtensionFile[] {
  const lines = [
    `comment = '${name} (${control.comment})'`,
    `default_version = '${version}'`,
    `relocatable = ${control.relocatable ?? false}`,
    ...(control.schema ? [`schema = ${control.schema}`] : []),
    ...(control.requires ? [`requires = '${control.requires}'`] : []),
    "superuser = true",
    "trusted = true",
  ];
  return [
    { name: `${name}.control`, text: `${lines.join("\n")}\n` },
    { name: `${name}--${version}.sql`, text: `${script}\n` },
  ];
}

function refusal(name: string): string {
  return `do $$ begin ${raise(`${name} is not part of Homebase, as it needs a compiled library.`, name)} end $$;`;
}

function stub(extension: string, signature: string): string {
  const called = /^[^(]*/.exec(signature)?.[0] ?? signature;
  const message = `${called}() does nothing in Homebase: the extension ${extension} is here without its library.`;
  // One for an event trigger may fire in an extension's script, which runs as the superuser.
  const path = signature.endsWith("event_trigger") ? " set search_path = pg_catalog, pg_temp" : "";
  return `create function ${signature} language plpgsql${path} as $body$ #variable_conflict use_column\nbegin ${raise(message, extension)} end $body$;`;
}

function raise(message: string, extension: string): string {
  return `raise exception using errcode = '0A000', message = '${message}', hint = '${realExtensionAdvice(extension)}';`;
}
