/** Owns the endpoints of tables, and reading views, materialized views and foreign tables. */
import { z } from "zod";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { choice, flag, parse, text } from "../body.ts";
import { type Call, type Endpoint, find, type Listing, list, parametersOf, retrieve } from "../endpoint.ts";
import { type Relation, tables, withColumns } from "./relations.ts";

const NEW = z.object({ name: text, schema: text.default("public"), comment: text.optional() });
const CHANGES = z.object({
  name: text.optional(),
  schema: text.optional(),
  rls_enabled: flag.optional(),
  rls_forced: flag.optional(),
  replica_identity: choice(["DEFAULT", "INDEX", "FULL", "NOTHING"]).optional(),
  replica_identity_index: text.optional(),
  primary_keys: z.array(z.object({ name: text })).optional(),
  comment: text.optional(),
});

const whole = withColumns(tables);

/** The endpoints of a kind of relation; one by its id has its columns. */
export function relationReaders(listing: Listing): { list: Endpoint; retrieve: Endpoint } {
  const detailed = withColumns(listing);
  return {
    list: (call) =>
      list(call, (parametersOf(call).include_columns ?? listing.withColumns) ? detailed : listing),
    retrieve: ({ session, id }) => retrieve(session, detailed, id),
  };
}

export async function createTable({ session, body }: Call): Promise<unknown> {
  const { name, schema, comment } = parse(NEW, body);
  const table = quoteName({ schema, name });
  await session.execute([`create table ${table} ()`, commentOn(table, comment)]);
  return find(
    session,
    whole,
    { "n.nspname": schema, "c.relname": name },
    `Cannot find a table named ${name} in schema ${schema}`,
  );
}

export async function updateTable({ session, id, body }: Call): Promise<unknown> {
  const given = parse(CHANGES, body);
  const old = await retrieve<Relation>(session, whole, id);
  const table = quoteName(old);
  const alter = `alter table ${table}`;
  const schema = given.schema ?? old.schema;
  await session.execute([
    given.rls_enabled === undefined
      ? ""
      : `${alter} ${given.rls_enabled ? "enable" : "disable"} row level security`,
    given.rls_forced === undefined
      ? ""
      : `${alter} ${given.rls_forced ? "force" : "no force"} row level security`,
    replicaIdentity(alter, given.replica_identity, given.replica_identity_index),
    ...(await primaryKey(alter, old, given.primary_keys, session)),
    commentOn(table, given.comment),
    given.schema === undefined ? "" : `${alter} set schema ${quote(schema)}`,
    given.name === undefined || given.name === old.name
      ? ""
      : `alter table ${quoteName({ schema, name: old.name })} rename to ${quote(given.name)}`,
  ]);
  return retrieve(session, whole, id);
}

export async function removeTable(call: Call): Promise<unknown> {
  const { cascade } = parametersOf(call);
  const old = await retrieve<Relation>(call.session, whole, call.id);
  await call.session.execute([`drop table ${quoteName(old)} ${cascade ? "cascade" : "restrict"}`]);
  return old;
}

function replicaIdentity(alter: string, identity: string | undefined, index: string | undefined): string {
  if (identity === undefined) return "";
  const how = identity === "INDEX" ? `using index ${quote(index ?? "")}` : identity;
  return `${alter} replica identity ${how}`;
}

/** Replaces the primary key; an empty list drops it. */
async function primaryKey(
  alter: string,
  old: Relation,
  columns: { name: string }[] | undefined,
  session: Call["session"],
): Promise<string[]> {
  if (columns === undefined) return [];
  const present = await session.rows<{ conname: string }>(
    "select conname from pg_constraint where contype = 'p' and conrelid = $1",
    [old.id],
  );
  return [
    ...present.map(({ conname }) => `${alter} drop constraint ${quote(conname)}`),
    columns.length === 0
      ? ""
      : `${alter} add primary key (${columns.map(({ name }) => quote(name)).join(", ")})`,
  ];
}

function commentOn(table: string, comment: string | undefined): string {
  return comment === undefined ? "" : `comment on table ${table} is ${quoteLiteral(comment)}`;
}
