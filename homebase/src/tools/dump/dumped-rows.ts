/** Owns the rows of a database as SQL: streamed, of one snapshot, restorable whatever the order of foreign keys. */
import type pg from "pg";
import { readOwnSchemas } from "../../diff/own-schemas.ts";
import { commentText, quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";

export interface DataOptions {
  /** Only these schemas; without, all but the platform's own (auth and storage belong to the project's data). */
  schemas?: readonly string[] | undefined;
  /** Tables to leave out, as `schema.table`; `*` stands for any text. */
  exclude?: readonly string[];
  /** COPY instead of INSERT. */
  copy?: boolean;
}

/** Gets the text piece by piece; the next piece is read when the promise is kept. */
export type Write = (text: string) => Promise<void>;

/** As the Supabase CLI leaves them out: not the project's data, or written by the services themselves. */
const PLATFORM_SCHEMAS = [
  "information_schema",
  "pg_*",
  "_analytics",
  "_realtime",
  "_supavisor",
  "cron",
  "extensions",
  "graphql",
  "graphql_public",
  "homebase",
  "net",
  "pgbouncer",
  "pgmq",
  "pgsodium",
  "pgsodium_masks",
  "pgtle",
  "realtime",
  "repack",
  "storage_vectors",
  "supabase_functions",
  "supabase_migrations",
  "tiger",
  "tiger_data",
  "topology",
  "vault",
];
const PLATFORM_TABLES = [
  "auth.schema_migrations",
  "storage.migrations",
  // Without the vectors, which are not in a dump, an index is of no use.
  "storage.buckets_vectors",
  "storage.vector_indexes",
];
const ROWS_AT_ONCE = 500;

interface Table {
  schema: string;
  name: string;
  columns: { name: string; plain: boolean }[];
  /** Whether an identity column takes values only when told to. */
  overriding: boolean;
}

interface Sequence {
  schema: string;
  name: string;
  value: string;
  called: boolean;
}

/** Writes the statements that fill the same tables again. @returns how many rows of how many tables. */
export async function dumpData(
  client: pg.Client,
  { schemas, exclude = [], copy = false }: DataOptions,
  write: Write,
): Promise<{ tables: number; rows: number }> {
  // Without row_security a policy would silently hide rows; with it off Postgres refuses instead.
  await client.query("begin isolation level repeatable read read only; set local row_security = off");
  try {
    const left = [...PLATFORM_TABLES, ...exclude].map(pattern);
    const own = new Set(await readOwnSchemas(client, PLATFORM_SCHEMAS));
    const chosen = (schema: string) =>
      schemas
        ? schemas.includes(schema)
        : own.has(schema) || !PLATFORM_SCHEMAS.map(pattern).some((one) => one.test(schema));
    const tables = (await readTables(client)).filter(
      ({ schema, name }) => chosen(schema) && !left.some((one) => one.test(`${schema}.${name}`)),
    );
    await write(
      "SET session_replication_role = replica;\nSET client_encoding = 'UTF8';\nSET search_path = '';\n",
    );
    let rows = 0;
    for (const table of tables) rows += await dumpTable(client, table, copy, write);
    for (const { schema, name, value, called } of await readSequences(client)) {
      if (chosen(schema)) {
        await write(
          `SELECT pg_catalog.setval(${quoteLiteral(quoteName({ schema, name }))}, ${value}, ${called});\n`,
        );
      }
    }
    for (const view of (await readPopulated(client)).filter(({ schema }) => chosen(schema)))
      await write(`REFRESH MATERIALIZED VIEW ${quoteName(view)};\n`);
    await write("\nRESET ALL;\n");
    return { tables: tables.length, rows };
  } finally {
    await client.query("rollback");
  }
}

function pattern(text: string): RegExp {
  return new RegExp(
    `^${text
      .split("*")
      .map((part) => part.replace(/[^\w]/g, "\\$&"))
      .join(".*")}$`,
  );
}

async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select n.nspname as schema, c.relname as name,
       json_agg(json_build_object('name', a.attname,
         'plain', t.typtype = 'b' and t.typcategory in ('N', 'B') and t.typname <> 'money') order by a.attnum) as columns,
       bool_or(a.attidentity = 'a') as overriding
     from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     join pg_catalog.pg_type t on t.oid = a.atttypid
     where c.relkind = 'r' and c.relpersistence <> 't'
       and not exists (select 1 from pg_catalog.pg_depend d where d.objid = c.oid and d.deptype = 'e')
     group by n.nspname, c.relname order by n.nspname, c.relname`,
  );
  return rows;
}

async function readSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where case when c.relkind = 'S' then pg_catalog.has_sequence_privilege(c.oid, 'select') else false end
       and not exists (select 1 from pg_catalog.pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by 1, 2`,
  );
  const sequences: Sequence[] = [];
  for (const one of rows) {
    const { rows: values } = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoteName(one)}`,
    );
    for (const { value, called } of values) {
      // The server may be somebody else's, and what it answers becomes a statement.
      if (!/^-?\d+$/.test(value) || typeof called !== "boolean") {
        throw new Error(`The sequence ${quoteName(one)} has a value that is no number.`);
      }
      sequences.push({ ...one, value, called });
    }
  }
  return sequences;
}

/** The materialized views that have rows, each after those that it reads, also by other views. */
async function readPopulated(client: pg.Client): Promise<{ schema: string; name: string }[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `with recursive reads (view, relation) as (
       select w.ev_class, d.refobjid from pg_catalog.pg_rewrite w join pg_catalog.pg_depend d on d.objid = w.oid
         and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
         and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid <> w.ev_class
     ), whole (view, relation) as (
       select view, relation from reads union select whole.view, reads.relation from whole join reads on reads.view = whole.relation
     )
     select n.nspname as schema, c.relname as name from pg_catalog.pg_class c
       join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'm' and c.relispopulated and pg_catalog.pg_has_role(c.relowner, 'usage')
     order by (select count(*) from whole join pg_catalog.pg_class o on o.oid = whole.relation
       where whole.view = c.oid and o.relkind = 'm'), 1, 2`,
  );
  return rows;
}

async function dumpTable(client: pg.Client, table: Table, copy: boolean, write: Write): Promise<number> {
  const names = table.columns.map(({ name }) => quote(name)).join(", ");
  const read = table.columns.map(({ name }) => `${quote(name)}::text`).join(", ");
  // A parent of an inheritance holds its children's rows too, when it is asked without ONLY.
  await client.query(
    `declare homebase_rows no scroll cursor for select ${read} from only ${quoteName(table)}`,
  );
  let count = 0;
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `fetch ${ROWS_AT_ONCE} from homebase_rows`,
      rowMode: "array",
    });
    if (rows.length === 0) break;
    if (count === 0) await write(`\n-- ${commentText(`${table.schema}.${table.name}`)}\n`);
    if (copy && count === 0) await write(`COPY ${quoteName(table)} (${names}) FROM stdin;\n`);
    const text = copy
      ? rows.map((row) => `${row.map(copyValue).join("\t")}\n`).join("")
      : `INSERT INTO ${quoteName(table)} (${names})${table.overriding ? " OVERRIDING SYSTEM VALUE" : ""} VALUES\n${rows
          .map((row) => `\t(${row.map((value, at) => literal(value, table.columns[at]?.plain)).join(", ")})`)
          .join(",\n")};\n`;
    await write(text);
    count += rows.length;
  }
  if (copy && count > 0) await write("\\.\n");
  await client.query("close homebase_rows");
  return count;
}

function literal(value: string | null, plain = false): string {
  if (value === null) return "NULL";
  return plain && /^(-?[0-9.]+|true|false)$/.test(value) ? value : quoteLiteral(value);
}

const ESCAPES: Record<string, string> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

function copyValue(value: string | null): string {
  return value === null ? "\\N" : value.replace(/[\\\b\f\n\r\t\v]/g, (one) => ESCAPES[one] ?? one);
}
