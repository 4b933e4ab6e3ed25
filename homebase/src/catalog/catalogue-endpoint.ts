/** Owns the type of an endpoint of the database API, and listing and finding objects of a catalogue. */
import { z } from "zod";
import { flag, integer, parse, text } from "./body.ts";
import { MetaError, notFound } from "./errors.ts";
import type { Row, Session } from "./session.ts";

/** A request as an endpoint gets it. */
export interface Call {
  session: Session;
  /** The path's variable, decoded. */
  id: string;
  /** The parsed JSON body. */
  body: unknown;
  query: Record<string, string>;
}

/** Returns the response's JSON value. @throws MetaError, or Postgres's error */
export type Endpoint = (call: Call) => Promise<unknown>;

/** The parameters of lists and deletions; each endpoint uses those that upstream's has. */
const PARAMETERS = z.object({
  include_system_schemas: flag.default(false),
  included_schemas: text.optional(),
  excluded_schemas: text.optional(),
  include_columns: flag.optional(),
  include_array_types: flag.default(false),
  include_default_roles: flag.default(false),
  cascade: flag.default(false),
  limit: integer.optional(),
  offset: integer.optional(),
});

/** The parameters of a request. @throws MetaError 500 */
export function parametersOf({ query }: Call): z.infer<typeof PARAMETERS> {
  return parse(PARAMETERS, query, "querystring");
}

/** How objects of one kind are read. */
export interface Listing {
  /** A message's noun with its article, e.g. "a table with ID". */
  noun: string;
  /** The SELECT list. */
  fields: string;
  /** FROM and WHERE; further conditions follow. */
  from: string;
  /** Whether a list shows columns unless the request says; only for relations. */
  withColumns?: boolean;
  /** Expressions of the object's id and schema; no schema when objects have none. */
  id: string;
  schema?: string;
  order: string;
  /** Schemas that a list leaves out unless system schemas are requested. Defaults to Postgres's own. */
  hidden?: readonly string[];
}

const SYSTEM_SCHEMAS = ["information_schema", "pg_catalog", "pg_toast"];

/** The statement to which conditions can be added. */
export function selectOf({ fields, from }: Listing): string {
  return `select ${fields} ${from}`;
}

/** The objects of a list request, by its parameters. */
export function list(call: Call, listing: Listing): Promise<Row[]> {
  const parameters = parametersOf(call);
  const { include_system_schemas, limit, offset } = parameters;
  const values: unknown[] = [];
  const value = (one: unknown) => `$${values.push(one)}`;
  const included = parameters.included_schemas?.split(",");
  const hidden = include_system_schemas ? [] : (listing.hidden ?? SYSTEM_SCHEMAS);
  const excluded = [...hidden, ...(parameters.excluded_schemas?.split(",") ?? [])];
  const { schema } = listing;
  const filter =
    schema === undefined
      ? ""
      : included
        ? `and ${schema} = any (${value(included)}::text[])`
        : `and ${schema} <> all (${value(excluded)}::text[])`;
  return call.session.rows(
    `${selectOf(listing)} ${filter} order by ${listing.order}
    ${limit ? `limit ${value(limit)}::bigint` : ""} ${offset ? `offset ${value(offset)}::bigint` : ""}`,
    values,
  );
}

/** One object by its id. @throws MetaError 404 */
export async function retrieve<Shape extends Row = Row>(
  session: Session,
  listing: Listing,
  id: string | number,
): Promise<Shape> {
  const [found] = await session.rows<Shape>(`${selectOf(listing)} and ${listing.id} = $1`, [String(id)]);
  if (!found) throw notFound(listing.noun, String(id));
  return found;
}

/** One object by other expressions. @param message the error's, when there is none. @throws MetaError 404 */
export async function find<Shape extends Row = Row>(
  session: Session,
  listing: Listing,
  where: Record<string, string>,
  message: string,
): Promise<Shape> {
  const filter = Object.keys(where).map((expression, index) => `and ${expression} = $${index + 1}`);
  const [found] = await session.rows<Shape>(
    `${selectOf(listing)} ${filter.join(" ")} order by ${listing.order} limit 1`,
    Object.values(where),
  );
  if (!found) throw new MetaError(404, message);
  return found;
}

/** The endpoints of a kind of objects. */
export interface Endpoints {
  list: Endpoint;
  retrieve: Endpoint;
  create?: Endpoint;
  update?: Endpoint;
  remove?: Endpoint;
}

/**
 * Changes one object by its id.
 * @param changes the statements for the given fields; empty ones are left out.
 */
export function updating<Shape extends Row, Schema extends z.ZodType>(
  listing: Listing,
  schema: Schema,
  changes: (old: Shape, given: z.infer<Schema>, session: Session) => string[] | Promise<string[]>,
): Endpoint {
  return async ({ session, id, body }) => {
    const given = parse(schema, body);
    const old = await retrieve<Shape>(session, listing, id);
    await session.execute(await changes(old, given, session));
    return retrieve(session, listing, id);
  };
}

/**
 * Drops one object by its id, and returns it.
 * @param cascades whether a request may drop dependent objects too.
 */
export function dropping<Shape extends Row>(
  listing: Listing,
  drop: (old: Shape) => string,
  cascades = true,
): Endpoint {
  return async (call) => {
    const cascade = cascades && parametersOf(call).cascade;
    const old = await retrieve<Shape>(call.session, listing, call.id);
    await call.session.execute([`${drop(old)} ${cascade ? "cascade" : ""}`]);
    return old;
  };
}

/** The endpoints of a kind that is only read. */
export function readers(listing: Listing): Pick<Endpoints, "list" | "retrieve"> {
  return {
    list: (call) => list(call, listing),
    retrieve: ({ session, id }) => retrieve(session, listing, id),
  };
}
