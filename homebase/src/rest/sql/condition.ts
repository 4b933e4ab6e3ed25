/**
 * Owns writing columns and conditions as SQL (docs/compat/rest.md 6).
 */
import { arrayLiteral, quote } from "../../postgres/quoting.ts";
import type { Field, Filter, IsValue, Operation } from "../grammar/syntax.ts";
import type { Column, Relation } from "../schema/schema-cache.ts";
import type { SqlWriter } from "./writer.ts";

const COMPARE = {
  eq: "=",
  gte: ">=",
  gt: ">",
  lte: "<=",
  lt: "<",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
} as const;

const PLAIN = {
  neq: "<>",
  cs: "@>",
  cd: "<@",
  ov: "&&",
  sl: "<<",
  sr: ">>",
  nxr: "&<",
  nxl: "&>",
  adj: "-|-",
} as const;

const SEARCH = {
  fts: "pg_catalog.to_tsquery",
  plfts: "pg_catalog.plainto_tsquery",
  phfts: "pg_catalog.phraseto_tsquery",
  wfts: "pg_catalog.websearch_to_tsquery",
} as const;

const IS: Record<IsValue, string> = {
  null: "null",
  not_null: "not null",
  true: "true",
  false: "false",
  unknown: "unknown",
};

/** A column, or the value at the end of its JSON path. */
export function writeField(
  writer: SqlWriter,
  alias: string,
  relation: Relation | undefined,
  field: Field,
): string {
  const column = `${quote(alias)}.${quote(field.name)}`;
  if (field.path.length === 0) return column;
  const type = relation?.columns.get(field.name)?.baseType;
  const steps = field.path.map(
    ({ arrow, key, index }) => `${arrow}${writer.value(key)}${index ? "::int" : ""}`,
  );
  return `${type === "json" || type === "jsonb" ? column : `pg_catalog.to_jsonb(${column})`}${steps.join("")}`;
}

export function writeFilter(
  writer: SqlWriter,
  alias: string,
  relation: Relation | undefined,
  { field, negated, operation }: Filter,
): string {
  const column = writeField(writer, alias, relation, field);
  const sql = writeOperation(writer, column, relation?.columns.get(field.name), field, operation);
  return negated ? `not (${sql})` : sql;
}

function writeOperation(
  writer: SqlWriter,
  column: string,
  known: Column | undefined,
  { path }: Field,
  operation: Operation,
): string {
  const reader = path.length === 0 ? known?.representation?.readText : undefined;
  const read = (value: string) =>
    reader === undefined ? writer.value(value) : `${reader}(${writer.value(value)}::text)`;
  switch (operation.kind) {
    case "compare": {
      const { operator, quantifier } = operation;
      const pattern = operator === "like" || operator === "ilike";
      const value = pattern ? writer.value(operation.value.replaceAll("*", "%")) : read(operation.value);
      return `${column} ${COMPARE[operator]} ${quantifier ? `${quantifier} (${value})` : value}`;
    }
    case "plain":
      return `${column} ${PLAIN[operation.operator]} ${read(operation.value)}`;
    case "in": {
      const { values } = operation;
      // "in.()" parses as one empty element and matches nothing.
      const empty = values.length === 1 && values[0] === "";
      if (reader !== undefined && !empty) return `${column} = any (array[${values.map(read).join(", ")}])`;
      return `${column} = any (${writer.value(empty ? "{}" : arrayLiteral(values))})`;
    }
    case "is":
      return `${column} is ${IS[operation.value]}`;
    case "distinct":
      return `${column} is distinct from ${writer.value(operation.value)}`;
    case "search": {
      const { language } = operation;
      const config = () => (language === undefined ? "" : `${writer.value(language)}, `);
      // A name that is not a column may be a function of the row that returns a tsvector.
      const ready = known === undefined || known.baseType === "tsvector";
      const left = ready ? column : `pg_catalog.to_tsvector(${config()}${column})`;
      return `${left} @@ ${SEARCH[operation.operator]}(${config()}${writer.value(operation.value)})`;
    }
  }
}
