/** Owns the question whether a database still holds what it held at an earlier moment, by the server's transactions. */
import type { Database } from "./database.ts";

/** After more transactions the database counts as changed. */
const MOST_TRANSACTIONS = 10_000;

/** The present moment, for `unchangedSince`. Read it before the values that are kept. */
export async function momentOf(database: Database): Promise<string> {
  const text = "select pg_catalog.pg_current_snapshot()::text as moment";
  return (await database.query<{ moment: string }>("postgres", text)).rows[0]?.moment ?? "";
}

/**
 * Whether no transaction has been committed since the moment, in any database of the server, so that rows and definitions
 * are the same. A rolled-back transaction is no change. Time, sequences and foreign servers are not compared.
 */
export async function unchangedSince(database: Database, moment: string): Promise<boolean> {
  const { rows } = await database.query<{ unchanged: boolean }>(
    "postgres",
    `with s as (select seen, pg_catalog.pg_snapshot_xmax(seen)::text::bigint as first,
         pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint - 1 as last
       from (select $1::pg_catalog.pg_snapshot as seen) given)
     select last - first < ${MOST_TRANSACTIONS} and not exists (
         select from (
           select pg_catalog.pg_snapshot_xip(seen) as id
           union all select number::text::pg_catalog.xid8
             from pg_catalog.generate_series(first, least(last, first + ${MOST_TRANSACTIONS})) number
         ) later where pg_catalog.pg_xact_status(id) = 'committed') as unchanged
     from s`,
    [moment],
  );
  return rows[0]?.unchanged ?? false;
}
