/** Owns publications: their catalogue, and creating, changing and dropping them. */
import { z } from "zod";
import { quote, quoteGiven, quoteName } from "../../postgres/quoting.ts";
import { flag, parse, text } from "../body.ts";
import { dropping, type Endpoints, find, type Listing, readers, retrieve } from "../catalogue-endpoint.ts";
import type { Row } from "../session.ts";

interface Publication extends Row {
  name: string;
  owner: string;
  publish_insert: boolean;
  publish_update: boolean;
  publish_delete: boolean;
  publish_truncate: boolean;
  /** Null for all tables. */
  tables: { name: string; schema: string }[] | null;
}

const publications: Listing = {
  noun: "a publication with ID",
  id: "p.oid",
  order: "p.pubname",
  fields: `p.oid::int8 as id, p.pubname as name, pg_get_userbyid(p.pubowner) as owner,
    p.pubinsert as publish_insert, p.pubupdate as publish_update, p.pubdelete as publish_delete,
    p.pubtruncate as publish_truncate,
    case when not p.puballtables then coalesce((
      select json_agg(json_build_object('id', c.oid::int8, 'name', c.relname, 'schema', n.nspname)
        order by n.nspname, c.relname)
      from pg_publication_rel r join pg_class c on c.oid = r.prrelid
        join pg_namespace n on n.oid = c.relnamespace where r.prpubid = p.oid), '[]') end as tables`,
  from: "from pg_publication p where true",
};

const OPERATIONS = ["insert", "update", "delete", "truncate"] as const;
const CHANGES = z.object({
  name: text.optional(),
  owner: text.optional(),
  publish_insert: flag.optional(),
  publish_update: flag.optional(),
  publish_delete: flag.optional(),
  publish_truncate: flag.optional(),
  tables: z.array(text).nullish(),
});
const NEW = CHANGES.extend({ name: text, tables: z.array(text).nullable().default(null) });

export const publicationEndpoints: Endpoints = {
  ...readers(publications),

  async create({ session, body }) {
    const given = parse(NEW, body);
    const { name, tables } = given;
    const which =
      tables === null
        ? "for all tables"
        : tables.length === 0
          ? ""
          : `for table ${tables.map(quoteGiven).join(", ")}`;
    const operations = OPERATIONS.filter((one) => given[`publish_${one}`]);
    await session.execute([
      `create publication ${quote(name)} ${which} with (publish = '${operations.join(", ")}')`,
    ]);
    return find(session, publications, { "p.pubname": name }, `Cannot find a publication named ${name}`);
  },

  /** A publication of all tables cannot become one of some, nor the other way: it is made anew, with a new id. */
  async update({ session, id, body }) {
    const given = parse(CHANGES, body);
    const old = await retrieve<Publication>(session, publications, id);
    const publication = `publication ${quote(old.name)}`;
    const operations = OPERATIONS.filter((one) => given[`publish_${one}`] ?? old[`publish_${one}`]);
    const name = given.name ?? old.name;
    await session.execute([
      ...tablesChange(publication, old, given.tables),
      `alter ${publication} set (publish = '${operations.join(", ")}')`,
      `alter ${publication} owner to ${quote(given.owner ?? old.owner)}`,
      name === old.name ? "" : `alter ${publication} rename to ${quote(name)}`,
    ]);
    return find(session, publications, { "p.pubname": name }, `Cannot find a publication named ${name}`);
  },

  remove: dropping(publications, (old: Publication) => `drop publication ${quote(old.name)}`, false),
};

function tablesChange(
  publication: string,
  old: Publication,
  tables: readonly string[] | null | undefined,
): string[] {
  if (tables === undefined) return [];
  const add = tables?.length ? `alter ${publication} add table ${tables.map(quoteGiven).join(", ")}` : "";
  if (tables === null) {
    return old.tables === null ? [] : [`drop ${publication}`, `create ${publication} for all tables`];
  }
  if (old.tables === null) return [`drop ${publication}`, `create ${publication}`, add];
  const drop =
    old.tables.length > 0 ? `alter ${publication} drop table ${old.tables.map(quoteName).join(", ")}` : "";
  return [drop, add];
}
