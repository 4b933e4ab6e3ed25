/** Owns the subscriptions to row changes, in memory and in `realtime.subscription`. */
import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import type { Database } from "../../postgres/database.ts";
import type { Token } from "../kit/socket-token.ts";
import { inspectTerm } from "./elixir-inspect.ts";
import { isStatementError } from "./statement-error.ts";
import type { Listener, Subscription } from "./subscription.ts";
import { inspectFilters, parseFilters, SubscriptionFault, Unpublished } from "./subscription-filter.ts";

const PUBLICATION = "supabase_realtime";
/** The content of the log that is used: row changes, and messages sent by the database. */
export const PUBLICATIONS = [PUBLICATION, "supabase_realtime_messages_publication"];

/** Condition names of SQLSTATEs that subscriptions may cause, as in the error texts. */
const CONDITIONS: Record<string, string> = {
  "22P02": "invalid_text_representation",
  "22001": "string_data_right_truncation",
  "22003": "numeric_value_out_of_range",
  "22007": "invalid_datetime_format",
  "22008": "datetime_field_overflow",
  "2201B": "invalid_regular_expression",
  "22023": "invalid_parameter_value",
  "2202E": "array_subscript_error",
  "23502": "not_null_violation",
  "42501": "insufficient_privilege",
  "42601": "syntax_error",
  "42704": "undefined_object",
  "42804": "datatype_mismatch",
  "42809": "wrong_object_type",
  "42883": "undefined_function",
  "42P01": "undefined_table",
  "42P18": "indeterminate_datatype",
  P0001: "raise_exception",
};

/** The id of an element in the join's reply: equal for equal elements, never 0. */
export function subscriptionId(element: unknown): number {
  const digest = createHash("sha256").update(JSON.stringify(element)).digest();
  return (digest.readUInt32BE(0) % (2 ** 27 - 1)) + 1;
}

/** Parses one element. @throws SubscriptionFault */
export function parseSubscription(element: unknown, listener: Listener, token: Token): Subscription {
  const given = (typeof element === "object" && element !== null ? element : {}) as Record<string, unknown>;
  const select = parseSelect(given.select);
  const [schema, table, filter] = place(given);
  if (select && (schema === "*" || table === "*")) {
    throw new SubscriptionFault(
      "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
    );
  }
  const event = typeof given.event === "string" ? given.event.toUpperCase() : "*";
  const [ofSchema, ofTable] = [like(schema), like(table)];
  return {
    uuid: randomUUID(),
    id: subscriptionId(element),
    listener,
    action: event === "INSERT" || event === "UPDATE" || event === "DELETE" ? event : "*",
    schema,
    table,
    matches: (inSchema, inTable) => ofSchema.test(inSchema) && ofTable.test(inTable),
    filters: filter === undefined ? [] : parseFilters(filter),
    select,
    role: token.role,
    claims: JSON.stringify(token.claims),
  };
}

/** Decided by which keys exist, as on hosted: a key with null exists, and matches nothing. */
function place(given: Record<string, unknown>): [schema: string, table: string, filter: string | undefined] {
  const { schema, table, filter } = given;
  const [hasSchema, hasTable, hasFilter] = ["schema", "table", "filter"].map((key) => key in given);
  if (typeof schema === "string" && typeof table === "string") {
    if (typeof filter === "string") return [schema, table, filter];
    if (!hasFilter) return [schema, table, undefined];
  }
  if (typeof schema === "string" && !hasTable && !hasFilter) return [schema, "*", undefined];
  if (typeof table === "string" && !hasSchema && !hasFilter) return ["public", table, undefined];
  const shown = "user_token" in given || "auth_token" in given ? "<redacted>" : inspectTerm(given);
  throw new SubscriptionFault(
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${shown}`,
  );
}

function parseSelect(given: unknown): string[] | undefined {
  if (typeof given === "string") {
    throw new SubscriptionFault(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    );
  }
  if (!Array.isArray(given)) return undefined;
  const names = given.filter((name) => typeof name === "string");
  return names.length > 0 ? names : undefined;
}

/**
 * Stores a channel's subscriptions, all or none; the database's trigger validates filters and columns.
 * @throws SubscriptionFault with hosted's text when one of them is invalid.
 */
export async function storeSubscriptions(
  database: Database,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const client = await database.pool("postgres").connect();
  try {
    // All in one round trip: after the first failure Postgres skips the rest, and COMMIT rolls back.
    const [, ...answers] = await Promise.allSettled([
      client.query("begin"),
      ...subscriptions.map((one) => client.query(INSERT, insertValues(one))),
      client.query("commit"),
    ]);
    const failed = answers.findIndex((answer) => answer.status === "rejected");
    if (failed < 0) {
      const empty = subscriptions.find((_, index) => {
        const answer = answers[index];
        return answer?.status === "fulfilled" && answer.value.rows[0]?.stored === 0;
      });
      if (!empty) return;
      await deleteWith(client, subscriptions);
      throw new Unpublished(
        `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${describe(empty)}`,
        empty,
      );
    }
    const error: unknown = (answers[failed] as PromiseRejectedResult).reason;
    const subscription = subscriptions[failed];
    // A lost server is not an error in the parameters.
    if (!isStatementError(error) || !error.code || !subscription) throw error;
    throw new SubscriptionFault(
      "Unable to subscribe to changes with given parameters. An exception happened so please check your " +
        `connect parameters: ${describe(subscription)}. Exception: ERROR ${error.code} (${CONDITIONS[error.code] ?? "error"}) ${error.message}`,
    );
  } finally {
    client.release();
  }
}

function insertValues(subscription: Subscription): unknown[] {
  const { filters } = subscription;
  return [
    subscription.uuid,
    subscription.claims,
    subscription.action,
    subscription.select ?? null,
    filters.map((filter) => filter.column),
    filters.map((filter) => filter.operator),
    filters.map((filter) => filter.value),
    filters.map((filter) => filter.negate),
    subscription.schema,
    subscription.table,
  ];
}

/** Names of the existing publications, and of the tables that can be subscribed to, as `schema.table`. */
export async function publishedTables(
  database: Database,
): Promise<{ publications: string[]; tables: string[] }> {
  const { rows } = await database.query<{ publications: string[]; tables: string[] }>(
    "supabase_admin",
    `select
       array(select pubname::text from pg_catalog.pg_publication where pubname = any ($1)) as publications,
       array(select schemaname || '.' || tablename from pg_catalog.pg_publication_tables
             where pubname = $2) as tables`,
    [PUBLICATIONS, PUBLICATION],
  );
  return rows[0] ?? { publications: [], tables: [] };
}

export async function deleteSubscriptions(
  database: Database,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const client = await database.pool("postgres").connect();
  try {
    await deleteWith(client, subscriptions);
  } finally {
    client.release();
  }
}

async function deleteWith(client: pg.ClientBase, subscriptions: readonly Subscription[]): Promise<void> {
  await client.query("delete from realtime.subscription where subscription_id = any ($1)", [
    subscriptions.map((one) => one.uuid),
  ]);
}

/** Deletes the rows of an earlier process, whose channels no longer exist. */
export async function deleteAllSubscriptions(database: Database): Promise<void> {
  await database.query("postgres", "delete from realtime.subscription", []);
}

/** Replaces the subscriber's rows with the same id. */
const INSERT = `
  with tables as (
    select format('%I.%I', schemaname, tablename)::regclass as entity
    from pg_catalog.pg_publication_tables
    where pubname = '${PUBLICATION}'
      and schemaname like (case $9 when '*' then '%' else $9 end) escape ''
      and tablename like (case $10 when '*' then '%' else $10 end) escape ''
  ), gone as (
    delete from realtime.subscription
    where subscription_id = $1 and entity not in (select entity from tables)
  ), stored as (
    insert into realtime.subscription (subscription_id, entity, filters, claims, action_filter, selected_columns)
    select $1, entity,
      (select coalesce(array_agg((c, o::realtime.equality_op, v, n)::realtime.user_defined_filter), '{}')
       from unnest($5::text[], $6::text[], $7::text[], $8::boolean[]) f(c, o, v, n)),
      $2::jsonb, $3, $4::text[]
    from tables
    on conflict
      (subscription_id, entity, realtime.filters_hash(filters), action_filter, coalesce(selected_columns, '{}'))
    do update set claims = excluded.claims
    returning id
  )
  select count(*)::int as stored from stored`;

/** SQL's LIKE without escapes, and `*` alone for anything: `_` in a name is a wildcard, as on hosted. */
function like(pattern: string): RegExp {
  if (pattern === "*") return /^/;
  const source = pattern
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("%", ".*")
    .replaceAll("_", ".");
  return new RegExp(`^${source}$`, "s");
}

function describe({ action, schema, table, filters, select }: Subscription): string {
  const columns = select ? inspectTerm(select) : "nil";
  return `[event: ${action}, schema: ${schema}, table: ${table}, filters: ${inspectFilters(filters)}, select: ${columns}]`;
}
