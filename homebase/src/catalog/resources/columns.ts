/** Owns the endpoints of columns: reading, adding, changing and dropping them. */
import { z } from "zod";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { anything, flag, integer, parse, text } from "../body.ts";
import { dropping, type Endpoints, find, list, retrieve, selectOf, updating } from "../catalogue-endpoint.ts";
import { MetaError, notFound } from "../errors.ts";
import type { Session } from "../session.ts";
import { type Column, columns, type Relation, tables } from "./relations.ts";

const COMMON = {
  default_value: anything.optional(),
  default_value_format: z.enum(["expression", "literal"]).default("literal"),
  identity_generation: z.enum(["BY DEFAULT", "ALWAYS"]).optional(),
  is_nullable: flag.optional(),
  is_unique: flag.optional(),
  comment: text.optional(),
};
const NEW = z.object({
  ...COMMON,
  table_id: integer,
  name: text,
  type: text,
  is_identity: flag.default(false),
  is_primary_key: flag.default(false),
  check: text.optional(),
});
const CHANGES = z.object({
  ...COMMON,
  name: text.optional(),
  type: text.optional(),
  drop_default: flag.default(false),
  is_identity: flag.optional(),
  check: z.union([z.null(), text]).optional(),
});

export const columnEndpoints: Endpoints = {
  list: (call) => list(call, columns),

  /** A column by `table.position`; by a table's id alone its first one, as upstream. */
  async retrieve(call) {
    if (/^\d+\.\d+$/.test(call.id)) return retrieve(call.session, columns, call.id);
    if (!/^\d+$/.test(call.id)) throw new MetaError(404, "Not found");
    const [first] = await call.session.rows(
      `${selectOf(columns)} and r.oid = $1 order by ${columns.order} limit 1`,
      [call.id],
    );
    if (!first) throw notFound("a column of the table with ID", call.id);
    return first;
  },

  async create({ session, body }) {
    const given = parse(NEW, body);
    const table = await retrieve<Relation>(session, tables, given.table_id);
    if (given.is_identity && given.default_value !== undefined) {
      throw new MetaError(400, "Columns cannot both be identity and have a default value");
    }
    const relation = quoteName(table);
    const parts = [
      `alter table ${relation} add column ${quote(given.name)} ${await typeName(session, given.type)}`,
      given.is_identity ? `generated ${given.identity_generation ?? "BY DEFAULT"} as identity` : "",
      given.default_value === undefined ? "" : `default ${defaultOf(given)}`,
      given.is_nullable === undefined ? "" : given.is_nullable ? "null" : "not null",
      given.is_primary_key ? "primary key" : "",
      given.is_unique ? "unique" : "",
      given.check === undefined ? "" : `check (${given.check})`,
    ];
    await session.execute([parts.join(" "), commentOn(relation, given.name, given.comment)]);
    return find(
      session,
      columns,
      { "r.oid": String(given.table_id), "a.attname": given.name },
      `Cannot find a column named ${given.name} in table ${table.schema}.${table.name}`,
    );
  },

  update: updating(columns, CHANGES, async (old: Column, given, session) => {
    const relation = tableOf(old);
    const alter = `alter table ${relation} alter column ${quote(old.name)}`;
    const type = given.type === undefined ? undefined : await typeName(session, given.type);
    return [
      given.is_nullable === undefined ? "" : `${alter} ${given.is_nullable ? "drop" : "set"} not null`,
      // An expression converts where the types have no implicit cast.
      type === undefined ? "" : `${alter} set data type ${type} using ${quote(old.name)}::${type}`,
      given.drop_default
        ? `${alter} drop default`
        : given.default_value === undefined
          ? ""
          : `${alter} set default ${defaultOf(given)}`,
      identityChange(alter, old, given),
      ...(await uniqueChange(session, relation, old, given.is_unique)),
      commentOn(relation, old.name, given.comment),
      ...(await checkChange(session, relation, old, given.check)),
      given.name === undefined || given.name === old.name
        ? ""
        : `alter table ${relation} rename column ${quote(old.name)} to ${quote(given.name)}`,
    ];
  }),

  remove: dropping(columns, (old: Column) => `alter table ${tableOf(old)} drop column ${quote(old.name)}`),
};

function tableOf({ schema, table }: Column): string {
  return quoteName({ schema, name: table });
}

function identityChange(alter: string, old: Column, given: z.infer<typeof CHANGES>): string {
  const { is_identity, identity_generation } = given;
  if (is_identity === false) return `${alter} drop identity if exists`;
  if (old.is_identity) return identity_generation ? `${alter} set generated ${identity_generation}` : "";
  return is_identity ? `${alter} add generated ${identity_generation ?? "BY DEFAULT"} as identity` : "";
}

/** A column may have several unique constraints of its own; all of them go. */
async function uniqueChange(
  session: Session,
  relation: string,
  old: Column,
  unique: boolean | undefined,
): Promise<string[]> {
  if (unique === undefined || unique === old.is_unique) return [];
  if (unique) return [`alter table ${relation} add unique (${quote(old.name)})`];
  const found = await constraints(session, old, "u");
  return found.map((name) => `alter table ${relation} drop constraint ${quote(name)}`);
}

/** Replaces the column's first check; null drops it. */
async function checkChange(
  session: Session,
  relation: string,
  old: Column,
  check: string | null | undefined,
): Promise<string[]> {
  if (check === undefined) return [];
  const [present] = await constraints(session, old, "c");
  const drop = present === undefined ? "" : `alter table ${relation} drop constraint ${quote(present)}`;
  if (check === null) return [drop];
  const name = `${old.table}_${old.name}_check`;
  const literal = quoteLiteral(name);
  return [
    drop,
    `alter table ${relation} add constraint ${quote(name)} check (${check})`,
    `do $do$ begin
      assert (select conkey = array[${Number(old.ordinal_position)}::int2] from pg_constraint
        where conrelid = ${Number(old.table_id)} and conname = ${literal}::name),
        'error creating column constraint: check condition must refer to this column, and to no other';
    end $do$`,
  ];
}

async function constraints(session: Session, old: Column, kind: "u" | "c"): Promise<string[]> {
  const found = await session.rows<{ conname: string }>(
    `select conname from pg_constraint
      where conrelid = $1 and contype = $2 and conkey = array[$3::int2] order by oid`,
    [old.table_id, kind, old.ordinal_position],
  );
  return found.map(({ conname }) => conname);
}

function commentOn(relation: string, column: string, comment: string | undefined): string {
  return comment === undefined
    ? ""
    : `comment on column ${relation}.${quote(column)} is ${quoteLiteral(comment)}`;
}

/** @throws MetaError when an expression is not text. */
function defaultOf(given: {
  default_value?: unknown;
  default_value_format: "expression" | "literal";
}): string {
  const { default_value: value } = given;
  if (given.default_value_format === "expression") return String(value);
  if (value === null) return "null";
  return typeof value === "object"
    ? `${quoteLiteral(JSON.stringify(value))}::jsonb`
    : quoteLiteral(String(value));
}

/**
 * A type's name as SQL. The name of a type as it is (`Status`) comes before the same text as SQL (`varchar(9)`,
 * `extensions.citext[]`). An unknown one is left to Postgres, which also knows `serial`.
 */
async function typeName(session: Session, type: string): Promise<string> {
  const array = type.endsWith("[]") ? "[]" : "";
  const name = array === "" ? type : type.slice(0, -2);
  const quoted = /^[a-z_][a-z0-9_]*$/.test(name) ? type : `${quote(name)}${array}`;
  const [found] = await session.rows<{ name: string | null }>(
    `select coalesce(format_type(to_regtype($1), to_regtypemod($1)),
      format_type(to_regtype($2), to_regtypemod($2))) as name`,
    [quoted, type],
  );
  return found?.name ?? quoted;
}
