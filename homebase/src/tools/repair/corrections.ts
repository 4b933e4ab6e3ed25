/** Owns correcting guessed objects by Postgres's messages: a further column, a value of an enum, another type. */
import type { SqlFileError } from "../../postgres/files/errors.ts";
import { aliasesOf, guessedColumn, typeNamed } from "./evidence.ts";
import type { GuessedRelation, Guesses } from "./guesses.ts";
import {
  closing,
  isName,
  isSymbol,
  isWord,
  namesInParentheses,
  type Operand,
  operandAfter,
  operandBefore,
  placesOf,
  type Word,
} from "./statement-words.ts";

/** The input of a correction. */
interface Scene {
  guesses: Guesses;
  words: readonly Word[];
  from: string;
  /** The guessed tables and views that the statement names. */
  tables: GuessedRelation[];
  error: SqlFileError;
}

type Correction = (scene: Scene, ...groups: string[]) => boolean;

/** Two statements may contradict each other: then the last correction stays. */
const MOST_CORRECTIONS = 4;

/** @returns whether a guess was changed */
export function learnFromMessage(
  guesses: Guesses,
  error: SqlFileError,
  words: readonly Word[],
  from: string,
): boolean {
  const tables = guesses.relations.filter((one) => placesOf(words, one).length > 0);
  for (const [pattern, correct] of CORRECTIONS) {
    const found = pattern.exec(error.message);
    if (found && correct({ guesses, words, from, tables, error }, ...found.slice(1))) return true;
  }
  return false;
}

const unquoted = (name: string) => name.replaceAll('"', "");

const CORRECTIONS: readonly [message: RegExp, correct: Correction][] = [
  [
    /^column "?([^"]+)"? of relation "(.+)" does not exist$/,
    (scene, column = "", table = "") =>
      addColumn(
        scene,
        column,
        scene.tables.filter(({ name }) => name === table),
      ),
  ],
  [
    /^column "([^"]+)" (?:named in key |referenced in .+ )?does not exist$/,
    (scene, column = "") => addColumn(scene, column, scene.tables),
  ],
  [
    /^column ([^ ]+)\.([^ .]+) does not exist$/,
    (scene, owner = "", column = "") =>
      addColumn(
        scene,
        unquoted(column),
        scene.tables.filter((table) => ROWS.has(owner) || aliasesOf(scene.words, table).has(unquoted(owner))),
      ),
  ],
  [
    /^operator does not exist: (.+) ([-+*/<>=~!@#%^&|?]+) (.+)$/,
    (scene, left = "", operator = "", right = "") => correctOperand(scene, operator, left, right),
  ],
  [/^argument of (.+) must be type boolean, not type (.+)$/, correctCondition],
  [/^op ANY\/ALL \(array\) requires array on right side$/, correctArray],
  [
    /^column "(.+)" is of type (.+) but expression is of type (.+)$/,
    (scene, column = "", _ = "", type = "") => scene.tables.some((table) => retype(table, column, type)),
  ],
  [
    /^column "(.+)" is of type (.+) but default expression is of type (.+)$/,
    (scene, column = "", wanted = "", type = "") => {
      const at = scene.words.findIndex(({ value }) => value === column);
      const call = scene.words.find((_, index) => index > at && isSymbol(scene.words[index + 1], "("));
      return call !== undefined && retypeCall(scene, call.value, type, wanted);
    },
  ],
  [
    /^column "(.+)" cannot be cast automatically to type (.+)$/,
    (scene, column = "", type = "") => scene.tables.some((table) => retype(table, column, type)),
  ],
  [/^foreign key constraint ".+" cannot be implemented$/, correctKeyType],
  [/^there is no (?:unique constraint matching given keys|primary key) for referenced table "(.+)"$/, addKey],
  [/^there is no unique or exclusion constraint matching the ON CONFLICT specification$/, addConflictKey],
  [
    /^invalid input value for enum (.+): "(.*)"$/,
    (scene, type = "", label = "") => addLabel(scene, unquoted(type), label),
  ],
  [
    /^"(.+)" is not an existing enum label$/,
    (scene, label = "") =>
      scene.guesses.types.some(
        ({ name }) =>
          placesOf(scene.words, { schema: "public", name }).length > 0 && addLabel(scene, name, label),
      ),
  ],
  [
    /^"(.+)" is not a (view|materialized view|sequence)$/,
    (scene, name = "", kind = "") => {
      const relation = scene.tables.find((one) => one.name === name && one.kind !== kind);
      if (relation) relation.kind = kind as GuessedRelation["kind"];
      return relation !== undefined;
    },
  ],
  [/^invalid input syntax for type (.+): "(.*)"$/, correctText],
  [/^function (?:\w+\.)?(\w+)\((.+)\) does not exist$/, correctArgument],
  [
    /^data type (.+) has no default operator class for access method "gin"$/,
    ({ words, tables }, type = "") => {
      const at = words.findIndex((word) => isWord(word, "gin"));
      const names = namesInParentheses(words, at + 1) ?? [];
      return tables.some((table) =>
        names.some(
          (name) => table.columns.get(name)?.type === typeNamed(type) && retype(table, name, "text[]"),
        ),
      );
    },
  ],
];

/** Names by which triggers and upserts call a row of any table. */
const ROWS = new Set(["new", "old", "excluded"]);

function addColumn({ from }: Scene, column: string, tables: readonly GuessedRelation[]): boolean {
  const table = tables.find(
    ({ columns, kind, existing }) => kind !== "sequence" && existing === undefined && !columns.has(column),
  );
  table?.columns.set(column, guessedColumn(column, from));
  return table !== undefined;
}

/** @returns whether the column is a guessed one that gets another type */
function retype({ columns, from, existing }: GuessedRelation, name: string, type: string): boolean {
  // A table without a known column is written with an id.
  if (name === "id" && columns.size === 0 && existing === undefined)
    columns.set(name, guessedColumn(name, from));
  const column = columns.get(name);
  const wanted = typeNamed(type);
  if (!column || column.type === wanted || column.corrected >= MOST_CORRECTIONS) return false;
  column.type = wanted;
  column.isTypeUnknown = false;
  column.corrected += 1;
  return true;
}

/** Gives a guessed function that returns `before` another type. */
function retypeCall({ guesses }: Scene, name: string, before: string, type: string): boolean {
  const called = guesses.functions.find((one) => one.name === name && one.returns === typeNamed(before));
  if (!called || called.returns === typeNamed(type) || called.corrected >= MOST_CORRECTIONS) return false;
  called.returns = typeNamed(type);
  called.corrected += 1;
  return true;
}

/** The type that an operator works on when its other side is a literal. */
const BY_OPERATOR: readonly [operator: RegExp, type: string][] = [
  [/^(->>?|#>>?|@>|<@|\?[|&]?|@\?|#-)$/, "jsonb"],
  [/^&&$/, "text[]"],
  [/^@@$/, "tsvector"],
  [/^[-+*/%]$/, "numeric"],
];

function correctOperand(scene: Scene, operator: string, left: string, right: string): boolean {
  const isExclusion = scene.words.some((word) => isWord(word, "exclude"));
  const special =
    isExclusion && operator === "&&"
      ? "tstzrange"
      : BY_OPERATOR.find(([pattern]) => pattern.test(operator))?.[1];
  const give = (operand: Operand | undefined, own: string, other: string): boolean => {
    const plain = ["unknown", "text", "integer"].includes(other);
    const type = other === "interval" ? "timestamptz" : ((plain ? special : undefined) ?? other);
    if (!operand) return false;
    if (operand.call) return retypeCall(scene, operand.name, own, type);
    return scene.tables.some(
      (table) =>
        table.columns.get(operand.name)?.type === typeNamed(own) && retype(table, operand.name, type),
    );
  };
  return scene.words.some(
    (word, at) =>
      (word.kind === "name" || word.kind === "symbol") &&
      [operator, ...(WRITTEN_AS[operator] ?? [])].includes(word.value) &&
      (give(
        operandBefore(scene.words, isWord(scene.words[at - 1], "not", "with") ? at - 1 : at),
        left,
        right,
      ) ||
        give(operandAfter(scene.words, at), right, left)),
  );
}

/** Words and symbols that Postgres reads as an operator. */
const WRITTEN_AS: Readonly<Record<string, string[]>> = {
  "=": ["in"],
  "<>": ["!=", "in"],
  ">=": ["between"],
  "<=": ["between"],
  "~~": ["like"],
  "~~*": ["ilike"],
};

/** Makes a column or a function boolean that stands where only a condition can stand. */
function correctCondition(scene: Scene, place = "", type = ""): boolean {
  const { words, tables } = scene;
  return words.some((word, at) => {
    if (!isName(word)) return false;
    const call = isSymbol(words[at + 1], "(");
    if (!begins(words, at) || !ends(words[call ? closing(words, at + 1) + 1 : at + 1], place)) return false;
    if (call) return retypeCall(scene, word.value, type, "boolean");
    return tables.some(
      (table) =>
        table.columns.get(word.value)?.type === typeNamed(type) && retype(table, word.value, "boolean"),
    );
  });
}

/** Whether a condition can begin with this name and its qualification. */
function begins(words: readonly Word[], at: number): boolean {
  let start = at;
  while (isSymbol(words[start - 1], ".")) start -= 2;
  const before = words[start - 1];
  if (isSymbol(before, "(")) return !isName(words[start - 2]) || isWord(words[start - 2], ...CONDITIONS);
  return isWord(before, ...CONDITIONS);
}

const CONDITIONS = ["and", "or", "not", "where", "on", "having", "when", "using", "check"];

/** Whether a condition can end before this word. */
const ends = (next: Word | undefined, place: string) =>
  next === undefined ||
  isSymbol(next, ")") ||
  isSymbol(next, ";") ||
  isSymbol(next, ",") ||
  (next.kind === "name" &&
    !isWord(next, "in", "between", "like", "ilike", "not", "collate", "similar") &&
    (next.value !== "is" || place.startsWith("IS ")));

function correctArray({ words, tables }: Scene): boolean {
  return words.some((word, at) => {
    if (!isWord(word, "any", "all")) return false;
    const array = operandAfter(words, at);
    const element = operandBefore(words, at - 1);
    const own = tables.flatMap(({ columns }) => columns.get(element?.name ?? "")?.type ?? []).at(0);
    const type = own ?? (element?.call && element.name === "uid" ? "uuid" : "text");
    return array !== undefined && tables.some((table) => retype(table, array.name, `${type}[]`));
  });
}

function correctKeyType({ words, tables, error }: Scene): boolean {
  const [, own = "", referenced = "", type = "", wanted = ""] =
    /"([^"]+)"[^"]+"([^"]+)".* incompatible types: (.+) and (.+)\.$/.exec(error.detail ?? "") ?? [];
  return (
    tables.some((table) => referencesTo(words, table).length > 0 && retype(table, referenced, type)) ||
    tables.some((table) => retype(table, own, wanted))
  );
}

/** The indexes of a table's name where a foreign key refers to it. */
const referencesTo = (words: readonly Word[], table: GuessedRelation) =>
  placesOf(words, table).filter((at) =>
    isWord(words[isSymbol(words[at - 1], ".") ? at - 3 : at - 1], "references"),
  );

function addKey({ words, tables, from }: Scene, name = ""): boolean {
  return tables
    .filter((one) => one.name === name)
    .some((table) =>
      referencesTo(words, table).some((at) => keep(table, namesInParentheses(words, at + 1) ?? ["id"], from)),
    );
}

function addConflictKey({ words, tables, from }: Scene): boolean {
  const at = words.findIndex((word, index) => isWord(word, "conflict") && isSymbol(words[index + 1], "("));
  const list = namesInParentheses(words, at + 1);
  return list !== undefined && tables.some((table) => keep(table, list, from));
}

function keep(table: GuessedRelation, key: string[], from: string): boolean {
  if (table.keys.some((one) => one.join() === key.join())) return false;
  table.keys.push(key);
  for (const name of key) {
    if (table.existing === undefined && !table.columns.has(name))
      table.columns.set(name, guessedColumn(name, from));
  }
  return true;
}

function addLabel({ guesses }: Scene, type: string, label: string): boolean {
  const found = guesses.types.find(({ schema, name }) => type === name || type === `${schema}.${name}`);
  if (!found || found.labels.has(label)) return false;
  found.labels.add(label);
  return true;
}

/** Makes a column text that gets a text: COPY's error names the column; in a comparison it stands beside the text. */
function correctText(scene: Scene, type = "", text = ""): boolean {
  const { words, tables, error } = scene;
  const [, copied] = /^COPY .*, column (.+?): /.exec(error.detail ?? "") ?? [];
  if (copied !== undefined) return tables.some((table) => retype(table, copied, "text"));
  return words.some((word, at) => {
    if (word.kind !== "string" || word.value !== text) return false;
    const operand = operandBefore(words, comparisonBefore(words, at));
    if (operand?.call) return retypeCall(scene, operand.name, type, "text");
    return operand !== undefined && tables.some((table) => retype(table, operand.name, "text"));
  });
}

/** The index at which the comparison with a text begins: of an operator, of `[not] in (`, of `is [not] distinct from`. */
function comparisonBefore(words: readonly Word[], at: number): number {
  let start = at - 1;
  while (words[start]?.kind === "string" || isSymbol(words[start], ",") || isSymbol(words[start], "("))
    start -= 1;
  if (!isWord(words[start], "in", "from")) return at - 1;
  while (isWord(words[start - 1], "distinct", "not", "is")) start -= 1;
  return start;
}

/** The type that functions of Postgres take. */
const BY_FUNCTION: readonly [name: RegExp, type: string][] = [
  [/^(sum|avg|round|abs|floor|ceil|ceiling|trunc|sqrt|power|stddev.*|var.*)$/, "numeric"],
  [/^(bool_or|bool_and|every)$/, "boolean"],
  [/^(date_trunc|date_part|extract|age|to_char)$/, "timestamptz"],
  [/^jsonb_/, "jsonb"],
  [/^(array_.*|unnest|cardinality)$/, "text[]"],
  [/^(lower|upper|length|char_length|trim|btrim|substr|substring|left|right|replace|split_part)$/, "text"],
];

/** Gives a guessed column that is an argument the type that the function takes. */
function correctArgument({ words, tables }: Scene, name = "", listed = ""): boolean {
  const type = BY_FUNCTION.find(([pattern]) => pattern.test(name))?.[1];
  const types = listed.split(", ").map(typeNamed);
  if (type === undefined) return false;
  return words.some((word, at) => {
    if (!isWord(word, name) || !isSymbol(words[at + 1], "(")) return false;
    const inside = words.slice(at + 2, closing(words, at + 1)).filter(isName);
    return inside.some(({ value }) =>
      tables.some(
        (table) => types.includes(table.columns.get(value)?.type ?? "") && retype(table, value, type),
      ),
    );
  });
}
