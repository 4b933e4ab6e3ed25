/** Owns the signatures and the view of pg_stat_monitor 2.1, which is inert here. */

const COLUMNS = [
  "bucket int8, userid oid, username text, dbid oid, datname text, client_ip int8, queryid int8, planid int8",
  "query text, query_plan text, pgsm_query_id int8, top_queryid int8, top_query text, application_name text",
  "relations text, cmd_type int, elevel int, sqlcode text, message text, bucket_start_time timestamptz, calls int8",
  "total_exec_time float8, min_exec_time float8, max_exec_time float8, mean_exec_time float8, stddev_exec_time float8",
  "rows int8, plans int8, total_plan_time float8, min_plan_time float8, max_plan_time float8, mean_plan_time float8",
  "stddev_plan_time float8, shared_blks_hit int8, shared_blks_read int8, shared_blks_dirtied int8",
  "shared_blks_written int8, local_blks_hit int8, local_blks_read int8, local_blks_dirtied int8",
  "local_blks_written int8, temp_blks_read int8, temp_blks_written int8, shared_blk_read_time float8",
  "shared_blk_write_time float8, local_blk_read_time float8, local_blk_write_time float8, temp_blk_read_time float8",
  "temp_blk_write_time float8, resp_calls text, cpu_user_time float8, cpu_sys_time float8, wal_records int8",
  "wal_fpi int8, wal_bytes numeric, comments text, jit_functions int8, jit_generation_time float8",
  "jit_inlining_count int8, jit_inlining_time float8, jit_optimization_count int8, jit_optimization_time float8",
  "jit_emission_count int8, jit_emission_time float8, jit_deform_count int8, jit_deform_time float8",
  "stats_since timestamptz, minmax_stats_since timestamptz, toplevel boolean, bucket_done boolean",
]
  .join(", ")
  .split(", ");

/** As CREATE FUNCTION has them, without a body. */
export const PG_STAT_MONITOR_FUNCTIONS: readonly string[] = [
  "pg_stat_monitor_version() returns text",
  "pg_stat_monitor_reset() returns void",
  "get_histogram_timings() returns text",
  "range() returns text[]",
  "get_cmd_type(cmd_type integer) returns text",
  "decode_error_level(elevel int) returns text",
  "histogram(_bucket int, _quryid int8) returns setof record",
  `pg_stat_monitor_internal(showtext boolean, ${COLUMNS.map((column) => `out ${column}`).join(", ")}) returns setof record`,
  "pgsm_create_view() returns int",
  ...[11, 13, 14, 15, 17].map((version) => `pgsm_create_${version}_view() returns int`),
];

/** Reading it fails as its function does. */
export const PG_STAT_MONITOR_VIEW =
  "create view pg_stat_monitor as select * from pg_stat_monitor_internal(true); grant select on pg_stat_monitor to public;";
