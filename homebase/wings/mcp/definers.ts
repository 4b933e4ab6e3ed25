/**
 * Owns noticing that a statement ran functions with their owner's rights (security definer), which read what is withheld
 * from its login. Postgres's own statistics tell it: they are on for this login only (bootstrap/logins.sql), who cannot
 * turn them off, and a function counts wherever it is called from.
 */
import type pg from "pg";
import { SqlRefused } from "./sql-refused.ts";

/** Those of superusers are the stack's own, and none of them reads for its caller. */
const OF_PROJECTS = `pg_catalog.pg_proc p join pg_catalog.pg_roles r on r.oid operator(pg_catalog.=) p.proowner
  where p.prosecdef and not r.rolsuper`;
/** An entry stands here as soon as a function begins, also where it raises an error. */
const CALLED = `select p.oid::pg_catalog.regprocedure::pg_catalog.text as name from ${OF_PROJECTS}
  and pg_catalog.pg_stat_get_xact_function_calls(p.oid) is not null order by 1 limit 3`;
/** Parallel workers report their own calls, when they end. */
const REPORTED = `select pg_catalog.sum(pg_catalog.pg_stat_get_function_calls(p.oid))::pg_catalog.text as calls
  from (select pg_catalog.pg_stat_clear_snapshot()) fresh, ${OF_PROJECTS}`;

/** To be called before a statement. @returns what throws SqlRefused after it, where such a function has run */
export async function watchDefiners(
  client: pg.ClientBase,
): Promise<(error?: pg.DatabaseError) => Promise<void>> {
  const reported = async () => (await client.query<{ calls: string | null }>(REPORTED)).rows[0]?.calls;
  const before = await reported();
  return async (error) => {
    const { rows } = await client.query<{ name: string }>(CALLED);
    const names = rows.map(({ name }) => name).join(", ");
    const ofWorker = error?.where?.includes("parallel worker") || before !== (await reported());
    if (rows.length === 0 && !ofWorker) return;
    throw new SqlRefused(
      `${names === "" ? "A function" : names} runs with its owner's rights (security definer), which may read passwords and tokens, so the result is not shown. Read the tables instead.`,
    );
  };
}
