/** Owns finding the columns that statements name of a table, and guessing their types by values and names. */
import { quote } from "../../postgres/quoting.ts";
import type { GuessedColumn } from "./guesses.ts";
import {
  closing,
  entries,
  isName,
  isSymbol,
  isWord,
  namesInParentheses,
  type ObjectName,
  placesOf,
  type Word,
} from "./statement-words.ts";

/** A column that a statement names, with the type that its value shows. */
export interface NamedColumn {
  name: string;
  type?: string | undefined;
}

/** Words after a table that are no alias of it. */
const NO_ALIAS =
  "add alter as cross default disable drop enable except for force from full group having inner intersect is join left limit natural no on order owner rename returning right select set to union using validate values where with".split(
    " ",
  );

/** The names by which a statement calls a table: its own, and its aliases. */
export function aliasesOf(words: readonly Word[], table: ObjectName): Set<string> {
  const aliases = placesOf(words, table).flatMap((at) => {
    const next = words[at + (isWord(words[at + 1], "as") ? 2 : 1)];
    return isName(next) && !isWord(next, ...NO_ALIAS) ? [next.value] : [];
  });
  return new Set([table.name, ...aliases]);
}

/** The columns of a table that a statement names for certain. */
export function columnsNamed(words: readonly Word[], table: ObjectName): NamedColumn[] {
  const places = placesOf(words, table);
  if (places.length === 0) return [];
  const lists = places.flatMap((at) => listAfter(words, at));
  const aliases = aliasesOf(words, table);
  const qualified = words.flatMap((word, at) => {
    const owner = words[at - 2];
    const isColumn =
      isName(word) &&
      isSymbol(words[at - 1], ".") &&
      isName(owner) &&
      aliases.has(owner.value) &&
      !isSymbol(words[at - 3], ".") &&
      !isSymbol(words[at + 1], "(") &&
      !isSymbol(words[at + 1], ".") &&
      !(owner.value === table.schema && word.value === table.name);
    return isColumn ? [{ name: word.value }] : [];
  });
  return [...lists, ...qualified];
}

/** The list of columns after a table's name: of INSERT and COPY, of an index, of a foreign key. */
function listAfter(words: readonly Word[], at: number): NamedColumn[] {
  const start = isSymbol(words[at - 1], ".") ? at - 3 : at - 1;
  const lead = words[start];
  if (isWord(lead, "into", "copy", "references")) {
    const open = isWord(lead, "into") && isWord(words[at + 1], "as") ? at + 3 : at + 1;
    const names = namesInParentheses(words, open) ?? [];
    const types = isWord(lead, "into") ? typesOfRows(words, closing(words, open) + 1) : [];
    return names.map((name, index) => ({ name, type: types[index] }));
  }
  const index = isWord(lead, "on", "only") && words.slice(0, start).some((word) => isWord(word, "index"));
  if (!index) return [];
  const open = isWord(words[at + 1], "using") ? at + 3 : at + 1;
  return (namesInParentheses(words, open) ?? []).map((name) => ({ name }));
}

/** The types of the values of each column of `values (…), (…)`. */
function typesOfRows(words: readonly Word[], at: number): (string | undefined)[] {
  if (!isWord(words[at], "values")) return [];
  const types: (string | undefined)[][] = [];
  for (let open = at + 1; isSymbol(words[open], "("); open = closing(words, open) + 2)
    for (const [column, value] of entries(words, open).entries())
      types[column] = [...(types[column] ?? []), typeOfValue(value)];
  return types.map((found) => {
    const known = new Set(found.filter((type) => type !== undefined));
    if (known.has("text") && [...known].some((type) => type !== "jsonb")) return "text";
    if (known.has("numeric")) return "numeric";
    return [...known].at(-1);
  });
}

/** The type of a literal or a call that is often written; undefined for null and what is not known. */
function typeOfValue(value: readonly Word[]): string | undefined {
  const cast = value.findLastIndex((word) => isSymbol(word, "::"));
  const named = value[cast + 1];
  if (cast >= 0 && named && value.length === cast + 2)
    return named.kind === "quoted" ? quote(named.value) : typeNamed(named.value);
  const [first] = value;
  if (first?.kind === "string") return typeOfText(first.value);
  const last = value.at(-1);
  if (last?.kind === "symbol" && /^\d+$/.test(last.value)) return "bigint";
  if (last?.kind === "symbol" && /^[\d.]+(e[+-]?\d+)?$/i.test(last.value)) return "numeric";
  if (isWord(first, "true", "false")) return "boolean";
  if (isWord(first, "now", "current_timestamp")) return "timestamptz";
  if (isWord(first, "gen_random_uuid", "uuid_generate_v4")) return "uuid";
  return isWord(first, "array") ? "text[]" : undefined;
}

function typeOfText(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return "uuid";
  if (/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d\S*)?$/.test(text)) return "timestamptz";
  try {
    if (/^[[{]/.test(text) && JSON.parse(text)) return "jsonb";
  } catch {
    // No JSON then.
  }
  return "text";
}

/** Names of types that mean the same, as this repair writes them. */
const SAME: Readonly<Record<string, string>> = {
  int: "bigint",
  int4: "bigint",
  int8: "bigint",
  integer: "bigint",
  smallint: "bigint",
  bool: "boolean",
  varchar: "text",
  "character varying": "text",
  unknown: "text",
  "timestamp with time zone": "timestamptz",
  "double precision": "numeric",
};

/** A type by the name that is written in a skeleton. */
export function typeNamed(name: string): string {
  const [, own = "", array = ""] = /^(.*?)((?:\[\])?)$/.exec(name) ?? [];
  return (SAME[own] ?? own) + array;
}

const BY_NAME: readonly [name: RegExp, type: string][] = [
  [/^id$|_id$|_by$|^(owner|author|user|uid)$/, "uuid"],
  [/_at$|_on$|^(date|timestamp)$/, "timestamptz"],
  [/^(is|has|can)_|^(active|enabled|completed|done|public|published|deleted|archived)$/, "boolean"],
  [/^(metadata|meta|data|settings|config|payload|properties)$|_data$/, "jsonb"],
  [/(^|_)(count|quantity|position|number|level|score|rating|stars|cents|seats)$/, "bigint"],
  [/(^|_)(price|amount|total|balance|cost)$/, "numeric"],
];

/**
 * A column with the type that its name suggests, or text.
 * @param type that statements show
 */
export function guessedColumn(column: string, from: string, type?: string): GuessedColumn {
  const shown = type ?? BY_NAME.find(([name]) => name.test(column))?.[1];
  return { type: shown ?? "text", isTypeUnknown: shown === undefined, from, corrected: 0 };
}
