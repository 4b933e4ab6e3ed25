/** Owns schemas: their catalogue, and creating, changing and dropping them. */
import { z } from "zod";
import { quote } from "../../postgres/quoting.ts";
import { parse, text } from "../body.ts";
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
import type { Row } from "../session.ts";

interface Schema extends Row {
  name: string;
}

const PUBLIC_NAME = "and not starts_with(n.nspname, 'pg_')";

/** Postgres's schemas are only in lists that ask for them. */
const everySchema: Listing = {
  noun: "a schema with ID",
  id: "n.oid",
  schema: "n.nspname",
  order: "n.nspname",
  fields: "n.oid::int8 as id, n.nspname as name, pg_get_userbyid(n.nspowner) as owner",
  from: `from pg_namespace n
    where (pg_has_role(n.nspowner, 'USAGE') or has_schema_privilege(n.oid, 'CREATE, USAGE'))
      and not starts_with(n.nspname, 'pg_temp_') and not starts_with(n.nspname, 'pg_toast_temp_')`,
};
const schemas: Listing = { ...everySchema, from: `${everySchema.from} ${PUBLIC_NAME}` };

const NEW = z.object({ name: text, owner: text.default("postgres") });
const CHANGES = z.object({ name: text.optional(), owner: text.optional() });

export const schemaEndpoints: Endpoints = {
  list: (call) => list(call, parametersOf(call).include_system_schemas ? everySchema : schemas),

  retrieve: ({ session, id }) => retrieve(session, schemas, id),

  async create({ session, body }) {
    const { name, owner } = parse(NEW, body);
    await session.execute([`create schema ${quote(name)} authorization ${quote(owner)}`]);
    return find(session, schemas, { "n.nspname": name }, `Cannot find a schema named ${name}`);
  },

  update: updating(schemas, CHANGES, (old: Schema, { name, owner }) => {
    const alter = `alter schema ${quote(old.name)}`;
    return [
      owner === undefined ? "" : `${alter} owner to ${quote(owner)}`,
      name === undefined ? "" : `${alter} rename to ${quote(name)}`,
    ];
  }),

  remove: dropping(schemas, (old: Schema) => `drop schema ${quote(old.name)}`),
};
