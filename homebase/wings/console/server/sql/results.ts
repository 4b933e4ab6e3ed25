/** Owns what the page gets of each result: the types of its columns, and whether its rows are those of one table. */
import type pg from "pg";
import type { FileStatement } from "../../../../src/postgres/statements/split.ts";
import type { SqlResult } from "../api.ts";
import { readTable } from "../data/tables.ts";
import { inDatabase, type Source } from "../owner-connections.ts";
import type { Limited } from "./limited-query.ts";

/** A statement that has run. */
export interface Ran {
  statement: FileStatement;
  limited: Limited;
  milliseconds: number;
}

const TYPES = `select t.oid::int as id, pg_catalog.format_type(t.oid, null) as type from pg_catalog.pg_type t
  where t.oid = any ($1::oid[])`;
const COLUMNS = `select n.nspname as schema, c.relname as name,
    (select pg_catalog.json_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a where a.attrelid = c.oid) as columns
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = $1 and c.relkind in ('r', 'p')`;

/** As postgres, who reads the whole catalogue. */
export function describeResults(
  source: Source,
  ran: readonly Ran[],
  explained: boolean,
): Promise<SqlResult[]> {
  return inDatabase(source, async (client) => {
    const ids = [...new Set(ran.flatMap(({ limited }) => limited.fields.map((one) => one.dataTypeID)))];
    const { rows } = await client.query<{ id: number; type: string }>(TYPES, [ids]);
    const types = new Map(rows.map(({ id, type }) => [id, type]));
    const results: SqlResult[] = [];
    for (const { statement, limited, milliseconds } of ran) {
      const { fields, ...rest } = limited;
      const table =
        rest.command === "SELECT" && !explained
          ? await tableOf(source, client, statement.text, fields)
          : undefined;
      results.push({
        ...rest,
        columns: fields.map(({ name, dataTypeID }) => ({ name, type: types.get(dataTypeID) ?? "" })),
        table,
        milliseconds,
      });
    }
    return results;
  });
}

/**
 * The table that all columns with an origin come from, where each row of the result is one row of it: the plan reads it
 * once and no other, so that a key and a value of a line are of the same row.
 */
async function tableOf(
  source: Source,
  client: pg.ClientBase,
  text: string,
  fields: readonly pg.FieldDef[],
): Promise<SqlResult["table"]> {
  const [id, other] = new Set(fields.map(({ tableID }) => tableID).filter((one) => one !== 0));
  if (id === undefined || other !== undefined) return undefined;
  const { rows } = await client.query<{ schema: string; name: string; columns: Record<string, string> }>(
    COLUMNS,
    [id],
  );
  const [origin] = rows;
  if (!origin) return undefined;
  const { schema, name } = origin;
  const columns = fields.map(({ tableID, columnID }) =>
    tableID === 0 ? null : (origin.columns[columnID] ?? null),
  );
  const named = columns.filter((one) => one !== null);
  // The Data view's tables alone are written, and a result that has no key of theirs names no row.
  const table = await readTable(client, origin, source.backend.config.api.schemas).catch(() => undefined);
  const keyed = table && table.key.length > 0 && table.key.every((key) => named.includes(key));
  if (!keyed || new Set(named).size < named.length) return undefined;
  const plan = await client
    .query<{ "QUERY PLAN": unknown }>(`explain (verbose, format json) ${text}`)
    .catch(() => undefined);
  const read = relationsOf(plan?.rows[0]?.["QUERY PLAN"]);
  return read.length === 1 && read[0] === `${schema}.${name}` ? { schema, name, columns } : undefined;
}

/** Every table that a plan reads, as often as it does. */
function relationsOf(plan: unknown): string[] {
  if (typeof plan !== "object" || plan === null) return [];
  const { "Relation Name": name, Schema: schema } = plan as Record<string, unknown>;
  const own = typeof name === "string" ? [`${schema}.${name}`] : [];
  return [...own, ...Object.values(plan).flatMap(relationsOf)];
}
