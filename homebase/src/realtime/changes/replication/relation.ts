/** Owns the properties of a published table that the log lacks: keys, types, privileges, row security. */
import type pg from "pg";
import type { RelationMessage } from "./pgoutput.ts";

/** How a type's text is converted to JSON. */
export type TypeKind =
  | "boolean"
  | "number"
  | "json"
  | "timestamp"
  | "timestamptz"
  | "bytea"
  | "string"
  | "array"
  | "sql";

export interface ColumnType {
  oid: number;
  /** `pg_type.typname`. */
  name: string;
  /** Qualified and quoted, for a cast. */
  sql: string;
  kind: TypeKind;
  /** For an array: its element type and the delimiter. */
  element?: ColumnType;
  delimiter: string;
}

export interface Column {
  name: string;
  type: ColumnType;
  /** Position of its value in the log's tuples; -1 for a generated column, which the log lacks. */
  position: number;
  /** Whether it is part of the replica identity. */
  identity: boolean;
  /** Whether it is part of the primary key. */
  primary: boolean;
}

/** A published table. */
export interface Relation {
  oid: number;
  schema: string;
  table: string;
  /** Qualified and quoted. */
  sql: string;
  identity: string;
  columns: Column[];
  /** Indexes into `columns`. */
  primaryKey: number[];
  rowSecurity: boolean;
  /** Names of columns that a role may SELECT, by role; loaded as needed. */
  readonly selectable: Map<string, ReadonlySet<string>>;
}

const NUMBERS = new Set([20, 21, 23, 700, 701, 1700]);
const JSONS = new Set([114, 3802]);

interface TypeRow {
  oid: number;
  name: string;
  sql: string;
  typtype: string;
  typcategory: string;
  typelem: number;
  typbasetype: number;
  typdelim: string;
}

/** Adds the catalog's properties to a relation message. */
export async function describeRelation(client: pg.ClientBase, message: RelationMessage): Promise<Relation> {
  const [table, columnRows, types] = await Promise.all([
    client.query<{ rls: boolean; sql: string; pk: string[] | null }>(
      `select c.relrowsecurity as rls, format('%I.%I', n.nspname, c.relname) as sql,
         (select array_agg(a.attname::text order by k.position)
          from pg_catalog.pg_index i, unnest(i.indkey) with ordinality k(attnum, position)
          join pg_catalog.pg_attribute a on a.attrelid = $1 and a.attnum = k.attnum
          where i.indrelid = $1 and i.indisprimary) as pk
       from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = $1`,
      [message.oid],
    ),
    client.query<CatalogColumn>(
      `select attname::text as name, atttypid::int as type, attnum::int as number, attgenerated = 's' as generated
       from pg_catalog.pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
      [message.oid],
    ),
    client.query<TypeRow>(
      `with recursive wanted(oid) as (
         select unnest($1::oid[])
         union
         select atttypid from pg_catalog.pg_attribute where attrelid = $2 and attnum > 0 and attgenerated = 's'
         union
         select unnest(array[t.typelem, t.typbasetype]) from pg_catalog.pg_type t join wanted w on w.oid = t.oid
       )
       select t.oid::int, t.typname::text as name, format('%I.%I', n.nspname, t.typname) as sql,
         t.typtype::text, t.typcategory::text, t.typelem::int, t.typbasetype::int, t.typdelim::text
       from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
       where t.oid in (select oid from wanted)`,
      [message.columns.map((column) => column.typeOid), message.oid],
    ),
  ]);
  const rows = new Map(types.rows.map((row) => [row.oid, row]));
  const found = table.rows[0];
  const key = found?.pk ?? [];
  const columns = inOrder(message, columnRows.rows).map(({ name, type, identity, position }) => ({
    name,
    type: typeOf(type, rows),
    position,
    identity,
    primary: key.includes(name),
  }));
  const primaryKey = key.map((name) => columns.findIndex((column) => column.name === name));
  return {
    oid: message.oid,
    schema: message.schema,
    table: message.table,
    sql: found?.sql ?? "",
    identity: message.identity,
    columns,
    // A key that is not in the log, e.g. because of a publication's column list, is ignored.
    primaryKey: primaryKey.every((index) => (columns[index]?.position ?? -1) >= 0) ? primaryKey : [],
    // A dropped table counts as protected by row security: its rows can no longer be checked, so they are not
    // sent.
    rowSecurity: found?.rls ?? true,
    selectable: new Map(),
  };
}

interface CatalogColumn {
  name: string;
  type: number;
  number: number;
  generated: boolean;
}

/** The log's columns and the generated ones that it omits, in the table's order. */
function inOrder(message: RelationMessage, catalog: readonly CatalogColumn[]) {
  const columns = message.columns.map((column, position) => ({
    name: column.name,
    type: column.typeOid,
    identity: column.key,
    position,
    number: catalog.find((one) => one.name === column.name)?.number,
  }));
  for (const { name, type, number, generated } of catalog) {
    if (!generated || columns.some((column) => column.name === name)) continue;
    const before = columns.findIndex((column) => column.number !== undefined && column.number > number);
    columns.splice(before < 0 ? columns.length : before, 0, {
      name,
      type,
      identity: false,
      position: -1,
      number,
    });
  }
  return columns;
}

function typeOf(oid: number, rows: Map<number, TypeRow>): ColumnType {
  const row = rows.get(oid);
  if (!row) return { oid, name: "text", sql: "text", kind: "string", delimiter: "," };
  const base = { oid, name: row.name, sql: row.sql, delimiter: row.typdelim };
  if (row.typtype === "d") return { ...typeOf(row.typbasetype, rows), ...base };
  if (row.typcategory === "A" && row.typelem !== 0) {
    const element = typeOf(row.typelem, rows);
    return element.kind === "sql"
      ? { ...base, kind: "sql" }
      : { ...base, kind: "array", element, delimiter: element.delimiter };
  }
  // Composites and extension types may have their own JSON form: Postgres converts them.
  if (
    row.typtype === "c" ||
    (row.typcategory === "U" && !STRINGS.has(oid) && !JSONS.has(oid) && oid !== 17)
  ) {
    return { ...base, kind: "sql" };
  }
  return { ...base, kind: kindOf(oid) };
}

/** Built-in types of category "user-defined" whose JSON form is their text. */
const STRINGS = new Set([2950, 142, 829, 774, 3614, 3615, 3642]);

function kindOf(oid: number): TypeKind {
  if (oid === 16) return "boolean";
  if (NUMBERS.has(oid)) return "number";
  if (JSONS.has(oid)) return "json";
  if (oid === 1114) return "timestamp";
  if (oid === 1184) return "timestamptz";
  return oid === 17 ? "bytea" : "string";
}

/** Names of the columns that `role` may SELECT; none for an unknown role. */
export async function selectableBy(
  client: pg.ClientBase,
  relation: Relation,
  role: string,
): Promise<ReadonlySet<string>> {
  const known = relation.selectable.get(role);
  if (known) return known;
  const { rows } = await client.query<{ name: string }>(
    `select a.attname::text as name from pg_catalog.pg_attribute a, pg_catalog.pg_roles r
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped and r.rolname = $2
       and pg_catalog.has_column_privilege(r.oid, a.attrelid, a.attnum, 'SELECT')
       and pg_catalog.has_schema_privilege(r.oid, (select relnamespace from pg_catalog.pg_class where oid = $1), 'USAGE')`,
    [relation.oid, role],
  );
  const names = new Set(rows.map((row) => row.name));
  relation.selectable.set(role, names);
  return names;
}
