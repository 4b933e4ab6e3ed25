/** Owns copying rows from one database to another, with every row that they refer to, masked on the way. */
import type pg from "pg";
import { UserError } from "../../src/core/user-error.ts";
import { quote, quoteName } from "../../src/postgres/quoting.ts";
import { type ForeignKey, type Row, readCatalog, type Table } from "./catalog.ts";
import type { Mask } from "./mask.ts";
import { type Reason, Treatment } from "./treatment.ts";

export interface CopyRequest {
  /** Tables as `schema.table`, or `table` of schema public. Without any: all of schema public. */
  tables: readonly string[];
  /** Most rows of each chosen table; those that they refer to come besides. */
  limit: number;
  mask: Mask | undefined;
  /** Columns that stay as they are: `schema.table.column`, with `*` for any text. */
  unmasked: readonly string[];
}

/** Rows to be copied, and what happens to their columns. */
export interface CopyPlan {
  tables: { name: string; rows: number }[];
  masked: string[];
  /** Columns that stay, and why. */
  passed: { column: string; reason: Reason }[];
}

/** Text that reads the same on every server. */
const PLAIN =
  "set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'; set local extra_float_digits = 1; set local bytea_output = 'hex'";

/** A table that is asked for is not there. */
export class NoSuchTable extends UserError {}

/** Rows break a rule of the database that they are written to. */
export class UnfitRows extends UserError {}

/** Rows that were read, ready to be written. */
export class RowCopy {
  readonly plan: CopyPlan;
  readonly #tables: readonly Table[];
  readonly #rows: ReadonlyMap<string, Row[]>;

  private constructor(tables: readonly Table[], rows: ReadonlyMap<string, Row[]>, plan: CopyPlan) {
    this.#tables = tables;
    this.#rows = rows;
    this.plan = plan;
  }

  /** Reads the rows, of one moment. @throws NoSuchTable, NoValidValue */
  static async read(
    client: pg.Client,
    { tables: asked, limit, mask, unmasked }: CopyRequest,
  ): Promise<RowCopy> {
    await client.query(
      `begin isolation level repeatable read read only; set local row_security = off; ${PLAIN}`,
    );
    try {
      const catalog = await readCatalog(client);
      const { tables, keys } = catalog;
      const collected = await collect(client, tables, keys, choose(tables, asked), limit);
      const ordered = inOrder(tables, keys).filter(({ oid }) => (collected.get(oid)?.length ?? 0) > 0);
      const treated = mask
        ? await new Treatment(mask, { ...catalog, tables: ordered }, unmasked).apply(client, collected)
        : { masked: [], passed: [] };
      const counted = ordered.map(({ oid, schema, name }) => ({
        name: `${schema}.${name}`,
        rows: collected.get(oid)?.length ?? 0,
      }));
      return new RowCopy(ordered, collected, { tables: counted, ...treated });
    } finally {
      await client.query("rollback");
    }
  }

  /** Writes the rows in one transaction; those whose key is there already stay as they are. Triggers do not run. */
  async write(client: pg.Client): Promise<number> {
    let written = 0;
    await client.query(`begin; set local session_replication_role = replica; ${PLAIN}`);
    try {
      for (const table of this.#tables) {
        const names = table.columns.map(({ name }) => quote(name)).join(", ");
        // Without a cast: the columns here say what the values are, not the names of types over there.
        const values = table.columns.map((_, at) => `$${at + 1}`).join(", ");
        // Another unique value that is here already is an error: a row that is left out may be referred to.
        const conflict =
          table.key.length > 0 ? ` on conflict (${table.key.map(quote).join(", ")}) do nothing` : "";
        const text = `insert into ${quoteName(table)} (${names})${table.overriding ? " overriding system value" : ""} values (${values})${conflict}`;
        for (const row of this.#rows.get(table.oid) ?? [])
          written += (await client.query(text, row)).rowCount ?? 0;
      }
      await client.query("commit");
      return written;
    } catch (error) {
      await client.query("rollback");
      const { code, table, constraint, column } = error as {
        code?: string;
        table?: string;
        constraint?: string;
        column?: string;
      };
      if (!code?.startsWith("23")) throw error;
      throw new UnfitRows(
        `Nothing was copied: a row of ${table} does not fit in (${constraint ?? column}): ${(error as Error).message}`,
      );
    }
  }
}

function choose(tables: readonly Table[], asked: readonly string[]): Table[] {
  if (asked.length === 0) return tables.filter(({ schema }) => schema === "public");
  return asked.map((one) => {
    const [schema, name] = one.includes(".")
      ? [one.slice(0, one.indexOf(".")), one.slice(one.indexOf(".") + 1)]
      : ["public", one];
    const table = tables.find((each) => each.schema === schema && each.name === name);
    if (!table) throw new NoSuchTable(`The database has no table ${schema}.${name}.`);
    return table;
  });
}

/** The chosen rows and, for as long as there are new ones, the rows that they refer to. */
async function collect(
  client: pg.Client,
  tables: readonly Table[],
  keys: readonly ForeignKey[],
  chosen: readonly Table[],
  limit: number,
): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Map<string, Row>>();
  const byOid = new Map(tables.map((table) => [table.oid, table]));
  const add = (table: Table, found: readonly Row[]): Row[] => {
    const present = rows.get(table.oid) ?? new Map<string, Row>();
    rows.set(table.oid, present);
    return found.filter((row) => {
      const identity = JSON.stringify(
        pick(table, row, table.key.length > 0 ? table.key : table.columns.map(({ name }) => name)),
      );
      if (present.has(identity)) return false;
      present.set(identity, row);
      return true;
    });
  };
  const queue: [Table, Row[]][] = [];
  for (const table of chosen) {
    const order = table.key.length > 0 ? ` order by ${table.key.map(quote).join(", ")}` : "";
    queue.push([table, add(table, await readRows(client, table, `${order} limit ${limit}`, []))]);
  }
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [table, fresh] = next;
    for (const key of keys.filter(({ holder }) => holder === table.oid)) {
      const target = byOid.get(key.target);
      const wanted = fresh
        .map((row) => pick(table, row, key.columns))
        .filter((values) => values.every((one) => one !== null));
      if (!target || wanted.length === 0) continue;
      const columns = key.targetColumns.map((name, at) => {
        const type = target.columns.find((column) => column.name === name)?.sqlType ?? "text";
        return `t.${quote(name)} = wanted.c${at}::${type}`;
      });
      const lists = key.targetColumns.map((_, at) => `$${at + 1}::text[]`).join(", ");
      const aliases = key.targetColumns.map((_, at) => `c${at}`).join(", ");
      const where = ` where exists (select 1 from unnest(${lists}) as wanted (${aliases}) where ${columns.join(" and ")})`;
      const values = key.columns.map((_, at) => wanted.map((one) => one[at]));
      const found = add(target, await readRows(client, target, where, values));
      if (found.length > 0) queue.push([target, found]);
    }
  }
  return new Map([...rows].map(([oid, found]) => [oid, [...found.values()]]));
}

async function readRows(client: pg.Client, table: Table, rest: string, values: unknown[]): Promise<Row[]> {
  const columns = table.columns.map(({ name }) => `t.${quote(name)}::text`).join(", ");
  const { rows } = await client.query<Row>({
    text: `select ${columns} from only ${quoteName(table)} t${rest}`,
    values,
    rowMode: "array",
  });
  return rows;
}

function pick(table: Table, row: Row, names: readonly string[]): Row {
  return names.map((name) => row[table.columns.findIndex((column) => column.name === name)] ?? null);
}

/** Tables after those that they refer to. Where references go in circles, no order is right, and none is needed. */
function inOrder(tables: readonly Table[], keys: readonly ForeignKey[]): Table[] {
  const done = new Set<string>();
  const ordered: Table[] = [];
  const visit = (table: Table) => {
    if (done.has(table.oid)) return;
    done.add(table.oid);
    for (const key of keys.filter(({ holder }) => holder === table.oid)) {
      const target = tables.find(({ oid }) => oid === key.target);
      if (target) visit(target);
    }
    ordered.push(table);
  };
  for (const table of tables) visit(table);
  return ordered;
}
