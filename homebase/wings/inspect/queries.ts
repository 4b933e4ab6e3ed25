/** Owns the questions of `inspect db`: SQL over Postgres's own statistics, by the Supabase CLI's names. */
import { NOT_PLATFORM } from "../../src/tools/platform-schemas.ts";

export interface Inspection {
  summary: string;
  sql: string;
  /** An extension that it reads. */
  needs?: string;
}

const NAME = "format('%I.%I', schemaname, relname)";

const TABLES = `select format('%I.%I', n.nspname, c.relname) as "Table", c.oid, s.* from pg_class c
  join pg_namespace n on n.oid = c.relnamespace left join pg_stat_user_tables s on s.relid = c.oid
  where c.relkind in ('r', 'm') and n.nspname ${NOT_PLATFORM}`;
const STATEMENTS = `select s.query as "Query", interval '1 millisecond' * s.total_exec_time as "Total execution time",
    to_char(100 * s.total_exec_time / nullif(sum(s.total_exec_time) over (), 0), 'FM990.0') || '%' as "Share of total",
    s.calls as "Calls", interval '1 millisecond' * (s.blk_read_time + s.blk_write_time) as "Time of reads and writes"
  from statements s`;

/** By name, in the order of the help. */
export const inspections: Record<string, Inspection> = {
  "db-stats": {
    summary: "size, cache hit rates and connections of the database",
    sql: `select current_database() as "Database", pg_size_pretty(pg_database_size(current_database())) as "Size",
        pg_size_pretty(coalesce((select sum(pg_relation_size(indexrelid)) from pg_stat_user_indexes where schemaname ${NOT_PLATFORM}), 0)) as "Indexes",
        pg_size_pretty(coalesce((select sum(pg_relation_size(relid)) from pg_stat_user_tables where schemaname ${NOT_PLATFORM}), 0)) as "Tables",
        (select to_char(sum(idx_blks_hit) / nullif(sum(idx_blks_hit + idx_blks_read), 0), 'FM0.00') from pg_statio_user_indexes where schemaname ${NOT_PLATFORM}) as "Index hit rate",
        (select to_char(sum(heap_blks_hit) / nullif(sum(heap_blks_hit + heap_blks_read), 0), 'FM0.00') from pg_statio_user_tables where schemaname ${NOT_PLATFORM}) as "Table hit rate",
        numbackends as "Connections", stats_reset as "Statistics since"
      from pg_stat_database where datname = current_database()`,
  },
  "replication-slots": {
    summary: "replication slots, and how far each is behind",
    sql: `select s.slot_name as "Name", s.plugin as "Plugin", s.active as "Active", coalesce(r.state, 'N/A') as "State",
        coalesce(host(r.client_addr), 'N/A') as "Client",
        pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)) as "Behind"
      from pg_replication_slots s left join pg_stat_replication r on r.pid = s.active_pid
      where s.database is null or s.database = current_database() order by s.slot_name`,
  },
  locks: {
    summary: "statements that hold exclusive locks",
    sql: `select a.pid as "Pid", l.relation::regclass::text as "Relation", l.transactionid::text as "Transaction",
        l.granted as "Granted", left(a.query, 80) as "Query", now() - a.query_start as "Age"
      from pg_stat_activity a join pg_locks l on l.pid = a.pid
      where l.mode = 'ExclusiveLock' and l.locktype <> 'virtualxid' and a.pid <> pg_backend_pid()
        and a.datname = current_database() order by a.query_start`,
  },
  blocking: {
    summary: "statements that wait for a lock, and those that hold it",
    sql: `select w.pid as "Waiting pid", left(w.query, 80) as "Waiting statement", now() - w.query_start as "Waiting for",
        h.pid as "Holding pid", left(h.query, 80) as "Holding statement", now() - h.xact_start as "Holding for"
      from pg_stat_activity w cross join unnest(pg_blocking_pids(w.pid)) as held (pid)
      join pg_stat_activity h on h.pid = held.pid where w.datname = current_database() order by w.query_start`,
  },
  outliers: {
    summary: "statements by their total time",
    needs: "pg_stat_statements",
    sql: `${STATEMENTS} order by s.total_exec_time desc limit 10`,
  },
  calls: {
    summary: "statements by how often they are called",
    needs: "pg_stat_statements",
    sql: `${STATEMENTS} order by s.calls desc limit 10`,
  },
  "index-stats": {
    summary: "indexes with size, use and whether they are unused",
    sql: `select format('%I.%I', schemaname, indexrelname) as "Index", ${NAME} as "Table",
        pg_size_pretty(pg_relation_size(indexrelid)) as "Size", idx_scan as "Index scans",
        (select t.seq_scan from pg_stat_user_tables t where t.relid = i.relid) as "Sequential scans", idx_scan = 0 as "Unused"
      from pg_stat_user_indexes i where schemaname ${NOT_PLATFORM} order by pg_relation_size(indexrelid) desc, 1`,
  },
  "long-running-queries": {
    summary: "statements that run for more than five minutes",
    sql: `select pid as "Pid", now() - query_start as "Duration", query as "Query" from pg_stat_activity
      where state <> 'idle' and now() - query_start > interval '5 minutes' and datname = current_database()
        and pid <> pg_backend_pid() and backend_type = 'client backend' order by query_start`,
  },
  bloat: {
    summary: "tables by the rows that are dead and not yet vacuumed",
    sql: `select ${NAME} as "Table", n_live_tup as "Live rows", n_dead_tup as "Dead rows",
        to_char(coalesce(100.0 * n_dead_tup / nullif(n_live_tup + n_dead_tup, 0), 0), 'FM990.0') || '%' as "Dead",
        pg_size_pretty((pg_table_size(relid) * coalesce(n_dead_tup::numeric / nullif(n_live_tup + n_dead_tup, 0), 0))::bigint) as "Waste, about"
      from pg_stat_user_tables where schemaname ${NOT_PLATFORM} order by n_dead_tup desc, 1`,
  },
  "role-stats": {
    summary: "roles with their connections and settings",
    sql: `select r.rolname as "Role", (select count(*) from pg_stat_activity a where a.usesysid = r.oid) as "Active connections",
        case when r.rolconnlimit < 0 then current_setting('max_connections') else r.rolconnlimit::text end as "Connection limit",
        array_to_string(r.rolconfig, ', ') as "Settings" from pg_roles r where r.rolname !~ '^pg_' order by 2 desc, 1`,
  },
  "vacuum-stats": {
    summary: "when tables were vacuumed, and whether they should be",
    sql: `select ${NAME} as "Table", coalesce(last_vacuum::text, '') as "Last vacuum",
        coalesce(last_autovacuum::text, '') as "Last autovacuum", n_live_tup as "Rows", n_dead_tup as "Dead rows",
        n_dead_tup > current_setting('autovacuum_vacuum_threshold')::bigint
          + current_setting('autovacuum_vacuum_scale_factor')::float * n_live_tup as "Autovacuum expected"
      from pg_stat_user_tables where schemaname ${NOT_PLATFORM} order by n_dead_tup desc, 1`,
  },
  "table-stats": {
    summary: "tables with sizes, rows and sequential scans",
    sql: `select "Table", pg_size_pretty(pg_table_size(oid)) as "Table size", pg_size_pretty(pg_indexes_size(oid)) as "Index size",
        pg_size_pretty(pg_total_relation_size(oid)) as "Total size", n_live_tup as "Rows, about", seq_scan as "Sequential scans"
      from (${TABLES}) t order by pg_total_relation_size(oid) desc, 1`,
  },
  "cache-hit": {
    summary: "how often indexes and tables are read from memory",
    sql: `select 'index hit rate' as "Name", to_char(sum(idx_blks_hit) / nullif(sum(idx_blks_hit + idx_blks_read), 0), 'FM0.000') as "Ratio"
      from pg_statio_user_indexes
      union all select 'table hit rate', to_char(sum(heap_blks_hit) / nullif(sum(heap_blks_hit + heap_blks_read), 0), 'FM0.000')
      from pg_statio_user_tables`,
  },
  "index-usage": {
    summary: "the share of scans that use an index, by table",
    sql: `select "Table", coalesce(to_char(100.0 * idx_scan / nullif(seq_scan + idx_scan, 0), 'FM990'), 'no scans') as "Index used (%)",
        n_live_tup as "Rows, about" from (${TABLES}) t order by n_live_tup desc nulls last, 1`,
  },
  "index-sizes": {
    summary: "indexes by size",
    sql: `select format('%I.%I', schemaname, indexrelname) as "Index", pg_size_pretty(pg_relation_size(indexrelid)) as "Size"
      from pg_stat_user_indexes where schemaname ${NOT_PLATFORM} order by pg_relation_size(indexrelid) desc, 1`,
  },
  "total-index-size": {
    summary: "the size of all indexes together",
    sql: `select pg_size_pretty(coalesce(sum(pg_relation_size(indexrelid)), 0)) as "Size" from pg_stat_user_indexes where schemaname ${NOT_PLATFORM}`,
  },
  "table-sizes": {
    summary: "tables by size, without their indexes",
    sql: `select "Table", pg_size_pretty(pg_table_size(oid)) as "Size" from (${TABLES}) t order by pg_table_size(oid) desc, 1`,
  },
  "table-index-sizes": {
    summary: "tables by the size of their indexes",
    sql: `select "Table", pg_size_pretty(pg_indexes_size(oid)) as "Index size" from (${TABLES}) t order by pg_indexes_size(oid) desc, 1`,
  },
  "total-table-sizes": {
    summary: "tables by size, with their indexes",
    sql: `select "Table", pg_size_pretty(pg_total_relation_size(oid)) as "Size" from (${TABLES}) t order by pg_total_relation_size(oid) desc, 1`,
  },
  "unused-indexes": {
    summary: "indexes that are hardly used, and take space",
    sql: `select ${NAME} as "Table", format('%I.%I', schemaname, indexrelname) as "Index",
        pg_size_pretty(pg_relation_size(i.indexrelid)) as "Size", idx_scan as "Scans"
      from pg_stat_user_indexes i join pg_index x on x.indexrelid = i.indexrelid
      where schemaname ${NOT_PLATFORM} and not x.indisunique and idx_scan < 50 and pg_relation_size(i.relid) > 5 * 8192
      order by pg_relation_size(i.indexrelid) desc, 2`,
  },
  "table-record-counts": {
    summary: "tables by rows, as the statistics estimate them",
    sql: `select "Table", n_live_tup as "Rows, about" from (${TABLES}) t order by n_live_tup desc nulls last, 1`,
  },
  "seq-scans": {
    summary: "tables by how often they are read from end to end",
    sql: `select "Table", seq_scan as "Scans" from (${TABLES}) t order by seq_scan desc nulls last, 1`,
  },
  "role-configs": {
    summary: "settings of roles",
    sql: `select rolname as "Role", array_to_string(rolconfig, ', ') as "Settings" from pg_roles where rolconfig is not null order by 1`,
  },
  "role-connections": {
    summary: "connections by role",
    sql: `select r.rolname as "Role", count(a.pid) as "Active connections",
        case when r.rolconnlimit < 0 then current_setting('max_connections') else r.rolconnlimit::text end as "Connection limit"
      from pg_roles r left join pg_stat_activity a on a.usesysid = r.oid where r.rolname !~ '^pg_' group by r.oid, r.rolname, r.rolconnlimit order by 2 desc, 1`,
  },
  "toast-sizes": {
    summary: "tables by what is stored out of line",
    sql: `select format('%I.%I', n.nspname, c.relname) as "Table", pg_size_pretty(pg_total_relation_size(c.reltoastrelid)) as "TOAST size",
        coalesce(s.n_dead_tup, 0) as "Dead chunks" from pg_class c join pg_namespace n on n.oid = c.relnamespace
        left join pg_stat_all_tables s on s.relid = c.reltoastrelid
      where c.reltoastrelid <> 0 and c.relkind in ('r', 'm') and n.nspname ${NOT_PLATFORM} order by pg_total_relation_size(c.reltoastrelid) desc, 1`,
  },
  "xid-age": {
    summary: "tables by the age of their oldest transaction",
    sql: `select format('%I.%I', n.nspname, c.relname) as "Table", age(c.relfrozenxid) as "Transactions",
        to_char(100.0 * age(c.relfrozenxid) / current_setting('autovacuum_freeze_max_age')::bigint, 'FM990.0') || '%' as "Of the limit"
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm') and n.nspname ${NOT_PLATFORM} order by 2 desc, 1`,
  },
  "traffic-profile": {
    summary: "tables by whether they are mostly read or mostly written, in blocks",
    sql: `with tables as (select format('%I.%I', s.schemaname, s.relname) as name, heap_blks_read + heap_blks_hit as read,
          ceil((n_tup_ins + n_tup_upd + n_tup_del) * greatest(c.relpages, 1) / greatest(c.reltuples, 1)::numeric) as written,
          n_tup_ins + n_tup_upd + n_tup_del as rows
        from pg_statio_user_tables io join pg_stat_user_tables s using (relid, schemaname, relname) join pg_class c on c.oid = relid
        where s.schemaname ${NOT_PLATFORM})
      select name as "Table", read as "Blocks read", rows as "Rows written", written as "Blocks written, estimated",
        case when read + written = 0 then 'unused' when written = 0 then 'only read' when read = 0 then 'only written'
          when read > 10 * written then 'mostly read' when written > 10 * read then 'mostly written' else 'both' end as "Profile",
        to_char(read / nullif(written, 0), 'FM999999990.0') as "Reads for each write"
      from tables order by read + written desc, 1`,
  },
  "collation-drift": {
    summary:
      "indexes whose order another version of the collation library made, with the statement that rebuilds each",
    sql: `select c.oid::regclass as "Index", x.indrelid::regclass as "Table", quote_ident(l.collname) as "Collation",
        recorded.version as "Built with", recorded.actual as "Installed",
        format('reindex index concurrently %s;', c.oid::regclass) as "Statement"
      from pg_index x join pg_class c on c.oid = x.indexrelid, unnest(x.indcollation::oid[]) as used (id)
      join pg_collation l on l.oid = used.id
      cross join lateral (
        select l.collversion as version, pg_collation_actual_version(l.oid) as actual where l.collname <> 'default'
        union all select d.datcollversion, pg_database_collation_actual_version(d.oid) from pg_database d
          where d.datname = current_database() and l.collname = 'default'
      ) as recorded
      where recorded.version is distinct from recorded.actual order by 2, 1`,
  },
};
