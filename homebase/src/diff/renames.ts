/**
 * Owns renames. A comparison of two databases sees a renamed column or table as one that is dropped and another that is
 * added, and its rows as lost; which it was, only a person knows.
 */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";
import { PLATFORM_OWNERS } from "./own-schemas.ts";

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
  return [...had].flatMap(([schema, earlier]) => {
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

/** As `--rename` takes it: `notes.name=notes.title`, or `notes=memos`; with the schema where it is not public. */
export function renameText({ kind, schema, table, from, to }: Rename): string {
  const place = [...(schema === "public" ? [] : [schema]), ...(kind === "column" ? [table] : [])];
  return [from, to].map((name) => [...place, name].join(".")).join("=");
}

/** The rename of which `given` says both names, with or without `public.`; undefined where there is none. */
export function renameOf(given: string, found: readonly Rename[]): Rename | undefined {
  const plain = (text: string) => text.split("=").map((name) => name.trim().replace(/^public\./, ""));
  return found.find((one) => plain(renameText(one)).join("=") === plain(given).join("="));
}

export function renameStatement({ kind, schema, table, from, to }: Rename): string {
  const name = quoteName({ schema, name: table });
  if (kind === "table") return `ALTER TABLE ${name} RENAME TO ${quote(to)};`;
  return `ALTER TABLE ${name} RENAME COLUMN ${quote(from)} TO ${quote(to)};`;
}

/** Whether the table of a rename has rows, by the name that it has in this database. */
export async function hasRows(client: pg.ClientBase, { kind, schema, table, to }: Rename): Promise<boolean> {
  const names = kind === "table" ? [table, to] : [table];
  for (const name of names.map((one) => quoteName({ schema, name: one }))) {
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
