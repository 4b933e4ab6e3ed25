/** Owns the mapping of Postgres types to OpenAPI 2.0 (PostgREST documentation, "OpenAPI"). */
import type { Parameter } from "../schema/schema-cache.ts";
import type { DescribedColumn } from "./description-query.ts";

/** A schema object or part of one, ready for JSON. */
export type Schema = Record<string, unknown>;

const TYPES: Record<string, string> = {
  boolean: "boolean",
  smallint: "integer",
  integer: "integer",
  bigint: "integer",
  numeric: "number",
  real: "number",
  "double precision": "number",
};

const FORMATS: Record<string, string> = { smallint: "int32", integer: "int32", bigint: "int64" };

/** `type`, `format` and `items` of a Postgres type. json has no type, because any value is valid. */
export function typeSchema(type: string): Schema {
  const format = FORMATS[type] ?? type;
  if (type === "json" || type === "jsonb") return { format };
  if (!type.endsWith("[]")) return { format, type: TYPES[type] ?? "string" };
  const element = type.slice(0, -2);
  const items = element === "json" || element === "jsonb" ? {} : { type: TYPES[element] ?? "string" };
  return { format, items, type: "array" };
}

/** A column's property, without its description. */
export function columnSchema(column: DescribedColumn): Schema {
  const value = defaultValue(column);
  return {
    default: value,
    ...(column.enum === null ? {} : { enum: column.enum }),
    ...(column.maxLength === null ? {} : { maxLength: column.maxLength }),
    ...typeSchema(column.type),
  };
}

/** A default as JSON; for texts the constant, or the expression as written. */
function defaultValue({ type, default: expression }: DescribedColumn): unknown {
  if (expression === null) return undefined;
  const text = typeSchema(type).type === "string" ? textDefault(expression, type) : expression;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Quoted for text types, otherwise as Postgres prints it. A default that is not valid JSON is then omitted.
 */
function textDefault(expression: string, type: string): string {
  const suffix = `::${type}`;
  if (!expression.endsWith(suffix)) return `"${expression}"`;
  return `"${expression.slice(0, -suffix.length).replace(/^'+|'+$/g, "")}"`;
}

/** A function's parameter in the query of a GET: all but variadic ones are sent as one text. */
export function queryParameter({ name, type, required, variadic }: Parameter): Schema {
  const common = { name, in: "query", required };
  const { items, ...plain } = typeSchema(type);
  if (!variadic) {
    return { ...common, ...plain, type: items || plain.type === undefined ? "string" : plain.type };
  }
  return { ...common, type: "array", items: typeSchema(type.slice(0, -2)), collectionFormat: "multi" };
}
