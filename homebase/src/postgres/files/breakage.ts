/**
 * Owns what kind of fault a project's folder has when one of its files fails: an object that no file creates, files in
 * the wrong order, an object that is created twice; each with a way on.
 */
import type pg from "pg";
import { type Breakage, innerStatement, type SqlFileError } from "./errors.ts";
import { createExtension, extensionOf, SCHEMA_OF, wantedOfExtension } from "./extension-objects.ts";
import { lackedColumn } from "./missing-columns.ts";
import { type Mention, mentionsIn, type ObjectKind } from "./objects.ts";

/** An object that is missing, or there already. */
interface Wanted {
  kind: ObjectKind;
  schema?: string;
  name: string;
  table?: string;
  /** The tables of which one is meant, where there are several. */
  among?: readonly string[];
  /** Whether a column may be meant as a text. */
  mayBeText?: boolean;
}

const MISSING: readonly [message: RegExp, kind: ObjectKind][] = [
  [/^(?:relation|table|view|sequence|index|materialized view) "(?<name>.+)" does not exist$/, "relation"],
  [/^(?:function|procedure|aggregate) (?<name>[^(]+)\(.*\) does not exist$/, "function"],
  [/^could not find a (?:function|procedure) named "(?<name>.+)"$/, "function"],
  [/^type "(?<name>.+?)(?:\[\])?" does not exist$/, "type"],
  [/^schema "(?<name>.+)" does not exist$/, "schema"],
  [/^role "(?<name>.+)" does not exist$/, "role"],
  [/^(?:extension|publication) "(?<name>.+)" does not exist$/, "extension"],
  [/^policy "(?<name>.+)" for (?:table|relation) "(?<table>.+)" does not exist$/, "policy"],
  [/^trigger "(?<name>.+)" for table "(?<table>.+)" does not exist$/, "trigger"],
  [/^constraint "(?<name>.+)" (?:of relation|for table) "(?<table>.+)" does not exist$/, "constraint"],
  [/^column "(?<name>.+)" of relation "(?<table>.+)" does not exist$/, "column"],
];
const TWICE: readonly [message: RegExp, kind: ObjectKind][] = [
  [/^relation "(?<name>.+)" already exists$/, "relation"],
  [/^(?:function|procedure) "(?<name>.+)" already exists with same argument types$/, "function"],
  [/^type "(?<name>.+)" already exists$/, "type"],
  [/^schema "(?<name>.+)" already exists$/, "schema"],
  [/^role "(?<name>.+)" already exists$/, "role"],
  [/^extension "(?<name>.+)" already exists$/, "extension"],
  [/^publication "(?<name>.+)" already exists$/, "publication"],
  [/^policy "(?<name>.+)" for table "(?<table>.+)" already exists$/, "policy"],
  [/^trigger "(?<name>.+)" for relation "(?<table>.+)" already exists$/, "trigger"],
  [/^constraint "(?<name>.+)" for relation "(?<table>.+)" already exists$/, "constraint"],
  [/^column "(?<name>.+)" of relation "(?<table>.+)" already exists$/, "column"],
];

/** Schemas whose objects Supabase or an extension makes. */
const NOT_THE_PROJECTS =
  /^(auth|storage|realtime|vault|extensions|graphql|graphql_public|cron|net|pgmq|pgsodium|supabase_\w+|pg_\w+)$/;

/** Files that are not run in the order of versions, and the keys of config.toml that order them. */
export type OrderKey = "[db.migrations] schema_paths" | "[db.seed] sql_paths";

/**
 * @param files the project's migrations in order, and the failed file.
 * @param failed the files that have failed before this one.
 * @param beside reads the project's other SQL files.
 * @param key orders the failed file and those after it; without it they have versions.
 * @returns undefined where the error is of another kind.
 */
export async function breakageOf(
  client: pg.ClientBase,
  error: SqlFileError,
  files: readonly { path: string; sql: string }[],
  failed: ReadonlySet<string> = new Set(),
  beside: () => readonly { path: string; sql: string }[] = () => [],
  key?: OrderKey,
): Promise<Breakage | undefined> {
  const twice = match(error.message, TWICE);
  const { message, hint } = error;
  const statement = innerStatement(error.cause) ?? error.statement;
  const wanted = twice ?? (await missingObject(client, { message, hint, statement }, files));
  if (!wanted) return undefined;
  const order = new Map(files.map(({ path }, index) => [path, index]));
  const here = order.get(error.file) ?? files.length;
  const before = ({ file, line }: Mention) =>
    file === error.file ? line < error.line : (order.get(file) ?? 0) < here;
  const mentions = mentionsIn(files, (one) => names(one, wanted));
  const made = mentions.filter(({ change }) => change === "create");
  const found = (breakage: Told | undefined, creator?: Mention): Breakage | undefined =>
    breakage && {
      ...breakage,
      object:
        breakage.kind === "extension-missing"
          ? { kind: "extension", name: extensionFor(wanted) ?? wanted.name }
          : objectOf(wanted),
      ...(creator && { creator: creator.file }),
      ...(creator?.file === error.file && !creator.renamed && { createdAt: creator.offset }),
    };
  if (twice) {
    const first = made.find(before);
    return found(first && createdTwice(first, wanted, error), first);
  }
  // An object that is only dropped was there before all files. Extensions and the like may be Supabase's.
  const isOnlyDropped = made.length === 0 && !["extension", "publication", "schema"].includes(wanted.kind);
  const earlier = isOnlyDropped ? undefined : mentions.findLast(before);
  if (earlier) return found(afterAll(earlier, wanted, made, failed));
  // What a DROP expects was there before all files; a later file makes it again.
  const drops = /^drop\s/i.test(error.statement);
  const [later] = drops ? [] : made.filter((one) => one.file !== error.file || one.line > error.line);
  if (later) return found(wrongOrder(later, wanted, error, key), later);
  // A view that names itself, for one: nothing is missing.
  const isOwn = (one: Mention) =>
    one.file === error.file && one.offset >= error.offset && one.line <= error.line;
  if (made.some(isOwn)) return undefined;
  const extension = extensionFor(wanted);
  // An extension that this file makes has gone with the rest of the file.
  const makers = mentionsIn(
    files,
    ({ kind, change, name }) => kind === "extension" && change === "create" && name === extension,
  );
  if (makers.some(before) || (await isOthers(client, wanted))) return undefined;
  const unused = mentionsIn(beside(), (one) => one.change === "create" && names(one, wanted))[0];
  return found(unused ? notAMigration(unused, wanted, error) : createdNowhere(wanted, error), unused);
}

type Told = Omit<Breakage, "object" | "creator" | "createdAt">;

/**
 * The object that an error says is missing.
 * @param error of Postgres, and the statement that it is about
 */
async function missingObject(
  client: pg.ClientBase,
  error: { message: string; statement: string; hint?: string | undefined },
  files: readonly { path: string; sql: string }[],
): Promise<Wanted | undefined> {
  const known = match(error.message, MISSING);
  if (known) return known;
  const ofExtension = wantedOfExtension(error.message);
  if (ofExtension) return named(ofExtension.kind, ofExtension.name);
  const column = await lackedColumn(client, error, error.statement, files);
  if (!column) return undefined;
  const { name, tables, mayBeText } = column;
  return {
    kind: "column",
    name,
    mayBeText,
    ...(tables.length === 1 ? { table: tables[0] ?? "" } : { among: tables }),
  };
}

/** An object that an error says is missing, which no file makes and which is none of the platform or an extension. */
export async function madeByNoFile(
  client: pg.ClientBase,
  error: { message: string; statement: string; hint?: string | undefined },
  files: readonly { path: string; sql: string }[],
): Promise<Breakage["object"] | undefined> {
  const wanted = await missingObject(client, error, files);
  if (!wanted || extensionFor(wanted) !== undefined) return undefined;
  const made = mentionsIn(files, (one) => one.change === "create" && names(one, wanted));
  return made.length > 0 || (await isOthers(client, wanted)) ? undefined : objectOf(wanted);
}

const objectOf = (wanted: Wanted): Breakage["object"] => ({
  kind: wanted.kind,
  name: nameOf(wanted),
  ...(wanted.table !== undefined && { table: wanted.table }),
});

const nameOf = ({ schema, name }: Wanted) => (schema === undefined ? name : `${schema}.${name}`);

function match(message: string, patterns: readonly [RegExp, ObjectKind][]): Wanted | undefined {
  for (const [pattern, kind] of patterns) {
    const { name, table } = pattern.exec(message)?.groups ?? {};
    if (name === undefined) continue;
    // Names of policies and the like are sentences, which may have dots.
    if (table !== undefined) return { kind, table: table.split(".").at(-1) ?? "", name };
    return named(kind, name);
  }
  return undefined;
}

function named(kind: ObjectKind, name: string): Wanted {
  const parts = name.replaceAll('"', "").split(".");
  return parts.length === 2 ? { kind, schema: parts[0] ?? "", name: parts[1] ?? "" } : { kind, name };
}

const OF_EXTENSIONS = new Set<ObjectKind>([
  "type",
  "function",
  "operator class",
  "access method",
  "foreign-data wrapper",
]);

const RELATIONS_OF_POSTGIS = new Set(["spatial_ref_sys", "geometry_columns", "geography_columns"]);

/** The extension that an object is part of which Postgres does not find. */
function extensionFor({ kind, name }: Wanted): string | undefined {
  if (kind === "schema") return SCHEMA_OF[name];
  if (kind === "relation") return RELATIONS_OF_POSTGIS.has(name) ? "postgis" : undefined;
  return OF_EXTENSIONS.has(kind) ? extensionOf(name) : undefined;
}

function names(one: Wanted, wanted: Wanted): boolean {
  // A table is a type as well, and an extension or a publication is missing by the same code.
  const kinds: Partial<Record<ObjectKind, readonly ObjectKind[]>> = {
    type: ["type", "relation"],
    relation: ["relation", "type"],
    extension: ["extension", "publication"],
  };
  return (
    (kinds[wanted.kind] ?? [wanted.kind]).includes(one.kind) &&
    one.name === wanted.name &&
    (one.schema === undefined || wanted.schema === undefined || one.schema === wanted.schema) &&
    (one.table === undefined || wanted.table === undefined || one.table === wanted.table) &&
    (one.table === undefined || wanted.among === undefined || wanted.among.includes(one.table))
  );
}

const place = ({ file, line }: { file: string; line: number }) => `${file}:${line}`;

function called(wanted: Wanted): string {
  const { kind, table, among } = wanted;
  const own = `\`${nameOf(wanted)}\``;
  if (among) return `The ${kind} ${own} of ${among.map((one) => `\`${one}\``).join(" or ")}`;
  if (table !== undefined) return `The ${kind} ${own} of \`${table}\``;
  return kind === "relation" || kind === "function" ? own : `The ${kind} ${own}`;
}

function createdTwice(first: Mention, wanted: Wanted, error: SqlFileError): Told {
  const guards: Partial<Record<ObjectKind, string>> = {
    function: "write create or replace",
    relation: "write if not exists",
    schema: "write if not exists",
    extension: "write if not exists",
    column: "write if not exists",
    policy: "put drop policy if exists before it",
    trigger: "write create or replace",
    type: "put drop type if exists before it",
  };
  const guard = guards[wanted.kind];
  return {
    kind: "created-twice",
    text: `${called(wanted)} is created twice: in ${place(first)}, and again in ${place(error)}. Remove one of the two${guard ? `, or ${guard} in the second` : ""}.`,
  };
}

/** An object that an earlier place names, and that is not there all the same. */
function afterAll(
  earlier: Mention,
  wanted: Wanted,
  made: readonly Mention[],
  failed: ReadonlySet<string>,
): Told | undefined {
  const cause = made.find(({ file }) => failed.has(file));
  if (cause) {
    return {
      kind: "follows",
      text: `${called(wanted)} is created in ${place(cause)}, and that file fails itself: fix it first.`,
    };
  }
  if (earlier.change !== "drop") return undefined;
  return {
    kind: "dropped-before",
    text: `${called(wanted)} is dropped or renamed in ${place(earlier)}, before this file. Remove this statement, or write it for what is there now.`,
  };
}

function wrongOrder(later: Mention, wanted: Wanted, error: SqlFileError, key: OrderKey | undefined): Told {
  if (later.renamed) {
    const where = later.file === error.file ? `further down, in line ${later.line}` : `in ${place(later)}`;
    return {
      kind: "wrong-order",
      text: `${called(wanted)} gets this name only ${where}: use the earlier name here, or rename before.`,
    };
  }
  const reorder =
    key === undefined
      ? `Rename one of the two, so that the version of ${later.file} is the lower one.`
      : `Name it before this one in ${key} of config.toml: files of a pattern run in the order of their names.`;
  const text =
    later.file === error.file
      ? `${called(wanted)} is created further down in this file, in line ${later.line}: move that statement up.`
      : `${called(wanted)} is created only in ${place(later)}, which runs later: the files are in the wrong order. ${reorder}`;
  return { kind: "wrong-order", text };
}

/** Whether the object is Supabase's, Postgres's or an extension's. */
async function isOthers(client: pg.ClientBase, wanted: Wanted): Promise<boolean> {
  const { kind, schema, name } = wanted;
  const extension = extensionFor(wanted);
  if (extension !== undefined) {
    // The extension is there, in another schema than the statement looks in.
    const { rows } = await client.query("select 1 from pg_catalog.pg_extension where extname = $1", [
      extension,
    ]);
    if (rows.length > 0) return true;
  }
  if (extension === undefined && schema !== undefined && NOT_THE_PROJECTS.test(schema)) return true;
  if (kind === "schema") return extension === undefined && NOT_THE_PROJECTS.test(name);
  if (kind !== "function") return false;
  // With other arguments: then the call is wrong, and Postgres says so.
  const { rows } = await client.query(
    `select 1 from pg_catalog.pg_proc f join pg_catalog.pg_namespace n on n.oid = f.pronamespace
     where f.proname = $1 and (n.nspname = $2 or $2 is null and pg_catalog.pg_function_is_visible(f.oid)) limit 1`,
    [name, schema ?? null],
  );
  return rows.length > 0;
}

/** An object of a file that somebody ran by hand, in the SQL editor or with psql. */
function notAMigration(unused: Mention, wanted: Wanted, error: SqlFileError): Told {
  if (/^supabase\/seed(s?\/|\.sql$)/.test(unused.file))
    return {
      kind: "not-a-migration",
      text: `${called(wanted)} is used in ${place(error)} and created only in the seed (${place(unused)}), which runs after all migrations. Move that statement into a migration with a lower version.`,
    };
  const name = unused.file.replace(/^.*[\\/]/, "").replace(/^[\d_]+(?=\D)/, "");
  return {
    kind: "not-a-migration",
    text: `${called(wanted)} is used in ${place(error)} and created only in ${place(unused)}, which is not a migration and is never run. Put its statements into a migration with a lower version than the first one: cp ${unused.file} supabase/migrations/0_${name}`,
  };
}

function createdNowhere(wanted: Wanted, error: SqlFileError): Told {
  const extension = extensionFor(wanted);
  const what = `${called(wanted)} is used in ${place(error)}`;
  const quotes = wanted.mayBeText
    ? "Text stands in single quotes; double quotes are for names. If a column is meant: "
    : "";
  if (extension !== undefined) {
    return {
      kind: "extension-missing",
      text: `${what} and belongs to the extension ${extension}, which no earlier file creates. Put this into a migration before it: ${createExtension(extension)}`,
    };
  }
  if (wanted.kind === "extension")
    return { kind: "created-nowhere", text: `${what}, and no file creates it.` };
  if (wanted.kind === "role") {
    return {
      kind: "created-nowhere",
      text: `${what} and created nowhere in this folder. Put create role into supabase/roles.sql, which runs before the migrations.`,
    };
  }
  return {
    kind: "created-nowhere",
    text: `${quotes}${what} and created nowhere in this folder: the project began in a dashboard, or with another tool. homebase db dump --db-url URL -f schema.sql writes what its database has; put the statements that are missing into a migration with a lower version than the first one.`,
  };
}
