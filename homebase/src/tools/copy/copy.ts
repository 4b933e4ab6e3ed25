/** Owns copying rows from one database to another, with every row that they refer to, masked on the way. */
import type pg from "pg";
import { quote, quoteName } from "../../postgres/quoting.ts";
import { type Kind, type Mask, type MaskedColumn, ruleOf } from "./mask.ts";

interface Column {
  name: string;
  type: string;
  /** With its length, for casts. */
  sqlType: string;
  length: number | null;
}

interface Table {
  oid: string;
  schema: string;
  name: string;
  columns: Column[];
  key: string[];
  overriding: boolean;
}

interface ForeignKey {
  holder: string;
  columns: string[];
  target: string;
  targetColumns: string[];
}

type Row = (string | null)[];

export interface CopyRequest {
  /** Tables as `schema.table`, or `table` of schema public. Without any: all of schema public. */
  tables: readonly string[];
  /** Most rows of each chosen table; those that they refer to come besides. */
  limit: number;
  mask: Mask | undefined;
}

/** Rows to be copied, and what happens to their columns. */
export interface CopyPlan {
  tables: { name: string; rows: number }[];
  masked: { column: string; kind: Kind }[];
  /** Text that no rule is about, and that people may have written. */
  unmaskedText: string[];
}

/** A table that is asked for is not there. */
export class NoSuchTable extends Error {}

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

  /** Reads the rows, of one moment. @throws NoSuchTable */
  static async read(client: pg.Client, { tables: asked, limit, mask }: CopyRequest): Promise<RowCopy> {
    await client.query("begin isolation level repeatable read read only; set local row_security = off");
    try {
      const { rows: found } = await client.query<{ tables: Table[]; keys: ForeignKey[] }>(CATALOG);
      const { tables = [], keys = [] } = found[0] ?? {};
      const chosen = choose(tables, asked);
      const collected = await collect(client, tables, keys, chosen, limit);
      const ordered = inOrder(tables, keys).filter(({ oid }) => (collected.get(oid)?.length ?? 0) > 0);
      const plan: CopyPlan = { tables: [], masked: [], unmaskedText: [] };
      for (const table of ordered) {
        const rows = collected.get(table.oid) ?? [];
        plan.tables.push({ name: `${table.schema}.${table.name}`, rows: rows.length });
        table.columns.forEach((column, at) => {
          if (rows.every((row) => (row[at] ?? "") === "")) return;
          const columnName = `${table.schema}.${table.name}.${column.name}`;
          const kind = mask && kindOf(tables, keys, table, column);
          if (kind === "json") plan.unmaskedText.push(`${columnName} (other members)`);
          if (mask && kind !== undefined) {
            plan.masked.push({ column: columnName, kind });
            for (const row of rows) row[at] = mask.value(kind, row[at] ?? null, column.length ?? undefined);
          } else if (/^_?(text|varchar|citext|bpchar|jsonb?)$/.test(column.type))
            plan.unmaskedText.push(columnName);
        });
      }
      return new RowCopy(ordered, collected, plan);
    } finally {
      await client.query("rollback");
    }
  }

  /** Writes the rows in one transaction; those whose key is there already stay as they are. Triggers do not run. */
  async write(client: pg.Client): Promise<number> {
    let written = 0;
    await client.query("begin; set local session_replication_role = replica");
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
      throw error;
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

/** A column that refers to another is masked as that one is, so that both stay the same. */
function kindOf(
  tables: readonly Table[],
  keys: readonly ForeignKey[],
  table: Table,
  column: Column,
  seen: readonly string[] = [],
): Kind | undefined {
  const place = `${table.oid}.${column.name}`;
  const key = keys.find(({ holder, columns }) => holder === table.oid && columns.includes(column.name));
  const target = key && tables.find(({ oid }) => oid === key.target);
  if (key && target && !seen.includes(place)) {
    const name = key.targetColumns[key.columns.indexOf(column.name)];
    const other = target.columns.find((one) => one.name === name);
    return other && kindOf(tables, keys, target, other, [...seen, place]);
  }
  const accounts = tables.find(({ schema, name }) => schema === "auth" && name === "users");
  const people =
    /user|profile|person|people|member|customer|contact|guest|employee|patient|author|friend/.test(
      table.name,
    ) ||
    table.columns.some(({ name }) => /e_?mail/i.test(name)) ||
    keys.some(({ holder, target: to }) => holder === table.oid && to === accounts?.oid);
  const asked: MaskedColumn = {
    schema: table.schema,
    table: table.name,
    name: column.name,
    type: column.type,
    length: column.length ?? undefined,
    people,
  };
  return ruleOf(asked);
}

const CATALOG = `
with wanted as (
  select c.oid, n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
)
select
  (select json_agg(json_build_object('oid', w.oid::text, 'schema', w.nspname, 'name', w.relname,
      'columns', (select coalesce(json_agg(json_build_object('name', a.attname, 'type', t.typname,
          'sqlType', format_type(a.atttypid, a.atttypmod),
          'length', case when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 end) order by a.attnum), '[]')
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = w.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''),
      'overriding', exists (select 1 from pg_attribute a where a.attrelid = w.oid and a.attidentity = 'a'),
      'key', (select coalesce(json_agg(a.attname), '[]') from pg_constraint k join pg_attribute a
        on a.attrelid = w.oid and a.attnum = any (k.conkey) where k.conrelid = w.oid and k.contype = 'p')) order by w.nspname, w.relname)
    from wanted w) as tables,
  (select json_agg(json_build_object('holder', k.conrelid::text, 'target', k.confrelid::text,
      'columns', (select json_agg(a.attname order by at) from unnest(k.conkey) with ordinality as one (attnum, at)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = one.attnum),
      'targetColumns', (select json_agg(a.attname order by at) from unnest(k.confkey) with ordinality as one (attnum, at)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = one.attnum)))
    from pg_constraint k where k.contype = 'f') as keys`;
