/**
 * Owns the rows that a test needs: those that a decision has looked at and the ones that they refer to, as INSERTs. A
 * test goes into a repository, so values that decide nothing are left out or replaced.
 */
import type pg from "pg";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { tokenize } from "../../postgres/statements/lexer.ts";
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import { ExplainError } from "../database/explanation-transaction.ts";

interface Column {
  name: string;
  /** pg_type.typcategory: B boolean, D date or time, E enum, N number, S text, U others. */
  category: string;
  type: string;
  /** Whether it needs a value where the row has one: NOT NULL, or a time or number in a CHECK about several columns. */
  needed: boolean;
  filled: boolean;
  unique: boolean;
  /** With its length, for casts. */
  sqlType: string;
  /** The CHECKs that are about no other column. */
  checks: string[];
}

interface SampleTable {
  name: QualifiedName;
  columns: Column[];
  key: string[];
  /** Whether an identity column gives its own values only. */
  overriding: boolean;
  references: { columns: string[]; target: QualifiedName; targetColumns: string[] }[];
}

/** A row by its values as text. */
interface SampleRow {
  table: SampleTable;
  values: Map<string, string | null>;
}

/** More rows than a reader of a test wants. */
const MOST_ROWS = 60;
const USERS = "auth.users";
/** The columns of a user that the platform itself needs. */
const USER_COLUMNS = new Set(["instance_id", "id", "aud", "role", "is_anonymous"]);
const CLAIMS = new Set(["sub", "role", "aud", "aal", "is_anonymous", "app_metadata"]);
/** Values that say nothing, by the category of their type; the first one that meets a column's CHECKs is taken. */
const HARMLESS: Record<string, readonly string[]> = {
  S: ["x", "en", "UTC", "EUR", "x@example.com", "https://example.com/x", "+10000000000", "10000", "x/x"],
  N: ["0", "1", "2", "10", "100"],
  D: [],
  A: ["{}"],
};
const JSON_VALUES = ["{}", "[]"];
/** Names of the people in a test, the caller first. */
const NAMES = ["ana", "ben", "cleo", "dan", "eva", "finn"];
const FIRST_DAY = Date.UTC(2000, 0, 1);
const HOUR_MS = 3_600_000;

function addressOf(person: number): string {
  return `${NAMES[person] ?? `person-${person}`}@example.com`;
}

/** Collects rows, each behind those that it refers to. */
export class Sample {
  readonly #db: pg.ClientBase;
  readonly #addresses = new Map<string, string>();
  /** How many people but the caller have a name. */
  #others = 0;
  readonly #mentioned: ReadonlySet<string>;
  readonly #tables = new Map<string, SampleTable>();
  readonly #rows = new Map<string, SampleRow | undefined>();
  readonly #keep: ReadonlySet<string>;
  readonly #found = new Map<Column, string>();
  #made = 0;

  /**
   * @param db a connection of a login that row security does not restrict.
   * @param texts SQL: a column that it names keeps its values.
   * @param keep further columns that do, as schema.table.column.
   */
  constructor(db: pg.ClientBase, texts: readonly string[], keep: readonly string[]) {
    this.#db = db;
    this.#keep = new Set(keep);
    this.#mentioned = new Set(texts.flatMap((text) => tokenize(text).map(({ value }) => value)));
  }

  /** Adds the row with these values in these columns, if there is one, and those that it refers to. */
  async add(name: QualifiedName, columns: readonly string[], values: readonly string[]): Promise<void> {
    const table = await this.#table(name);
    if (!table) return;
    const where = columns.map((column, at) => `${quote(column)}::text = $${at + 1}`).join(" and ");
    const { rows } = await this.#db.query<Record<string, string | null>>(
      `select ${this.#list(table)} from ${quoteName(name)} where ${where} limit 1`,
      [...values],
    );
    if (rows[0]) await this.#hold(table, rows[0]);
  }

  /** Adds rows by their text as composite values; those of a view are those of its tables, which were looked at too. */
  async addTexts(name: QualifiedName, texts: readonly string[]): Promise<void> {
    const table = await this.#table(name);
    if (!table) return;
    for (const text of texts) {
      const { rows } = await this.#db.query<Record<string, string | null>>(
        `select ${this.#list(table)} from (select (($1::text)::${quoteName(name)}).*) as one`,
        [text],
      );
      if (rows[0]) await this.#hold(table, rows[0]);
    }
  }

  #list({ columns }: SampleTable): string {
    return columns.map(({ name }) => `${quote(name)}::text`).join(", ");
  }

  async #hold(table: SampleTable, row: Record<string, string | null>): Promise<void> {
    const values = new Map(table.columns.map(({ name }) => [name, row[name] ?? null]));
    const identity =
      table.key.length > 0 ? table.key.map((column) => values.get(column)) : [...values.values()];
    const id = JSON.stringify([table.name, identity]);
    if (this.#rows.has(id)) return;
    if (this.#rows.size >= MOST_ROWS) {
      throw new ExplainError(`More than ${MOST_ROWS} rows decide: name one row with --row.`);
    }
    // The place is taken before the references are followed, which may lead back.
    this.#rows.set(id, undefined);
    for (const { columns, target, targetColumns } of table.references) {
      const wanted = columns.map((column) => values.get(column) ?? null);
      const keys = wanted.filter((value) => value !== null);
      if (keys.length === wanted.length) await this.add(target, targetColumns, keys);
    }
    this.#rows.delete(id);
    this.#rows.set(id, { table, values });
  }

  /** Undefined for what is no table. */
  async #table(name: QualifiedName): Promise<SampleTable | undefined> {
    const known = this.#tables.get(quoteName(name));
    if (known) return known;
    const { rows } = await this.#db.query<Omit<SampleTable, "name">>(TABLE, [name.schema, name.name]);
    const [found] = rows;
    if (!found) return undefined;
    const table = { ...found, name };
    this.#tables.set(quoteName(name), table);
    return table;
  }

  /** The claims that decide: those that the platform reads, and those that the texts name. */
  claims(all: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(all).filter(([name]) => CLAIMS.has(name) || this.#mentioned.has(name)),
    );
  }

  /** The address that a user has in the test; undefined where the rows lack the user or an address. */
  addressOf(id: string): string | undefined {
    return this.#addresses.get(id);
  }

  /** The rows as INSERTs, in an order that their references allow. A row that is there already gets these values. */
  async statements(caller: string | undefined): Promise<string[]> {
    const statements: string[] = [];
    for (const row of this.#rows.values()) if (row) statements.push(await this.#statement(row, caller));
    return statements;
  }

  async #statement({ table, values }: SampleRow, caller: string | undefined): Promise<string> {
    const id = values.get("id");
    const isUser = `${table.name.schema}.${table.name.name}` === USERS && id != null;
    const address = isUser ? await this.#address(id, id === caller) : addressOf(0);
    if (isUser && values.get("email") != null) this.#addresses.set(id, address);
    const names: string[] = [];
    const literals: string[] = [];
    for (const column of table.columns) {
      const literal = await this.#literal(table, column, values.get(column.name) ?? null, address);
      if (literal === undefined) continue;
      names.push(quote(column.name));
      literals.push(literal);
    }
    const others = names.filter((name) => !table.key.some((column) => quote(column) === name));
    const update = others.map((name) => `${name} = excluded.${name}`).join(", ");
    const conflict =
      table.key.length === 0
        ? ""
        : ` on conflict (${table.key.map(quote).join(", ")}) do ${update === "" ? "nothing" : `update set ${update}`}`;
    return `insert into ${quoteName(table.name)} (${names.join(", ")})${table.overriding ? " overriding system value" : ""}\n  values (${literals.join(", ")})${conflict};`;
  }

  /** The next address that no other user of the project has: its migrations or seed may have made them. */
  async #address(id: string, isCaller: boolean): Promise<string> {
    const { rows } = await this.#db.query<{ email: string }>(
      "select lower(email) as email from auth.users where id::text <> $1 and email ilike '%@example.com'",
      [id],
    );
    const taken = new Set(rows.map(({ email }) => email));
    let at = isCaller ? 0 : ++this.#others;
    while (taken.has(addressOf(at))) at = ++this.#others;
    return addressOf(at);
  }

  /** A column's value in the test; undefined where it is left out. */
  async #literal(
    table: SampleTable,
    column: Column,
    value: string | null,
    address: string,
  ): Promise<string | undefined> {
    const { name, category, needed, filled } = column;
    const user = `${table.name.schema}.${table.name.name}` === USERS;
    const decides = user
      ? USER_COLUMNS.has(name)
      : table.key.includes(name) ||
        table.references.some(({ columns }) => columns.includes(name)) ||
        this.#mentioned.has(name) ||
        this.#keep.has(`${table.name.schema}.${table.name.name}.${name}`);
    if (user && name === "email" && value !== null) return quoteLiteral(address);
    if (user && name === "raw_user_meta_data" && value !== null) return quoteLiteral(emptied(value));
    if (decides || category === "B" || category === "E") {
      if (value === null) return filled ? "null" : undefined;
      return /^-?\d+$/.test(value) && category === "N" ? value : quoteLiteral(value);
    }
    if (!needed || filled || value === null) return undefined;
    const other = await this.#harmless(table, column);
    return category === "N" ? other : quoteLiteral(other);
  }

  /** A value that says nothing and meets the column's own rules. @throws ExplainError when none is known. */
  async #harmless(table: SampleTable, column: Column): Promise<string> {
    const known = this.#found.get(column);
    if (known !== undefined && !column.unique) return known;
    const candidates =
      column.category === "D"
        ? // Later columns are later times: an end comes after its beginning.
          [new Date(FIRST_DAY + table.columns.indexOf(column) * HOUR_MS).toISOString()]
        : /^jsonb?$/.test(column.type)
          ? JSON_VALUES
          : (HARMLESS[column.category] ?? []);
    for (const candidate of candidates) {
      const value = column.unique && column.category !== "D" ? `${candidate}${++this.#made}` : candidate;
      if (!(await this.#meets(column, value))) continue;
      this.#found.set(column, value);
      return value;
    }
    const name = `${table.name.schema}.${table.name.name}.${column.name}`;
    throw new ExplainError(
      `No value that says nothing is known for ${name}, which needs one. Keep those that are there with --keep ${name}`,
    );
  }

  async #meets({ name, sqlType, checks }: Column, value: string): Promise<boolean> {
    const all = checks.map((check) => `(${check})`).join(" and ") || "true";
    try {
      const { rows } = await this.#db.query<{ ok: boolean }>(
        `select (${all}) is not false as ok from (select ($1::text)::${sqlType} as ${quote(name)}) as one`,
        [value],
      );
      return rows[0]?.ok ?? false;
    } catch {
      // It is no value of the type, or its domain refuses it.
      return false;
    }
  }
}

/** A JSON object with its names and without its texts: triggers read the names. */
function emptied(text: string): string {
  const object = JSON.parse(text) as unknown;
  return JSON.stringify(object, (_, value: unknown) =>
    typeof value === "string" ? "x" : typeof value === "number" ? 0 : value,
  );
}

const TABLE = `
select
  (select json_agg(json_build_object('name', a.attname, 'category', coalesce(b.typcategory, t.typcategory),
      'type', coalesce(b.typname, t.typname), 'needed', a.attnotnull or t.typnotnull or t.typcategory in ('D', 'N') and exists (select from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and cardinality(k.conkey) > 1 and a.attnum = any (k.conkey)),
      'filled', a.atthasdef or a.attidentity <> '', 'sqlType', format_type(a.atttypid, a.atttypmod),
      'checks', (select coalesce(json_agg(pg_get_expr(k.conbin, k.conrelid)), '[]') from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]),
      'unique', exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any (i.indkey)))
      order by a.attnum)
    from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_type b on b.oid = t.typbasetype
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
  (select coalesce(json_agg(a.attname order by array_position(i.indkey, a.attnum)), '[]')
    from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
    where i.indrelid = c.oid and i.indisprimary) as key,
  exists (select from pg_attribute a where a.attrelid = c.oid and a.attidentity = 'a') as overriding,
  (select coalesce(json_agg(json_build_object(
      'columns', (select json_agg(a.attname order by at) from unnest(k.conkey) with ordinality as one (attnum, at)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = one.attnum),
      'target', json_build_object('schema', tn.nspname, 'name', tc.relname),
      'targetColumns', (select json_agg(a.attname order by at) from unnest(k.confkey) with ordinality as one (attnum, at)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = one.attnum))), '[]')
    from pg_constraint k join pg_class tc on tc.oid = k.confrelid join pg_namespace tn on tn.oid = tc.relnamespace
    where k.conrelid = c.oid and k.contype = 'f') as references
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p')`;
