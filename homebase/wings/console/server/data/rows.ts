/**
 * Owns a page of a table's rows as a lens sees them. Visibility is asked and never guessed: the page is read as postgres,
 * and then the same keys by the lens in REST's own transaction.
 */
import type pg from "pg";
import { arrayLiteral, quote, quoteLiteral, quoteName } from "../../../../src/postgres/quoting.ts";
import type { Lens as Caller } from "../../../../src/rest/execute/as.ts";
import type { DataRow, DataRows, DataTable, RowsAsk, TableName } from "../api.ts";
import { inDatabase, type Source } from "../owner-connections.ts";
import { asCaller, callerOf } from "./lens.ts";
import { columnsOf, namingColumn, readTable } from "./tables.ts";
import { conditionOf, searches } from "./where.ts";

export const PAGE = 100;
/** Characters of a cell. */
const MOST_IN_CELL = 200;
/** Of one value in the details. */
const MOST_IN_ROW = 64 * 1024;
/** Counted exactly. */
const MOST_COUNTED = 10_000;
const MOST_NAME = 80;
export const PATIENCE =
  "set local statement_timeout = '10s'; set local idle_in_transaction_session_timeout = '15s'";

/** @throws CallRefused, and Postgres's error of a filter's value */
export async function rowsOf(source: Source, { as, ...ask }: RowsAsk): Promise<DataRows> {
  return rowsAs(source, await callerOf(source, as), ask);
}

/** @param caller undefined for postgres, who gets every row */
export async function rowsAs(
  source: Source,
  caller: Caller | undefined,
  ask: Omit<RowsAsk, "as">,
): Promise<DataRows> {
  const { table, withheld, ...page } = await readOnly(source, async (client) => {
    const table = await readTable(client, ask.table, source.backend.config.api.schemas);
    const found = await pageOf(client, table, ask);
    return { table, ...found, withheld: caller ? await withheldFrom(client, table, caller.role) : [] };
  });
  const where = conditionOf(ask.where, table);
  return {
    ...page,
    withheld,
    ...(caller ? await seenBy(source, caller, table, page.keys, where) : { hidden: [] }),
  };
}

async function pageOf(
  client: pg.ClientBase,
  table: DataTable,
  ask: Omit<RowsAsk, "as">,
): Promise<Pick<DataRows, "rows" | "cut" | "keys" | "total" | "names" | "next">> {
  const { columns } = table;
  const where = conditionOf(ask.where, table);
  const order = orderOf(table, ask.order);
  const cells = columns.map(({ name }) => `left(${quote(name)}::text, ${MOST_IN_CELL + 1})`);
  const keys = table.key.map((name) => `${quote(name)}::text`);
  const cursor = order.map(({ column }) => `${quote(column)}::text`);
  const begun = order.length === 0 && ask.after ? Number(ask.after[0]) || 0 : 0;
  const rest = ask.after ? behind(order, ask.after) : "true";
  const ordered = `${orderText(order)} limit ${PAGE + 1} offset ${begun}`;
  // Texts are made of the page's rows only, and a column of the order is not one of the result.
  const read = async (source: string) => {
    const { rows } = await client.query<[(string | null)[], (string | null)[], (string | null)[]]>({
      text: `select array[${cells.join(", ")}]::text[], array[${keys.join(", ")}]::text[], array[${cursor.join(", ")}]::text[]
        from (select * from ${source} ${ordered}) page`,
      rowMode: "array",
    });
    return rows;
  };
  const all = `${quoteName(table)} where (${where}) and (${rest})`;
  const text = searches(ask.where);
  // A frequent text is soon found in the order of the key. For a rare one that order reads the whole table in one process.
  const near = `(select * from ${quoteName(table)} where ${rest} ${orderText(order)} limit ${MOST_COUNTED}) near where ${where}`;
  let rows = text && order.length > 0 && !ask.order ? await read(near) : [];
  if (rows.length <= PAGE) rows = await read(text ? `(select * from ${all} offset 0) found` : all);
  const shown = rows.slice(0, PAGE);
  const cut: [number, number][] = [];
  const values = shown.map(([row], at) =>
    row.map((value, column) => {
      if (value === null || value.length <= MOST_IN_CELL) return value;
      cut.push([at, column]);
      return value.slice(0, MOST_IN_CELL);
    }),
  );
  const next =
    rows.length <= PAGE ? undefined : order.length > 0 ? shown.at(-1)?.[2] : [String(begun + PAGE)];
  return {
    rows: values,
    cut,
    keys: shown.map(([, key]) => key.map(String)),
    // A page that is not full has all of them, and a rare text is not looked for twice.
    total:
      rows.length <= PAGE && !ask.after
        ? { count: rows.length, as: "exact" }
        : await totalOf(client, table, where),
    names: await namesOf(client, table, values),
    next,
  };
}

/** The asked column, then the key, so that the order of a page is total. */
export function orderOf({ key, columns }: DataTable, asked: RowsAsk["order"]) {
  const own = asked && columns.some(({ name, sortable }) => sortable && name === asked.column) ? [asked] : [];
  return [
    ...own,
    // A page after another one needs a key to go on from; without one rows come as they lie.
    ...key.filter((column) => column !== asked?.column).map((column) => ({ column, descending: false })),
  ].slice(0, key.length === 0 ? 0 : undefined);
}

type Order = ReturnType<typeof orderOf>;

export function orderText(order: Order): string {
  if (order.length === 0) return "";
  const terms = order.map(
    ({ column, descending }) => `${quote(column)} ${descending ? "desc" : "asc"} nulls last`,
  );
  return `order by ${terms.join(", ")}`;
}

/** The condition of the rows behind one, by the values of the order's columns. Nulls are the last. */
function behind(order: Order, after: readonly (string | null)[]): string {
  const [first, ...rest] = order;
  if (!first) return "true";
  const [value = null, ...values] = after;
  const column = quote(first.column);
  const further = rest.length === 0 ? "false" : behind(rest, values);
  if (value === null) return `${column} is null and (${further})`;
  const literal = quoteLiteral(value);
  return `${column} ${first.descending ? "<" : ">"} ${literal} or ${column} is null or (${column} = ${literal} and (${further}))`;
}

async function totalOf(client: pg.ClientBase, table: DataTable, where: string): Promise<DataRows["total"]> {
  const { rows } = await client.query<{ counted: number; estimate: number }>(
    `select (select count(*)::int from (select from ${quoteName(table)} where ${where} limit ${MOST_COUNTED + 1}) c) as counted,
       (select reltuples::float8 from pg_catalog.pg_class where oid = ${quoteLiteral(quoteName(table))}::regclass) as estimate`,
  );
  const { counted = 0, estimate = 0 } = rows[0] ?? {};
  if (counted <= MOST_COUNTED) return { count: counted, as: "exact" };
  // Postgres estimates a table of which it has statistics, and no filter.
  if (where === "true" && estimate > MOST_COUNTED) return { count: estimate, as: "estimate" };
  return { count: MOST_COUNTED, as: "least" };
}

/** The number of rows, as far as they are counted. */
async function countOf(client: pg.ClientBase, table: TableName, where: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from (select from ${quoteName(table)} where ${where} limit ${MOST_COUNTED}) c`,
  );
  return rows[0]?.count ?? 0;
}

/** What a person calls the rows that foreign keys lead to. */
async function namesOf(
  client: pg.ClientBase,
  table: DataTable,
  rows: readonly (readonly (string | null)[])[],
): Promise<DataRows["names"]> {
  const names: DataRows["names"] = {};
  for (const { columns, table: other, targets } of table.references) {
    const [[column, ...more], [target]] = [columns, targets];
    // Of a key of several columns no single value has a name.
    if (column === undefined || target === undefined || more.length > 0) continue;
    const at = table.columns.findIndex(({ name }) => name === column);
    const values = [...new Set(rows.map((row) => row[at]).filter((one) => typeof one === "string"))];
    const name = values.length === 0 ? undefined : await namingOf(client, other);
    if (name === undefined) continue;
    const found = await client.query<{ key: string; name: string }>(
      `select ${quote(target)}::text as key, left(${quote(name)}::text, ${MOST_NAME}) as name from ${quoteName(other)}
       where ${quote(target)}::text = any($1) and ${quote(name)} is not null`,
      [values],
    );
    names[column] = Object.fromEntries(found.rows.map(({ key, name }) => [key, name]));
  }
  return names;
}

async function namingOf(client: pg.ClientBase, other: TableName): Promise<string | undefined> {
  // The first text of a user is the id of an instance.
  if (other.schema === "auth" && other.name === "users") return "email";
  const table = await readTable(client, other, []).catch(() => undefined);
  return table && namingColumn(table);
}

export async function withheldFrom(client: pg.ClientBase, table: DataTable, role: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.attname::text as name from pg_catalog.pg_attribute a, pg_catalog.pg_roles r
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and r.rolname = $2
       and not pg_catalog.has_column_privilege(r.oid, a.attrelid, a.attnum, 'select')`,
    [quoteName(table), role],
  );
  return rows.map(({ name }) => name);
}

/** Which of the keys the caller gets; the number of rows for a table without a key. */
async function seenBy(
  source: Source,
  caller: Caller,
  table: DataTable,
  keys: readonly string[][],
  where: string,
): Promise<Pick<DataRows, "hidden" | "refused" | "seen">> {
  const types = table.key.map((key) => table.columns.find(({ name }) => name === key)?.type ?? "text");
  try {
    if (table.key.length === 0) {
      const seen = await asCaller(source, caller, (client) => countOf(client, table, where), { table });
      return { hidden: [], seen };
    }
    const columns = table.key.map((_, at) => `k${at}`);
    const given = table.key.map((_, at) => `pg_catalog.unnest($${at + 1}::text[])`).join(", ");
    const equal = table.key.map((key, at) => `t.${quote(key)} = q.k${at}::${types[at]}`).join(" and ");
    const got = await asCaller(
      source,
      caller,
      (client) =>
        client.query<{ place: number }>(
          `select q.i::int - 1 as place from rows from (${given}) with ordinality as q(${columns.join(", ")}, i)
           join ${quoteName(table)} t on ${equal}`,
          table.key.map((_, at) => arrayLiteral(keys.map((key) => key[at] ?? ""))),
        ),
      { table },
    );
    const seen = new Set(got.rows.map(({ place }) => place));
    return { hidden: keys.flatMap((_, at) => (seen.has(at) ? [] : [at])) };
  } catch (error) {
    // Postgres's refusal of the role is the answer; any other error is one of this call.
    if (typeof (error as { code?: unknown }).code !== "string") throw error;
    return { hidden: keys.map((_, at) => at), refused: (error as Error).message };
  }
}

/** A row with all of its text, and what leads to it. */
export async function rowOf(
  source: Source,
  { table: name, key }: { table: TableName; key: string[] },
): Promise<DataRow> {
  return readOnly(source, async (client) => {
    const table = await readTable(client, name, source.backend.config.api.schemas);
    const cells = table.columns.map((one) => `left(${quote(one.name)}::text, ${MOST_IN_ROW + 1})`);
    const { rows } = await client.query<[(string | null)[]]>({
      text: `select array[${cells.join(", ")}]::text[] from ${quoteName(table)} where ${keyText(table, key)}`,
      rowMode: "array",
    });
    const read = rows[0]?.[0];
    if (!read) return { cut: [], references: [], pointsHere: [] };
    const cut = read.flatMap((value, at) => ((value?.length ?? 0) > MOST_IN_ROW ? [at] : []));
    const values = read.map((value) => value?.slice(0, MOST_IN_ROW) ?? null);
    const ownValue = (name: string) => values[table.columns.findIndex((one) => one.name === name)] ?? null;
    const references: DataRow["references"] = [];
    for (const { columns, table: other, targets } of table.references) {
      const found = columns.map(ownValue);
      const full = found.filter((one) => one !== null);
      if (full.length < columns.length) continue;
      const naming = await namingOf(client, other);
      const text = `select left(${quote(naming ?? "")}::text, ${MOST_NAME}) as name from ${quoteName(other)}
        where ${equalTo(targets, full)} limit 1`;
      const named = naming === undefined ? undefined : await client.query<{ name: string | null }>(text);
      const name = named?.rows[0]?.name ?? undefined;
      references.push({ columns, table: other, targets, name, values: full });
    }
    return { values, cut, references, pointsHere: await pointingTo(client, table, ownValue) };
  });
}

/** A row by its key; literals take the types of their columns. */
export function keyText({ key: columns }: DataTable, key: readonly string[]): string {
  return equalTo(columns, key) || "false";
}

function equalTo(columns: readonly string[], values: readonly string[]): string {
  return columns.map((column, at) => `${quote(column)} = ${quoteLiteral(values[at] ?? "")}`).join(" and ");
}

const POINTING = `select n.nspname as schema, c.relname as name, ${columnsOf("conrelid", "conkey")} as columns,
    ${columnsOf("confrelid", "confkey")} as targets
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where k.confrelid = $1::regclass and k.contype = 'f' and k.conparentid = 0 and not c.relispartition
  order by 1, 2, k.conkey`;

async function pointingTo(
  client: pg.ClientBase,
  table: DataTable,
  ownValue: (column: string) => string | null,
): Promise<DataRow["pointsHere"]> {
  const { rows } = await client.query<TableName & { columns: string[]; targets: string[] }>(POINTING, [
    quoteName(table),
  ]);
  const found: DataRow["pointsHere"] = [];
  for (const { schema, name, columns, targets } of rows) {
    const values = targets.map(ownValue).filter((one) => one !== null);
    if (values.length < targets.length) continue;
    const count = await countOf(client, { schema, name }, equalTo(columns, values));
    found.push({ table: { schema, name }, columns, values, count });
  }
  return found;
}

/** As postgres, who reads everything; nothing is written. */
export function readOnly<T>(source: Source, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  return inDatabase(source, async (client) => {
    await client.query(`begin read only; ${PATIENCE}`);
    const result = await work(client);
    await client.query("commit");
    return result;
  });
}
