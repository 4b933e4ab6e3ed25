/** Owns checking the bodies of functions as Postgres itself can: by the validators of their languages. */
import pg from "pg";

/** The shape that the Supabase CLI's `db lint` prints. */
export interface FunctionIssues {
  function: string;
  issues: {
    level: "error";
    message: string;
    sqlState?: string;
    hint?: string;
    detail?: string;
    query?: { position: string };
  }[];
}

/**
 * Validates every function of the schemas whose language is plpgsql or sql. PL/pgSQL: the syntax of the body and of
 * the SQL in it. SQL: also that what it names is there, and its types. Leaves nothing in the database.
 */
export async function checkFunctions(
  client: pg.Client,
  schemas: readonly string[],
): Promise<FunctionIssues[]> {
  const { rows } = await client.query<{ oid: string; name: string; validator: string }>(
    `select p.oid::text as oid, format('%I.%I', n.nspname, p.proname) as name, l.lanvalidator::regproc::text as validator
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
     where n.nspname = any ($1) and l.lanname in ('plpgsql', 'sql') and p.prokind in ('f', 'p')
       and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     order by 2, p.oid`,
    [schemas],
  );
  const found: FunctionIssues[] = [];
  await client.query("begin; set local check_function_bodies = on");
  try {
    for (const { oid, name, validator } of rows) {
      await client.query("savepoint one");
      try {
        await client.query(`select ${validator}($1::oid)`, [oid]);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
        const { message, code, hint, detail, internalPosition, position } = error;
        const at = internalPosition ?? position;
        found.push({
          function: name,
          issues: [
            {
              level: "error",
              message,
              ...(code ? { sqlState: code } : {}),
              ...(hint ? { hint } : {}),
              ...(detail ? { detail } : {}),
              ...(at ? { query: { position: at } } : {}),
            },
          ],
        });
      }
      await client.query("rollback to savepoint one");
    }
  } finally {
    await client.query("rollback");
  }
  return found;
}
