/** Owns what a view reads, and with whose rights: its owner's, unless it is `security_invoker`. */

import { quote, quoteName } from "../postgres/quoting.ts";
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import { whereOf } from "./again.ts";
import { readAccess, readTable, type Table } from "./database/before-policies.ts";
import type { Caller } from "./database/explained-caller.ts";
import type { Session } from "./database/explanation-transaction.ts";
import { namedScans } from "./database/partitions.ts";
import type { ViewReading } from "./explanation.ts";
import type { Where } from "./judge.ts";
import { readPlan } from "./trace.ts";
import { explainRows, type Judging } from "./why.ts";

/** The rows of a view are counted up to here. */
const MOST_ROWS = 1_000;

/** A table that a view reads, by other views too. */
export interface BaseTable {
  table: QualifiedName;
  /** With whose rights it is read. */
  role: string;
  /** The columns that the view names. */
  columns: string[];
}

export interface ViewFacts {
  invoker: boolean;
  owner: string;
  /** The owners as whom it reads, and other views that it reads do, where row security may restrict them. */
  owners: string[];
  tables: BaseTable[];
}

interface Facts {
  invoker: boolean;
  owner: string;
  restricted: boolean;
  references: Reference[];
}

interface Reference extends QualifiedName {
  oid: number;
  view: boolean;
  columns: string[];
}

/**
 * The tables of a view, and of the views that it reads. A `security_invoker` view reads its tables as the caller, also
 * where a view without it reads that one.
 */
export async function viewFacts(
  session: Session,
  caller: Caller,
  { oid }: Pick<Table, "oid">,
): Promise<ViewFacts> {
  const seen = new Set<number>();
  const tables = new Map<string, BaseTable>();
  const owners = new Set<string>();
  const visit = async (view: number): Promise<{ invoker: boolean; owner: string }> => {
    seen.add(view);
    const [facts] = await session.known<Facts>(VIEW, [view]);
    const { invoker = false, owner = "", restricted = false, references = [] } = facts ?? {};
    if (restricted && !invoker) owners.add(owner);
    const role = invoker ? caller.role : owner;
    for (const one of references) {
      if (one.view && !seen.has(one.oid)) await visit(one.oid);
      else if (!one.view) {
        const table = { schema: one.schema, name: one.name };
        tables.set(`${quoteName(table)} ${role}`, { table, role, columns: one.columns });
      }
    }
    return { invoker, owner };
  };
  const own = await visit(oid);
  return { ...own, owners: [...owners], tables: [...tables.values()] };
}

const VIEW = `
select coalesce(v.reloptions::text[] && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1', 'security_invoker=yes'], false) as invoker,
  pg_catalog.pg_get_userbyid(v.relowner)::text as owner,
  (select not (rolsuper or rolbypassrls) from pg_catalog.pg_roles r where r.oid = v.relowner) as restricted,
  (select coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(one) order by one.schema, one.name), '[]') from (
    select c.oid::int8::int as oid, c.relkind in ('v', 'm') as view, n.nspname as schema, c.relname as name,
      coalesce(pg_catalog.array_agg(a.attname::text) filter (where a.attname is not null), '{}') as columns
    from pg_catalog.pg_rewrite r join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
        and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid <> v.oid
      join pg_catalog.pg_class c on c.oid = d.refobjid and c.relkind in ('r', 'p', 'v', 'm')
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid and a.attnum > 0
    where r.ev_class = v.oid group by 1, 2, 3, 4) as one) as references
from pg_catalog.pg_class v where v.oid = $1`;

/** The primary key of a table of the view whose columns have the same names in the view; empty for none. */
export async function viewKey(session: Session, caller: Caller, view: Table): Promise<string[]> {
  const names = new Set(view.columns.map(({ name }) => name));
  for (const { table } of (await viewFacts(session, caller, view)).tables) {
    const { key } = await readTable(session, table);
    if (key.length > 0 && key.every((one) => names.has(one))) return key;
  }
  return [];
}

/** What a view returns, and its tables, each judged with the rights that it is read with for the request's rows. */
export async function explainView(
  { session, caller, collect }: Judging,
  view: Table,
  where: Where,
): Promise<ViewReading> {
  const { tables, owners, ...facts } = await viewFacts(session, caller, view);
  const reading: ViewReading = { ...facts, tables: [] };
  for (const { table, role, columns } of tables) {
    const access = await readAccess(session, role, await readTable(session, table), "select", columns);
    if (!access.granted) reading.refused ??= { table, role, access };
  }
  if (reading.refused) return reading;
  // A transaction that may not write cannot lift the owner's row security.
  const restricted = session.readOnly && owners.length > 0;
  if (restricted) reading.cut = `row security restricts its owner ${owners.join(", ")}`;
  const from = `from ${quoteName(view.name)} as ${quote(where.alias)} where ${where.text === "" ? "true" : where.text}`;
  const run = async (text: string, bypass: boolean) => {
    const statement = { text, values: where.values as string[] };
    const { rows, error, cut } = await session.ran(statement, { ...caller, bypass, owners });
    if (error) reading.error = `code ${error.code}: ${error.message}`;
    if (cut !== undefined) reading.cut = cut;
    return rows[0]?.[0] as unknown;
  };
  const counted = `select pg_catalog.count(*) from (select ${from} limit ${MOST_ROWS}) as z`;
  const own = await run(counted, false);
  if (reading.error !== undefined) return reading;
  const all = reading.cut === undefined ? await run(counted, true) : undefined;
  if (reading.cut === undefined) {
    reading.rows = Number(own);
    reading.withoutRowSecurity = Number(all);
  }
  const [plan] = (await run(`explain (verbose, format json) select ${from}`, true)) as [{ Plan: object }];
  const isNamed = ({ schema, name }: QualifiedName) =>
    tables.some(({ table }) => table.schema === schema && table.name === name);
  const scans = await namedScans(session, readPlan(plan.Plan).scans, isNamed);
  for (const { table, role } of tables) {
    const own = scans.filter((one) => quoteName(one.table) === quoteName(table));
    // All of its rows where the view reads it several times, or its scan has the conditions of policies.
    const [scan] = own.length === 1 && !restricted ? own : [];
    const where = scan
      ? await whereOf({ session, caller }, scan)
      : { alias: table.name, text: "", values: [] };
    const explained = await explainRows({ session, caller: { ...caller, role }, collect }, table, { where });
    reading.tables.push({ table, explained });
  }
  return reading;
}
