/** Owns the functions that policies call: which they are, their statements, and their definitions with others. */
import type pg from "pg";
import { ExplainError, Session } from "./explanation-transaction.ts";
import { readBodyOf } from "./function-bodies.ts";

export interface Called {
  oid: number;
  /** With its arguments' types. */
  name: string;
  definition: string;
  /** Absent for a body that is a string. */
  sqlBody: string | null;
}

/**
 * The project's functions that policies call, and those that these call, each with its statement or the reason why that
 * cannot be read. A function that a string names is found once its caller has a body that is bound.
 * @param left the schema whose functions are left out.
 */
export async function* calledFunctions(
  client: pg.ClientBase,
  left: string | null = null,
): AsyncGenerator<Called & ({ text: string } | { reason: string })> {
  const seen = new Set<number>();
  const waiting = await calledBy(client, left);
  for (let one = waiting.shift(); one; one = waiting.shift()) {
    if (seen.has(one.oid)) continue;
    seen.add(one.oid);
    const { oid } = one;
    const read = await Session.run(client, {}, (session) => readBodyOf(session, oid)).catch(
      (error: unknown) => {
        if (error instanceof ExplainError) return { reason: error.message };
        throw error;
      },
    );
    yield { ...one, ...("reason" in read ? read : { text: read.text }) };
    waiting.push(...(await calledBy(client, left, oid)));
  }
}

async function calledBy(client: pg.ClientBase, left: string | null, caller?: number): Promise<Called[]> {
  const { rows } = await client.query<Called>(
    `select distinct p.oid::int8::int as oid, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name, pg_get_functiondef(p.oid) as definition,
       pg_get_function_sqlbody(p.oid) as "sqlBody"
     from pg_depend d join pg_proc p on p.oid = d.refobjid join pg_namespace n on n.oid = p.pronamespace
     where d.refclassid = 'pg_proc'::regclass and p.prokind = 'f' and pg_get_userbyid(p.proowner) !~ '^supabase_'
       and pg_has_role(p.proowner, 'usage') and n.nspname is distinct from $2
       and case when $1::oid is null then d.classid = 'pg_policy'::regclass
         else d.classid = 'pg_proc'::regclass and d.objid = $1 end
       and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid
         and e.refclassid = 'pg_extension'::regclass and e.deptype in ('e', 'x'))
     order by 2`,
    [caller ?? null, left],
  );
  return rows;
}

/** The statement that gives a function another body; owner and rights stay. @param text as `readBody` gives it. */
export function withBody({ definition, sqlBody }: Called, text: string): string {
  const end = sqlBody === null ? definition.search(/^AS \$/m) : definition.lastIndexOf(sqlBody);
  const body = /^\s*(select|with|insert|update|delete|values)\b/i.test(text)
    ? `begin atomic ${text}; end`
    : `return ${text}`;
  return `${definition.slice(0, end)} ${body}`;
}
