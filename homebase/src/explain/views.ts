/** Owns what a view reads, and with whose rights: its owner's, unless it is `security_invoker`. */

import type { Table } from "./database/access.ts";
import type { Caller, Session } from "./database/session.ts";
import type { ViewReading } from "./explanation.ts";
import { explainRows } from "./why.ts";

/** The tables of a view, judged with the rights that it reads with. */
export async function baseTables(session: Session, caller: Caller, { oid }: Table): Promise<ViewReading> {
  const rows = await session.rows<{ invoker: boolean; owner: string; schema: string; name: string }>(
    `select coalesce(v.reloptions::text[] && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1'], false) as invoker,
       pg_catalog.pg_get_userbyid(v.relowner)::text as owner, n.nspname as schema, c.relname as name
     from pg_catalog.pg_class v
     join pg_catalog.pg_rewrite r on r.ev_class = v.oid
     join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
       and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid <> v.oid
     join pg_catalog.pg_class c on c.oid = d.refobjid and c.relkind in ('r', 'p')
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where v.oid = $1 group by 1, 2, 3, 4 order by 3, 4`,
    [oid],
  );
  const [first] = rows;
  const reading: ViewReading = { invoker: first?.invoker ?? false, owner: first?.owner ?? "", tables: [] };
  const role = reading.invoker ? caller.role : reading.owner;
  for (const { schema, name } of rows) {
    const where = { alias: name, text: "", values: [] };
    const explained = await explainRows(session, { ...caller, role }, { schema, name }, { where });
    reading.tables.push({ table: { schema, name }, explained });
  }
  return reading;
}
