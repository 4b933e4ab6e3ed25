/** Owns extensions: those that the server has, and creating, updating and dropping them. */
import { z } from "zod";
import { statementToSend } from "../../postgres/extensions/file-statements.ts";
import { quote, quoteLiteral } from "../../postgres/quoting.ts";
import { flag, parse, text } from "../body.ts";
import { type Endpoints, find, type Listing, list, parametersOf } from "../catalogue-endpoint.ts";
import type { Row, Session } from "../session.ts";

/** An extension that is not installed has no schema and no version. */
const extensions: Listing = {
  noun: "an extension named",
  id: "e.name",
  order: "e.name",
  fields: `e.name, n.nspname as schema, e.default_version, x.extversion as installed_version, e.comment`,
  from: `from pg_available_extensions() e (name, default_version, comment)
    left join pg_extension x on x.extname = e.name left join pg_namespace n on n.oid = x.extnamespace where true`,
};

const NEW = z.object({
  name: text,
  schema: text.optional(),
  version: text.optional(),
  cascade: flag.default(false),
});
const CHANGES = z.object({
  update: flag.default(false),
  version: text.optional(),
  schema: text.optional(),
});

export const extensionEndpoints: Endpoints = {
  list: (call) => list(call, extensions),

  retrieve: ({ session, id }) => byName(session, id),

  async create({ session, body }) {
    const { name, schema, version, cascade } = parse(NEW, body);
    const create = `create extension ${quote(name)} ${schema === undefined ? "" : `schema ${quote(schema)}`}
        ${version === undefined ? "" : `version ${quoteLiteral(version)}`} ${cascade ? "cascade" : ""}`;
    await session.execute([statementToSend(create)]);
    return byName(session, name);
  },

  async update({ session, id, body }) {
    const { update, version, schema } = parse(CHANGES, body);
    const alter = `alter extension ${quote(id)}`;
    await session.execute([
      update
        ? statementToSend(`${alter} update ${version === undefined ? "" : `to ${quoteLiteral(version)}`}`)
        : "",
      schema === undefined ? "" : `${alter} set schema ${quote(schema)}`,
    ]);
    return byName(session, id);
  },

  async remove(call) {
    const { cascade } = parametersOf(call);
    const old = await byName(call.session, call.id);
    await call.session.execute([`drop extension ${quote(call.id)} ${cascade ? "cascade" : "restrict"}`]);
    return old;
  },
};

function byName(session: Session, name: string): Promise<Row> {
  return find(session, extensions, { "e.name": name }, `Cannot find an extension named ${name}`);
}
