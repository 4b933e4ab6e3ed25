/** Owns the guessed objects of a database, which a folder's files only use, and the migration that makes them. */
import { createExtension } from "../../postgres/files/extension-objects.ts";
import { commentText, quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { GUESSED } from "./mark.ts";
import type { ObjectName } from "./statement-words.ts";

export interface GuessedColumn {
  type: string;
  /** Whether neither a statement nor the column's name shows the type. */
  isTypeUnknown: boolean;
  /** The file and line that it is guessed from. */
  from: string;
  /** How often its type was corrected: two statements may contradict each other. */
  corrected: number;
}

export interface GuessedRelation extends ObjectName {
  kind: "table" | "view" | "materialized view" | "sequence";
  from: string;
  columns: Map<string, GuessedColumn>;
  /** Columns that are unique together. */
  keys: string[][];
  /** By name, the place that each is guessed from. */
  policies: Map<string, string>;
  constraints: Map<string, string>;
  /** Of a table that a file makes: what it lacks is added to it there. */
  existing?: Existing;
}

/** Where a table that a file makes gets what it lacks. */
export interface Existing {
  /** The file before which it is added; at the end where none is given. */
  before?: string | undefined;
  /** The statement that makes the table, where the same file makes it if it is not there. */
  creation?: string | undefined;
}

export interface GuessedType extends ObjectName {
  from: string;
  labels: Set<string>;
}

export interface GuessedFunction extends ObjectName {
  from: string;
  parameters: string[];
  returns: string;
  corrected: number;
}

/** The objects that some file uses and no file makes. */
export class Guesses {
  readonly extensions = new Map<string, string>();
  readonly roles = new Map<string, string>();
  readonly schemas = new Map<string, string>();
  readonly types: GuessedType[] = [];
  readonly relations: GuessedRelation[] = [];
  readonly functions: GuessedFunction[] = [];
  /** Tables of the files to which nothing can be added in time. */
  readonly refused = new Set<string>();

  /** Each object that no file makes, as kind and name. */
  objects(): string[] {
    return [
      ...[...this.roles.keys()].map((name) => `role ${name}`),
      ...[...this.extensions.keys()].map((name) => `extension ${name}`),
      ...[...this.schemas.keys()].map((name) => `schema ${name}`),
      ...this.types.map((one) => `type ${one.schema}.${one.name}`),
      ...this.#missing().map((one) => `${one.kind} ${one.schema}.${one.name}`),
      ...this.functions.map((one) => `function ${one.schema}.${one.name}(${one.parameters.join(", ")})`),
    ];
  }

  /** The columns, policies and constraints of the files' tables, by the file before which they are added. */
  additions(): Addition[] {
    const existing = this.relations.filter((one) => one.existing !== undefined);
    return [...Map.groupBy(existing, (one) => one.existing?.before)].map(([before, tables]) => ({
      before,
      sql: [HEAD, ...tables.map(additionSql)].join("\n"),
      objects: tables.flatMap(additionNames),
    }));
  }

  #missing(): GuessedRelation[] {
    return this.relations.filter((one) => one.existing === undefined);
  }

  /** The statements that make what no file makes, each after a comment that says where it is guessed from. */
  sql(): string {
    const relations = (kind: GuessedRelation["kind"]) => this.#missing().filter((one) => one.kind === kind);
    return [
      HEAD,
      ...[...this.roles].map(([name, from]) => `${guessed(from)}${roleSql(name)}`),
      ...[...this.extensions].map(([name, from]) => `${guessed(from)}${createExtension(name)}\n`),
      ...[...this.schemas].map(([name, from]) => `${guessed(from)}create schema ${quote(name)};\n`),
      ...this.types.map(typeSql),
      ...relations("sequence").map((one) => `${guessed(one.from)}create sequence ${quoteName(one)};\n`),
      ...relations("table").map(tableSql),
      ...this.functions.map(functionSql),
      ...[...relations("view"), ...relations("materialized view")].map(viewSql),
    ].join("\n");
  }
}

/** A migration with what tables of the files lack. */
export interface Addition {
  before: string | undefined;
  sql: string;
  objects: string[];
}

const HEAD = `${GUESSED} from the statements that use these objects.
-- The real ones, with every column, type and policy: homebase db pull --db-url URL. Put them in the place of these.
-- A hosted database has them already: there, record this file's version without running it:
-- supabase migration repair --status applied VERSION
`;

const guessed = (from: string) => `-- Guessed from ${commentText(from)}.\n`;

function typeSql({ labels, from, ...name }: GuessedType): string {
  const values = [...labels].map(quoteLiteral).join(", ");
  return `-- Guessed from ${commentText(from)}: that it is an enum, and its values as far as statements name them.\ncreate type ${quoteName(name)} as enum (${values});\n`;
}

/** A server has a role for all its databases, so one that is made already is no fault. */
const roleSql = (name: string) =>
  `do $$ begin\n  create role ${quote(name)} nologin;\nexception when duplicate_object then null;\nend $$;\n`;

/** A table without a known column gets `id`: views and keys need one. */
const columnsOf = ({ columns, from }: GuessedRelation): [string, Omit<GuessedColumn, "corrected">][] =>
  columns.size > 0
    ? [...columns]
    : [["id", { type: "uuid", isTypeUnknown: false, from: `${from}, which names no column` }]];

/** The place that a column is guessed from, and a question where its type is not shown. */
const columnComment = ({ from, isTypeUnknown, type }: Omit<GuessedColumn, "corrected">) =>
  `guessed from ${commentText(from)}${isTypeUnknown ? `; no statement shows its type: is it ${type}?` : ""}`;

const additionNames = ({ columns, keys, policies, constraints, ...table }: GuessedRelation): string[] => [
  ...[...columns.keys()].map((name) => `column ${table.schema}.${table.name}.${name}`),
  ...keys.map((key) => `unique (${key.join(", ")}) of ${table.schema}.${table.name}`),
  ...[...constraints.keys()].map((name) => `constraint ${name} of ${table.schema}.${table.name}`),
  ...[...policies.keys()].map((name) => `policy "${name}" on ${table.schema}.${table.name}`),
];

/** What a table that a file makes lacks. */
function additionSql(table: GuessedRelation): string {
  const { columns, keys, from, existing } = table;
  const alter = `alter table ${quoteName(table)} add`;
  const creation =
    existing?.creation === undefined
      ? ""
      : `-- The same as in ${commentText(existing.before ?? "")}, which makes it only if it is not there.\n${existing.creation};\n`;
  return [
    creation,
    ...[...columns].map(
      ([name, column]) => `${alter} column ${quote(name)} ${column.type}; -- ${columnComment(column)}\n`,
    ),
    ...keys.map(
      (key) => `${alter} unique (${key.map(quote).join(", ")}); -- guessed from ${commentText(from)}\n`,
    ),
    ruleSql(table),
  ].join("");
}

/** The constraints and policies of a table. Their conditions are not known, so a constraint holds always and a policy allows nothing. */
const ruleSql = (table: GuessedRelation) =>
  [
    ...[...table.constraints].map(
      ([name, from]) =>
        `${guessed(from)}alter table ${quoteName(table)} add constraint ${quote(name)} check (true);\n`,
    ),
    ...[...table.policies].map(
      ([name, from]) =>
        `${guessed(from)}create policy ${quote(name)} on ${quoteName(table)} using (false);\n`,
    ),
  ].join("");

function tableSql(table: GuessedRelation): string {
  const columns = columnsOf(table);
  const own = columns.some(([name]) => name === "id") ? [["id"], ...table.keys] : table.keys;
  const keys = [...new Map(own.map((key) => [JSON.stringify(key), key])).values()];
  const lines = [
    ...columns.map(([name, column]) => ({
      text: `${quote(name)} ${column.type}${name === "id" ? generated(column.type) : ""}`,
      comment: columnComment(column),
    })),
    ...keys.map((key, at) => ({
      text: `${at === 0 ? "primary key" : "unique"} (${key.map(quote).join(", ")})`,
      comment: `guessed from ${commentText(table.from)}`,
    })),
  ];
  const body = lines
    .map(({ text, comment }, at) => `  ${text}${at < lines.length - 1 ? "," : ""} -- ${comment}\n`)
    .join("");
  return `${guessed(table.from)}create table ${quoteName(table)} (\n${body});\nalter table ${quoteName(table)} enable row level security;\n${ruleSql(table)}`;
}

function generated(type: string): string {
  if (type === "uuid") return " default gen_random_uuid()";
  return type === "bigint" ? " generated by default as identity" : "";
}

function viewSql(view: GuessedRelation): string {
  const columns = columnsOf(view)
    .map(([name, { type }]) => `null::${type} as ${quote(name)}`)
    .join(", ");
  return `${guessed(view.from)}create ${view.kind} ${quoteName(view)} as select ${columns} where false;\n`;
}

/** Null neither allows nor equals anything, also after NOT: a policy that asks the function stays closed. */
function functionSql({ from, parameters, returns, ...name }: GuessedFunction): string {
  const head = `create function ${quoteName(name)}(${parameters.join(", ")}) returns ${returns}`;
  return returns === "trigger"
    ? `-- Guessed from ${commentText(from)}: what it does is not known, so it does nothing.\n${head} language plpgsql as $$\nbegin\n  if tg_op = 'DELETE' then return old; end if;\n  return new;\nend $$;\n`
    : `-- Guessed from ${commentText(from)}: what it does is not known, so it returns null.\n${head} language sql as $$ select null::${returns} $$;\n`;
}
