/** Owns who wants to hear of which row changes, in memory and in `realtime.subscription`. */
import { createHash, randomUUID } from "node:crypto";
import pg from "pg";
import type { Database } from "../../postgres/database.ts";
import type { Token } from "../token.ts";
import { type Filter, inspect, inspectFilters, parseFilters, SubscriptionFault } from "./filter.ts";

export type Action = "INSERT" | "UPDATE" | "DELETE";

/** Whoever gets the changes: a channel. */
export interface Listener {
  /** @param data JSON text of the change. */
  onChange(ids: readonly number[], data: string): void;
}

/** One element of a join's `postgres_changes`. */
export interface Subscription {
  readonly uuid: string;
  /** The number in the join's reply. */
  readonly id: number;
  readonly listener: Listener;
  readonly action: Action | "*";
  readonly schema: string;
  readonly table: string;
  readonly matches: (schema: string, table: string) => boolean;
  readonly filters: readonly Filter[];
  readonly select: readonly string[] | undefined;
  role: string;
  /** JSON text: subscribers with equal role and claims are judged together. */
  claims: string;
}

const PUBLICATION = "supabase_realtime";

/** Condition names of SQLSTATEs that subscriptions meet, as the error text has them. */
const CONDITIONS: Record<string, string> = {
  "22P02": "invalid_text_representation",
  "22003": "numeric_value_out_of_range",
  "22007": "invalid_datetime_format",
  "2201B": "invalid_regular_expression",
  "42704": "undefined_object",
  "42883": "undefined_function",
  P0001: "raise_exception",
};

/** The number that stands for an element in the join's reply: the same for equal elements, never 0. */
export function subscriptionId(element: unknown): number {
  const digest = createHash("sha256").update(JSON.stringify(element)).digest();
  return (digest.readUInt32BE(0) % (2 ** 27 - 1)) + 1;
}

/**
 * Reads one element.
 * @throws SubscriptionFault
 */
export function parseSubscription(element: unknown, listener: Listener, token: Token): Subscription {
  const given = (typeof element === "object" && element !== null ? element : {}) as Record<string, unknown>;
  const text = (name: string) =>
    typeof given[name] === "string" && given[name] !== "" ? (given[name] as string) : undefined;
  const schema = text("schema");
  const table = text("table");
  const filter = text("filter");
  if ((!schema && !table) || (filter && !(schema && table))) {
    throw new SubscriptionFault(
      `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${elixirMap(given)}`,
    );
  }
  const select = parseSelect(given.select, schema, table);
  const event = (text("event") ?? "*").toUpperCase();
  const schemaPattern = schema ?? "public";
  const tablePattern = table ?? "*";
  const [ofSchema, ofTable] = [like(schemaPattern), like(tablePattern)];
  return {
    uuid: randomUUID(),
    id: subscriptionId(element),
    listener,
    action: event === "INSERT" || event === "UPDATE" || event === "DELETE" ? event : "*",
    schema: schemaPattern,
    table: tablePattern,
    matches: (inSchema, inTable) => ofSchema.test(inSchema) && ofTable.test(inTable),
    filters: filter ? parseFilters(filter) : [],
    select,
    role: token.role,
    claims: JSON.stringify(token.claims),
  };
}

function parseSelect(
  given: unknown,
  schema: string | undefined,
  table: string | undefined,
): string[] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || !given.every((name) => typeof name === "string")) {
    throw new SubscriptionFault(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    );
  }
  if (!schema || !table || schema.includes("*") || table.includes("*")) {
    throw new SubscriptionFault(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  return given as string[];
}

/**
 * Writes a channel's subscriptions, all or none; the database's trigger checks filters and columns.
 * @throws SubscriptionFault with hosted's text when one of them cannot be.
 */
export async function storeSubscriptions(
  database: Database,
  subscriptions: readonly Subscription[],
): Promise<void> {
  await database.transaction("supabase_admin", async (client) => {
    for (const subscription of subscriptions) {
      const parameters = describe(subscription);
      try {
        const { rowCount } = await client.query(INSERT, [
          subscription.uuid,
          subscription.claims,
          subscription.action,
          subscription.select ?? null,
          subscription.filters.map((filter) => filter.column),
          subscription.filters.map((filter) => filter.operator),
          subscription.filters.map((filter) => filter.value),
          subscription.filters.map((filter) => filter.negate),
          subscription.schema.replaceAll("*", "%"),
          subscription.table.replaceAll("*", "%"),
        ]);
        if (!rowCount) {
          throw new SubscriptionFault(
            `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${parameters}`,
          );
        }
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
        const code = error.code ?? "XX000";
        throw new SubscriptionFault(
          "Unable to subscribe to changes with given parameters. An exception happened so please check your " +
            `connect parameters: ${parameters}. Exception: ERROR ${code} (${CONDITIONS[code] ?? "error"}) ${error.message}`,
        );
      }
    }
  });
}

/** Replaces the claims of subscriptions whose token changed. */
export async function updateClaims(
  database: Database,
  subscriptions: readonly Subscription[],
): Promise<void> {
  await database.query(
    "supabase_admin",
    `update realtime.subscription s set claims = n.claims::jsonb
     from unnest($1::uuid[], $2::text[]) n(id, claims) where s.subscription_id = n.id`,
    [subscriptions.map((one) => one.uuid), subscriptions.map((one) => one.claims)],
  );
}

export async function deleteSubscriptions(
  database: Database,
  subscriptions: readonly Subscription[],
): Promise<void> {
  await database.query(
    "supabase_admin",
    "delete from realtime.subscription where subscription_id = any ($1)",
    [subscriptions.map((one) => one.uuid)],
  );
}

const INSERT = `
  insert into realtime.subscription (subscription_id, entity, filters, claims, action_filter, selected_columns)
  select $1, format('%I.%I', schemaname, tablename)::regclass,
    (select coalesce(array_agg((c, o::realtime.equality_op, v, n)::realtime.user_defined_filter), '{}')
     from unnest($5::text[], $6::text[], $7::text[], $8::boolean[]) f(c, o, v, n)),
    $2::jsonb, $3, $4::text[]
  from pg_catalog.pg_publication_tables
  where pubname = '${PUBLICATION}' and schemaname like $9 and tablename like $10
  on conflict (subscription_id, entity, filters, action_filter, coalesce(selected_columns, '{}'))
  do update set claims = excluded.claims`;

/** SQL's LIKE without escapes, and `*` for any run: `_` in a name is a wildcard, as on hosted. */
function like(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/[*%]/g, ".*")
    .replaceAll("_", ".");
  return new RegExp(`^${source}$`, "s");
}

function describe({ action, schema, table, filters, select }: Subscription): string {
  const columns = select ? inspect(select) : "nil";
  return `[event: ${action}, schema: ${schema}, table: ${table}, filters: ${inspectFilters(filters)}, select: ${columns}]`;
}

function elixirMap(value: Record<string, unknown>): string {
  const entries = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)} => ${JSON.stringify(one)}`,
  );
  return `%{${entries.join(", ")}}`;
}
