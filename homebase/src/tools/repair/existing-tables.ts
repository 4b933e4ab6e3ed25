/** Owns guessing what a table that the files make lacks: columns, policies and constraints that a dashboard gave it. */
import type { SqlFileError } from "../../postgres/files/errors.ts";
import { mentionsIn } from "../../postgres/files/objects.ts";
import type { SqlFile } from "../../postgres/files/sql-file.ts";
import { splitStatements } from "../../postgres/statements/split.ts";
import { columnsNamed, guessedColumn } from "./evidence.ts";
import type { Existing, GuessedRelation, Guesses } from "./guesses.ts";
import { isName, isSymbol, placesOf, type Word, wordsOf } from "./statement-words.ts";

/** What a table lacks. The table's name has no schema, as Postgres's messages have it. */
export interface Lacking {
  kind: string;
  name: string;
  table: string;
}

/** The place that shows it: a file that cannot be applied, or a place of a function, by which none fails. */
export interface Evidence {
  from: string;
  /** The file that needs it. */
  file?: string | undefined;
  words: readonly Word[];
}

/**
 * Adds to the guesses what a table lacks, be the table guessed as well or one of the files.
 * @param files all that run, in their order
 * @returns whether anything was added
 */
export function learnLacking(
  guesses: Guesses,
  { kind, name, table }: Lacking,
  evidence: Evidence,
  files: readonly SqlFile[],
): boolean {
  const relation = relationOf(guesses, table, evidence, files);
  if (!relation) return false;
  const { from } = evidence;
  const moved = moveUp(relation, evidence.file, files);
  if (kind === "column") return addColumn(relation, name, from, files) || moved;
  const known = kind === "policy" ? relation.policies : relation.constraints;
  if (known.has(name)) return moved;
  known.set(name, from);
  return true;
}

/**
 * Takes the guesses back that would be added before a file and failed there; their tables are not guessed about again.
 * @returns whether there were any
 */
export function forget(guesses: Guesses, added: string | undefined): boolean {
  const wrong = guesses.relations.filter(
    ({ existing }) => existing !== undefined && existing.before === added,
  );
  for (const relation of wrong) {
    guesses.relations.splice(guesses.relations.indexOf(relation), 1);
    guesses.refused.add(relation.name);
  }
  return wrong.length > 0;
}

function relationOf(
  guesses: Guesses,
  table: string,
  { from, file, words }: Evidence,
  files: readonly SqlFile[],
): GuessedRelation | undefined {
  const schema = schemaIn(words, table);
  const known = guesses.relations.find(
    (one) => one.name === table && (schema === undefined || one.schema === schema),
  );
  if (known) return known.kind === "table" ? known : undefined;
  if (guesses.refused.has(table)) return undefined;
  const made = makes(files, table, schema);
  const own = made?.schema ?? schema ?? "public";
  const existing = made ? placeFor(made, file, files) : PLATFORM.test(own) ? { before: file } : undefined;
  if (existing === undefined) return undefined;
  const relation: GuessedRelation = {
    schema: own,
    name: table,
    kind: "table",
    from,
    columns: new Map(),
    keys: [],
    policies: new Map(),
    constraints: new Map(),
    existing: { ...existing, before: isMigration(files, existing.before) ? existing.before : undefined },
  };
  guesses.relations.push(relation);
  return relation;
}

/** Schemas whose tables are there before all files, and get policies of projects. */
const PLATFORM = /^(storage|realtime)$/;

/** Files that run after all migrations have no version to come before. */
const isMigration = (files: readonly SqlFile[], path: string | undefined) =>
  path !== undefined && files.some((file) => file.path === path && "version" in file);

/** The schema that a statement gives a table; undefined where it gives none. */
function schemaIn(words: readonly Word[], table: string): string | undefined {
  const at = words.findIndex(
    (word, index) =>
      isName(word) && word.value === table && isSymbol(words[index - 1], ".") && isName(words[index - 2]),
  );
  return at < 0 ? undefined : words[at - 2]?.value;
}

interface Maker {
  file: string;
  schema: string;
  /** The statement, where it leaves a table alone that is there. */
  creation?: string | undefined;
}

/** The first statement of the files that makes a table of this name, which is no temporary one and no view. */
function makes(files: readonly SqlFile[], table: string, schema: string | undefined): Maker | undefined {
  for (const { file, offset, schema: own = "public" } of mentionsIn(
    files,
    (one) => one.kind === "relation" && one.change === "create" && one.name === table,
  )) {
    const sql = files.find(({ path }) => path === file)?.sql ?? "";
    const found = /^create\s+(?:unlogged\s+)?table\s+(if\s+not\s+exists\s)?/i.exec(sql.slice(offset));
    if (!found || (schema !== undefined && own !== schema)) continue;
    const statement = splitStatements(sql).findLast((one) => one.offset <= offset);
    const creation = found[1] === undefined ? undefined : statement?.text.slice(offset - statement.offset);
    return { file, schema: own, creation };
  }
  return undefined;
}

/** Where a table can get what it lacks; undefined where no place between two files is early and late enough. */
function placeFor(made: Maker, file: string | undefined, files: readonly SqlFile[]): Existing | undefined {
  const at = (path: string) => files.findIndex((one) => one.path === path);
  if (file === undefined) return {};
  if (at(made.file) < at(file)) return { before: file };
  return made.file === file && made.creation !== undefined
    ? { before: file, creation: made.creation }
    : undefined;
}

/** An earlier file needs what was to be added later. */
function moveUp({ existing }: GuessedRelation, file: string | undefined, files: readonly SqlFile[]): boolean {
  if (!existing || file === undefined || !isMigration(files, file)) return false;
  const at = (path: string) => files.findIndex((one) => one.path === path);
  if (existing.before !== undefined && at(existing.before) <= at(file)) return false;
  existing.before = file;
  return true;
}

/** The type is the one that some statement's value or operator shows, if one does. */
function addColumn(
  relation: GuessedRelation,
  name: string,
  from: string,
  files: readonly SqlFile[],
): boolean {
  if (relation.columns.has(name)) return false;
  const statements = files
    .flatMap(({ sql }) => splitStatements(sql))
    .map(({ text }) => wordsOf(text))
    .filter((words) => placesOf(words, relation).length > 0);
  const type =
    statements
      .flatMap((words) => columnsNamed(words, relation))
      .find((column) => column.name === name && column.type !== undefined)?.type ??
    statements.map((words) => typeByOperator(words, name)).find((one) => one !== undefined);
  relation.columns.set(name, guessedColumn(name, from, type));
  return true;
}

/** The type that an operator after a column takes: of numbers with a number, of JSON with any. */
function typeByOperator(words: readonly Word[], name: string): string | undefined {
  for (const [at, word] of words.entries()) {
    const [operator, other] = [words[at + 1], words[at + 2]];
    if (!isName(word) || word.value !== name || operator?.kind !== "symbol") continue;
    if (/^#?->>?$/.test(operator.value)) return "jsonb";
    if (/^[-+*/%]$/.test(operator.value) && other?.kind === "symbol" && /^[\d.]+$/.test(other.value))
      return /^\d+$/.test(other.value) ? "bigint" : "numeric";
  }
  return undefined;
}

/** What an error says that a table lacks. */
export function lackingOf({ breakage }: SqlFileError): Lacking | undefined {
  const { kind, object } = breakage ?? {};
  if (kind !== "created-nowhere" || object?.table === undefined) return undefined;
  return ["column", "policy", "constraint"].includes(object.kind)
    ? { kind: object.kind, name: object.name, table: object.table }
    : undefined;
}
