/** Owns the endpoints of tables, and reading views, materialized views and foreign tables. */
import { z } from "zod";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { flag, parse, text } from "../body.ts";
import {
  dropping,
  type Endpoints,
  find,
  type Listing,
  list,
  parametersOf,
  retrieve,
  updating,
} from "../catalogue-endpoint.ts";
import type { Session } from "../session.ts";
import { type Relation, tables, withColumns } from "./relations.ts";

const NEW = z.object({ name: text, schema: text.default("public"), comment: text.optional() });
const CHANGES = z.object({
  name: text.optional(),
  schema: text.optional(),
  rls_enabled: flag.optional(),
  rls_forced: flag.optional(),
  replica_identity: z.enum(["DEFAULT", "INDEX", "FULL", "NOTHING"]).optional(),
  replica_identity_index: text.optional(),
  primary_keys: z.array(z.object({ name: text })).optional(),
  comment: text.optional(),
});

const whole = withColumns(tables);

/** The endpoints of a kind of relation; one by its id has its columns. */
export function relationReaders(listing: Listing): Pick<Endpoints, "list" | "retrieve"> {
  const detailed = withColumns(listing);
  return {
    list: (call) =>
      list(call, (parametersOf(call).include_columns ?? listing.withColumns) ? detailed : listing),
    retrieve: ({ session, id }) => retrieve(session, detailed, id),
  };
}

export const tableEndpoints: Endpoints = {
  ...relationReaders(tables),

  async create({ session, body }) {
    const { name, schema, comment } = parse(NEW, body);
    const table = quoteName({ schema, name });
    await session.execute([`create table ${table} ()`, commentOn(table, comment)]);
    return find(
      session,
      whole,
      { "n.nspname": schema, "c.relname": name },
      `Cannot find a table named ${name} in schema ${schema}`,
    );
  },

  update: updating(whole, CHANGES, async (old: Relation, given, session) => {
    const table = quoteName(old);
    const alter = `alter table ${table}`;
    const schema = given.schema ?? old.schema;
    return [
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
    ];
  }),

  remove: dropping(whole, (old: Relation) => `drop table ${quoteName(old)}`),
};

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
  session: Session,
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
