/** Owns the parameters shared by the paths of the OpenAPI document (PostgREST documentation, "OpenAPI"). */
import type { DescribedTable } from "./description-query.ts";
import type { Schema } from "./type-mapping.ts";

/** A reference to one of the shared parameters. */
export function reference(name: string): Schema {
  return { $ref: `#/parameters/${name}` };
}

function prefer(values: readonly string[] = []): Schema {
  return {
    name: "Prefer",
    description: "Preference",
    required: false,
    ...(values.length === 0 ? {} : { enum: values }),
    in: "header",
    type: "string",
  };
}

function text(name: string, description: string, place: "query" | "header", more: Schema = {}): Schema {
  return { name, description, required: false, ...more, in: place, type: "string" };
}

// The values that PostgREST lists, not all that it accepts: client generators make types of these lists.
const RETURN = ["return=representation", "return=minimal", "return=none"];
const COUNT = ["count=none"];
const RESOLUTION = ["resolution=ignore-duplicates", "resolution=merge-duplicates"];
const PAGE = "Limiting and Pagination";

/** All shared parameters, with a body for each table and a filter for each column. */
export function parameterDefinitions(tables: readonly DescribedTable[]): Schema {
  const parameters: Schema = {
    preferParams: prefer(),
    preferReturn: prefer(RETURN),
    preferCount: prefer(COUNT),
    preferPost: prefer([...RETURN, ...RESOLUTION]),
    select: text("select", "Filtering Columns", "query"),
    on_conflict: text("on_conflict", "On Conflict", "query"),
    order: text("order", "Ordering", "query"),
    range: text("Range", PAGE, "header"),
    rangeUnit: text("Range-Unit", PAGE, "header", { default: "items" }),
    offset: text("offset", PAGE, "query"),
    limit: text("limit", PAGE, "query"),
  };
  for (const { name, columns } of tables) {
    parameters[`body.${name}`] = {
      name,
      description: name,
      required: false,
      in: "body",
      schema: { $ref: `#/definitions/${name}` },
    };
    for (const column of columns) {
      parameters[`rowFilter.${name}.${column.name}`] = {
        name: column.name,
        ...(column.comment === null ? {} : { description: column.comment }),
        required: false,
        in: "query",
        type: "string",
      };
    }
  }
  return parameters;
}
