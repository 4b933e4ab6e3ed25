/**
 * Owns the catalogue of timescaledb without its library: hypertables are plain tables without chunks, time_bucket works,
 * policies are not made, as hosted's edition has none. Options of tables and views are in files/tolerated.ts.
 */

/** Hosted projects have the edition of Apache's licence, in which these are not. A start goes on without them. */
const NOT_MADE =
  "Hosted projects have the Apache edition of TimescaleDB, which refuses it. Nothing is made, removed or compressed here.";
const LATER = "initial_start timestamptz default null, timezone text default null";
const POLICIES = [
  `add_retention_policy(relation regclass, drop_after anycompatible default null::interval, if_not_exists boolean default false, schedule_interval interval default null, ${LATER}, drop_created_before interval default null) returns integer`,
  "remove_retention_policy(relation regclass, if_exists boolean default false) returns void",
  `add_compression_policy(hypertable regclass, compress_after anycompatible default null::interval, if_not_exists boolean default false, schedule_interval interval default null, ${LATER}, compress_created_before interval default null) returns integer`,
  "remove_compression_policy(hypertable regclass, if_exists boolean default false) returns boolean",
  `add_continuous_aggregate_policy(continuous_aggregate regclass, start_offset anycompatible, end_offset anycompatible, schedule_interval interval, if_not_exists boolean default false, ${LATER}) returns integer`,
  "remove_continuous_aggregate_policy(continuous_aggregate regclass, if_not_exists boolean default false, if_exists boolean default null) returns void",
  `add_reorder_policy(hypertable regclass, index_name name, if_not_exists boolean default false, ${LATER}) returns integer`,
  "remove_reorder_policy(hypertable regclass, if_exists boolean default false) returns void",
  'drop_chunks(relation regclass, older_than anycompatible default null::interval, newer_than anyelement default null::interval, "verbose" boolean default false) returns setof text',
];

/** Working functions. Their bodies are bound when they are made, or name the schema of all they call. */
export const TIMESCALEDB_OBJECTS = `
${POLICIES.map((signature) => {
  const [name = ""] = signature.split("(");
  const result = / returns (integer|boolean)$/.exec(signature)?.[1];
  const value = { integer: " 1", boolean: " false" }[result ?? ""] ?? "";
  return `create function ${signature} language plpgsql as $body$ begin
  raise warning '%', '${NOT_MADE}' using errcode = '01H01', detail = '${name}()'; return${value};
end $body$;`;
}).join("\n")}
create function show_chunks(relation regclass, older_than anycompatible default null::interval, newer_than anyelement default null::interval)
returns setof regclass language sql stable as 'select null::pg_catalog.regclass where false';
create function set_chunk_time_interval(hypertable regclass, chunk_time_interval anyelement, dimension_name name default null)
returns void language sql stable as 'select';
create procedure refresh_continuous_aggregate(continuous_aggregate regclass, window_start anycompatible, window_end anycompatible,
  force boolean default false) language plpgsql as $body$ begin execute 'refresh materialized view ' operator(pg_catalog.||) $1::pg_catalog.text; end $body$;
create function create_hypertable(relation regclass, time_column_name name, partitioning_column name default null,
  number_partitions integer default null, associated_schema_name name default null, associated_table_prefix name default null,
  chunk_time_interval anyelement default null::bigint, create_default_indexes boolean default true,
  if_not_exists boolean default false, partitioning_func regproc default null, migrate_data boolean default false,
  chunk_target_size text default null, chunk_sizing_func regproc default null, time_partitioning_func regproc default null)
returns table (hypertable_id integer, schema_name name, table_name name, created boolean) language sql stable as $body$
  select 1, n.nspname, c.relname, true from pg_catalog.pg_class c join pg_catalog.pg_namespace n
    on n.oid operator(pg_catalog.=) c.relnamespace where c.oid operator(pg_catalog.=) $1::pg_catalog.oid
$body$;
${["timestamptz", "timestamp"]
  .map(
    (type) => `
create function time_bucket(bucket_width interval, ts ${type}, origin ${type}) returns ${type} language sql immutable strict parallel safe begin atomic
  select case when pg_catalog.date_part('month', $1) operator(pg_catalog.=) 0 and pg_catalog.date_part('year', $1) operator(pg_catalog.=) 0
    then pg_catalog.date_bin($1, $2, $3)
    else '2000-01-01'::${type} operator(pg_catalog.+) pg_catalog.make_interval(months => (pg_catalog.floor(
      ((pg_catalog.date_part('year', $2) operator(pg_catalog.-) 2000) operator(pg_catalog.*) 12 operator(pg_catalog.+) pg_catalog.date_part('month', $2) operator(pg_catalog.-) 1)
      operator(pg_catalog./) (pg_catalog.date_part('year', $1) operator(pg_catalog.*) 12 operator(pg_catalog.+) pg_catalog.date_part('month', $1)))
      operator(pg_catalog.*) (pg_catalog.date_part('year', $1) operator(pg_catalog.*) 12 operator(pg_catalog.+) pg_catalog.date_part('month', $1)))::pg_catalog.int4) end;
end;
create function time_bucket(bucket_width interval, ts ${type}) returns ${type} language sql immutable strict parallel safe begin atomic
  select @extschema@.time_bucket($1, $2, '2000-01-03'::${type});
end;`,
  )
  .join("")}
create function time_bucket(bucket_width interval, ts date) returns date language sql immutable strict parallel safe begin atomic
  select @extschema@.time_bucket($1, $2::timestamp)::date;
end;
${["smallint", "integer", "bigint"]
  .map(
    (type) => `
create function time_bucket(bucket_width ${type}, ts ${type}) returns ${type} language sql immutable strict parallel safe begin atomic
  select ($2 operator(pg_catalog.-) ((($2 operator(pg_catalog.%) $1) operator(pg_catalog.+) $1) operator(pg_catalog.%) $1))::${type};
end;`,
  )
  .join("")}
`;

export const TIMESCALEDB_FUNCTIONS: readonly string[] = [
  "compress_chunk(uncompressed_chunk regclass, if_not_compressed boolean default false) returns regclass",
  "decompress_chunk(uncompressed_chunk regclass, if_compressed boolean default false) returns regclass",
  "hypertable_size(hypertable regclass) returns bigint",
];
