/**
 * Owns the filter of a vector query, as a condition on a vector's metadata (Amazon S3's documentation, "Metadata
 * filtering"; supabase/storage, src/storage/protocols/vector/adapter/pgvector/filter.ts).
 */
import { isRecord } from "../../src/core/record.ts";
import { badRequest, StorageError } from "../../src/storage/kit/errors.ts";

/** A condition with its values; placeholders begin after `first`. */
export interface Condition {
  sql: string;
  values: unknown[];
}

/** The protocol counts a statement's values in 16 bits: Postgres ends the connection of one with more. */
const MAX_VALUES = 10_000;

const COMPARISONS: Record<string, string> = { $gt: ">", $gte: ">=", $lt: "<", $lte: "<=" };

/**
 * @param first the number of values that the statement already has.
 * @throws InvalidRequest for a filter that is not of the grammar, InvalidParameter for a key in `notFilterable`.
 */
export function filterCondition(
  filter: unknown,
  first: number,
  notFilterable: ReadonlySet<string>,
): Condition {
  const values: unknown[] = [];
  const bind = (value: unknown) => {
    if (values.length === MAX_VALUES) throw invalid(`must NOT have more than ${MAX_VALUES} names and values`);
    values.push(value);
    return `$${first + values.length}`;
  };

  const read = (given: unknown): string => {
    if (!isRecord(given)) throw invalid("must be object");
    const names = Object.keys(given);
    if (names.length === 0) throw invalid("must contain at least one clause");
    const [first = ""] = names;
    if (names.length === 1 && (first === "$and" || first === "$or")) {
      const parts = given[first];
      if (!Array.isArray(parts) || parts.length === 0) throw invalid(`${first} must be a list of filters`);
      return parts.map((part) => `(${read(part)})`).join(first === "$and" ? " and " : " or ");
    }
    return names.map((name) => readField(name, given[name])).join(" and ");
  };

  const readField = (name: string, given: unknown): string => {
    if (name.startsWith("$")) throw invalid(`${name} is not the name of a field`);
    if (notFilterable.has(name)) {
      throw new StorageError("InvalidParameter", `Metadata key "${name}" is configured as non-filterable`);
    }
    if (!isRecord(given)) return compare(name, "$eq", given);
    const operators = Object.entries(given);
    if (operators.length === 0) throw invalid(`the field ${name} has no operator`);
    return operators.map(([operator, value]) => compare(name, operator, value)).join(" and ");
  };

  /** Of a list one element is enough. Null where the metadata lacks the name. */
  const equalsOneOf = (name: string, texts: string[]): string => {
    const field = `metadata -> ${bind(name)}`;
    const wanted = `${bind(texts)}::text[]`;
    const element = `array(select jsonb_array_elements_text(${field})) operator(pg_catalog.&&) ${wanted}`;
    return `(case when jsonb_typeof(${field}) = 'array' then ${element} else ${field.replace("->", "->>")} = any (${wanted}) end)`;
  };

  const compare = (name: string, operator: string, value: unknown): string => {
    const comparison = COMPARISONS[operator];
    if (comparison !== undefined) {
      if (typeof value !== "number") throw invalid(`${operator} of ${name} must be number`);
      const field = bind(name);
      // The order of conditions is Postgres's own; CASE keeps text from being converted.
      return `case when jsonb_typeof(metadata -> ${field}) = 'number' then (metadata ->> ${field})::numeric ${comparison} ${bind(value)}::numeric else false end`;
    }
    switch (operator) {
      case "$eq":
        return equalsOneOf(name, [comparedText(value)]);
      case "$ne":
        return `not ${equalsOneOf(name, [comparedText(value)])}`;
      case "$in":
        return equalsOneOf(name, list(operator, value));
      case "$nin":
        return `not ${equalsOneOf(name, list(operator, value))}`;
      case "$exists":
        if (typeof value !== "boolean") throw invalid(`$exists of ${name} must be boolean`);
        return `${value ? "" : "not "}jsonb_exists(metadata, ${bind(name)})`;
      default:
        throw invalid(`${operator} is not an operator`);
    }
  };

  return { sql: read(filter), values };
}

function list(operator: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(`${operator} must be a list of values`);
  return value.map(comparedText);
}

function comparedText(value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  throw invalid("values must be texts, numbers or booleans");
}

function invalid(what: string) {
  return badRequest(`body/filter ${what}`);
}
