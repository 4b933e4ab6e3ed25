/**
 * Owns adding to the guesses the object that a file's error names: the next table, column or type that is lacking. The
 * file is tried again with it.
 */
import { innerStatement, type SqlFileError } from "../../postgres/files/errors.ts";
import { mentionsIn } from "../../postgres/files/objects.ts";
import type { SqlFile } from "../../postgres/files/sql-file.ts";
import { quote } from "../../postgres/quoting.ts";
import { positionOf, splitStatements } from "../../postgres/statements/split.ts";
import type { UsedInBody } from "../used-in-bodies.ts";
import { learnFromMessage } from "./corrections.ts";
import { columnsNamed, guessedColumn, typeNamed } from "./evidence.ts";
import { lackingOf, learnLacking } from "./existing-tables.ts";
import type { GuessedFunction, GuessedRelation, Guesses } from "./guesses.ts";
import {
  isName,
  isSymbol,
  isWord,
  type ObjectName,
  placesOf,
  type Word,
  wordsOf,
} from "./statement-words.ts";

/**
 * Adds to the guesses what the error names.
 * @param files all that run, for what other statements tell of the same object
 * @returns whether anything was added, so that another try is worth it
 */
export function learn(guesses: Guesses, error: SqlFileError, files: readonly SqlFile[]): boolean {
  const from = `${error.file}:${error.line}`;
  const words = wordsOf(error.statement);
  const { kind, object } = error.breakage ?? {};
  if (kind === "extension-missing" && object) return add(guesses.extensions, object.name, from);
  const lacking = lackingOf(error);
  if (lacking && learnLacking(guesses, lacking, { from, file: error.file, words }, files)) return true;
  if (kind === "created-nowhere" && object) {
    const name = objectName(object.name);
    // roles.sql runs before the guessed migration.
    if (object.kind === "role")
      return files.some(({ path }) => path === error.file) && add(guesses.roles, object.name, from);
    if (object.kind === "schema") return add(guesses.schemas, object.name, from);
    if (object.kind === "relation") return addRelation(guesses, relationKind(words, name), name, from, files);
    if (object.kind === "type") {
      const isRow = placesOf(words, name).some((at) =>
        isWord(words[isSymbol(words[at - 1], ".") ? at - 3 : at - 1], "setof"),
      );
      if (isRow) return addRelation(guesses, "table", name, from, files);
      if (guesses.types.some((one) => same(one, name))) return false;
      return guesses.types.push({ ...name, from, labels: new Set() }) > 0;
    }
    if (object.kind === "function") return addFunction(guesses, error.message, words, name, from);
  }
  if (kind !== undefined && kind !== "created-nowhere") return false;
  const statement = innerStatement(error.cause);
  const inner = statement === undefined ? [] : [wordsOf(statement)];
  return [...inner, words].some((one) => learnFromMessage(guesses, error, one, from));
}

const same = (one: ObjectName, other: ObjectName) => one.name === other.name && one.schema === other.schema;

function add(known: Map<string, string>, name: string, from: string): boolean {
  if (known.has(name)) return false;
  known.set(name, from);
  return true;
}

/** A name as a message has it. */
function objectName(name: string): ObjectName {
  const dot = name.indexOf(".");
  return dot < 0 ? { schema: "public", name } : { schema: name.slice(0, dot), name: name.slice(dot + 1) };
}

/** The kind of relation that a statement expects. */
function relationKind(words: readonly Word[], { name }: ObjectName): GuessedRelation["kind"] {
  const before = words.findIndex((word) => isName(word) && word.value === name);
  const says = (kind: string) => words.slice(0, before).some((word) => isWord(word, kind));
  if (before < 0 || says("sequence")) return "sequence";
  if (!isWord(words[0], "alter", "comment", "drop", "refresh") || !says("view")) return "table";
  return says("materialized") ? "materialized view" : "view";
}

/**
 * Adds to the guesses what only a function uses: a table, a column of one, a role.
 * @param files all that run
 * @returns whether anything was added
 */
export function learnUsed(
  guesses: Guesses,
  { object, file = "a function", line }: UsedInBody,
  files: readonly SqlFile[],
): boolean {
  const from = line === undefined ? file : `${file}:${line}`;
  if (object.kind === "role") return add(guesses.roles, object.name, from);
  if (object.kind === "relation") return addRelation(guesses, "table", objectName(object.name), from, files);
  if (object.kind !== "column" || object.table === undefined) return false;
  return learnLacking(guesses, { ...object, table: object.table }, { from, words: [] }, files);
}

function addRelation(
  guesses: Guesses,
  kind: GuessedRelation["kind"],
  name: ObjectName,
  from: string,
  files: readonly SqlFile[],
): boolean {
  if (guesses.relations.some((one) => same(one, name))) return false;
  const relation: GuessedRelation = {
    ...name,
    kind,
    from,
    columns: new Map(),
    keys: [],
    policies: new Map(),
    constraints: new Map(),
  };
  guesses.relations.push(relation);
  const added = mentionsIn(files, (one) => one.kind === "column" && one.table === name.name);
  for (const { path, sql } of files) {
    for (const statement of splitStatements(sql)) {
      for (const { name: column, type } of columnsNamed(wordsOf(statement.text), name)) {
        const known = relation.columns.get(column);
        if (added.some((one) => one.name === column) || (known && type === undefined)) continue;
        const place = `${path}:${positionOf(sql, statement.offset).line}`;
        relation.columns.set(column, guessedColumn(column, place, type));
      }
    }
  }
  return true;
}

/** The message has the types of the arguments: `function public.is_admin(uuid, unknown) does not exist`. */
function addFunction(
  { functions }: Guesses,
  message: string,
  words: readonly Word[],
  name: ObjectName,
  from: string,
): boolean {
  const [, listed = ""] = /\((.*)\) does not exist$/.exec(message) ?? [];
  const parameters = listed === "" ? [] : listed.split(", ").map(parameter);
  const alike = (one: GuessedFunction) =>
    same(one, name) && one.parameters.join(", ") === parameters.join(", ");
  if (functions.some(alike)) return false;
  const trigger = words.some(
    (word, at) => isWord(word, "execute") && isWord(words[at + 1], "function", "procedure"),
  );
  const returns = trigger ? "trigger" : isWord(words[1], "policy") ? "boolean" : "text";
  return functions.push({ ...name, from, parameters, returns, corrected: 0 }) > 0;
}

/** A parameter as CREATE FUNCTION has it, of `uuid` or `user_id => uuid`. */
function parameter(text: string): string {
  const [name = "", type] = text.split(" => ");
  return type === undefined ? typeNamed(text) : `${quote(name.replaceAll('"', ""))} ${typeNamed(type)}`;
}
