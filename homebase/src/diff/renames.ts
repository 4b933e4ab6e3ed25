/**
 * Owns renames. A comparison of two databases sees a renamed column or table as one that is dropped and another that is
 * added, and its rows as lost; which it was, only a person knows.
 */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";
import { PLATFORM_OWNERS, readSchemaNames } from "./own-schemas.ts";

/** A dropped and an added column, or table, of one type and place. */
export interface Rename {
  kind: "column" | "table";
  schema: string;
  /** The table, by its earlier name. */
  table: string;
  /** Names of the columns, or of the tables. */
  from: string;
  to: string;
  /** The type of the column. */
  type?: string;
  /** The schema that the table moves to, and whether the migrations' database lacks it. */
  schemaAfter?: { name: string; isNew: boolean };
}

interface Column {
  name: string;
  type: string;
}
/** The columns of tables in their order, by schema and table. */
type Tables = Map<string, Map<string, Column[]>>;

/**
 * The tables that `before` has and `after` may have under another name, then the same of columns. Only reads, and not
 * the platform's tables: Realtime's messages have one for each day.
 */
export async function findRenames(
  before: pg.ClientBase,
  after: pg.ClientBase,
  schemas?: readonly string[],
): Promise<Rename[]> {
  const [had, has] = await Promise.all([readTables(before, schemas), readTables(after, schemas)]);
  const known = await readSchemaNames(before);
  const renames = [...had].flatMap(([schema, earlier]) => {
    const later = has.get(schema) ?? new Map<string, Column[]>();
    const gone = [...earlier].filter(([name]) => !later.has(name));
    const added = [...later].filter(([name]) => !earlier.has(name));
    const tables = gone.flatMap(([from, columns]) =>
      added
        .filter(([, others]) => JSON.stringify(columns) === JSON.stringify(others))
        .map(([to]): Rename => ({ kind: "table", schema, table: from, from, to })),
    );
    const columns = [...earlier].flatMap(([table, columns]) =>
      renamedColumns(columns, later.get(table) ?? []).map(
        (one): Rename => ({ kind: "column", schema, table, ...one }),
      ),
    );
    return [...tables, ...columns];
  });
  return [...renames, ...movedWithChanges(had, has, known)];
}

/**
 * Tables that are gone from a schema while another has a new one of the same name and some of the same columns. With all
 * of the same columns a table is moved without a question.
 */
function movedWithChanges(had: Tables, has: Tables, known: ReadonlySet<string>): Rename[] {
  const only = (here: Tables, there: Tables) =>
    [...here].flatMap(([schema, tables]) =>
      [...tables].flatMap(([table, columns]) =>
        there.get(schema)?.has(table) ? [] : [{ schema, table, columns }],
      ),
    );
  const added = only(has, had);
  return only(had, has).flatMap(({ schema, table, columns }) =>
    added
      .filter((one) => one.table === table && one.schema !== schema)
      .filter((one) => {
        const names = [columns, one.columns].map((list) => list.map(({ name }) => name).join());
        const shared = columns.some(({ name, type }) =>
          one.columns.some((other) => other.name === name && other.type === type),
        );
        return shared && names[0] !== names[1];
      })
      .map((one): Rename => {
        const schemaAfter = { name: one.schema, isNew: !known.has(one.schema) };
        return { kind: "table", schema, table, from: table, to: table, schemaAfter };
      }),
  );
}

/** Pairs of one type that stand at the same place, or after the same column. */
function renamedColumns(before: readonly Column[], after: readonly Column[]) {
  const missingIn = (columns: readonly Column[]) => (one: Column) =>
    !columns.some(({ name }) => name === one.name);
  const added = after.filter(missingIn(before));
  return before.filter(missingIn(after)).flatMap((gone) => {
    const at = before.indexOf(gone);
    return added
      .filter((one) => {
        const other = after.indexOf(one);
        return one.type === gone.type && (other === at || before[at - 1]?.name === after[other - 1]?.name);
      })
      .map(({ name, type }) => ({ from: gone.name, to: name, type }));
  });
}

async function readTables(client: pg.ClientBase, schemas?: readonly string[]): Promise<Tables> {
  const { rows } = await client.query<{ schema: string; table: string; columns: Column[] }>(
    `select n.nspname as schema, c.relname as table, json_agg(json_build_object(
       'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
     from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relpersistence <> 't' and n.nspname !~ '^(pg_|information_schema$)'
       and pg_catalog.pg_get_userbyid(c.relowner) !~ $2 and ($1::text[] is null or n.nspname = any($1))
     group by n.nspname, c.relname order by n.nspname, c.relname`,
    [schemas ?? null, PLATFORM_OWNERS],
  );
  const tables: Tables = new Map();
  for (const { schema, table, columns } of rows)
    tables.set(schema, (tables.get(schema) ?? new Map()).set(table, columns));
  return tables;
}

/**
 * As `--rename` takes it: `notes.name=notes.title`, `notes=memos`, or `notes=archive.notes`; with the schema where it is
 * not public.
 */
export function renameText({ kind, schema, table, from, to, schemaAfter }: Rename): string {
  const text = (own: string, name: string) =>
    [...(own === "public" ? [] : [own]), ...(kind === "column" ? [table] : []), name].join(".");
  return `${text(schema, from)}=${text(schemaAfter?.name ?? schema, to)}`;
}

/** The rename of which `given` says both names, with or without `public.`; undefined where there is none. */
export function renameOf(given: string, found: readonly Rename[]): Rename | undefined {
  const plain = (text: string) => text.split("=").map((name) => name.trim().replace(/^public\./, ""));
  return found.find((one) => plain(renameText(one)).join("=") === plain(given).join("="));
}

export function renameStatement({ kind, schema, table, from, to, schemaAfter }: Rename): string {
  const name = quoteName({ schema, name: table });
  if (schemaAfter) {
    const own = quote(schemaAfter.name);
    const move = `ALTER TABLE ${name} SET SCHEMA ${own};`;
    return schemaAfter.isNew ? `CREATE SCHEMA IF NOT EXISTS ${own};\n\n${move}` : move;
  }
  if (kind === "table") return `ALTER TABLE ${name} RENAME TO ${quote(to)};`;
  return `ALTER TABLE ${name} RENAME COLUMN ${quote(from)} TO ${quote(to)};`;
}

/** Whether the table of a rename has rows, by the name that it has in this database. */
export async function hasRows(
  client: pg.ClientBase,
  { kind, schema, table, to, schemaAfter }: Rename,
): Promise<boolean> {
  const after = { schema: schemaAfter?.name ?? schema, name: to };
  const names = [{ schema, name: table }, ...(kind === "table" ? [after] : [])];
  for (const name of names.map(quoteName)) {
    const { rows } = await client.query<{ there: boolean }>(
      "select pg_catalog.to_regclass($1) is not null as there",
      [name],
    );
    if (!rows[0]?.there) continue;
    const found = await client.query<{ any: boolean }>(`select exists (select from ${name}) as any`);
    if (found.rows[0]?.any) return true;
  }
  return false;
}
