/** Owns privileges of relations and columns: their catalogue, granting and revoking. */
import { z } from "zod";
import { quote } from "../../postgres/quoting.ts";
import { flag, integer, parse, text } from "../body.ts";
import { type Call, type Listing, list, selectOf } from "../catalogue-endpoint.ts";
import { notFound } from "../errors.ts";
import { roleList } from "./policies.ts";

/** One entry of an access list; grantee 0 is PUBLIC. */
const PRIVILEGE = `json_build_object('grantor', pg_get_userbyid(one.grantor),
  'grantee', case when one.grantee = 0 then 'PUBLIC' else pg_get_userbyid(one.grantee) end,
  'privilege_type', one.privilege_type, 'is_grantable', one.is_grantable)`;
const ORDER = "one.grantee, one.privilege_type, one.grantor";

/** Views, materialized views and foreign tables are among them. */
const relations: Listing = {
  noun: "a relation with ID",
  id: "c.oid",
  schema: "n.nspname",
  order: "n.nspname, c.relname",
  fields: `c.oid::int8 as relation_id, n.nspname as schema, c.relname as name,
    case c.relkind when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized_view'
      when 'f' then 'foreign_table' else 'partitioned_table' end as kind,
    coalesce((select json_agg(${PRIVILEGE} order by ${ORDER})
      from aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) one), '[]') as privileges`,
  from: `from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v', 'm', 'f', 'p') and not pg_is_other_temp_schema(n.oid)
      and (pg_has_role(c.relowner, 'USAGE')
        or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER, MAINTAIN')
        or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))`,
};

/** A column has its own privileges and those of its relation, as in information_schema.column_privileges. */
const columns: Listing = {
  noun: "a column with ID",
  id: "(c.oid || '.' || a.attnum)",
  schema: "n.nspname",
  order: "n.nspname, c.relname, a.attnum",
  fields: `c.oid || '.' || a.attnum as column_id, n.nspname as relation_schema, c.relname as relation_name,
    a.attname as column_name, own.privileges`,
  from: `from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (select json_agg(${PRIVILEGE} order by ${ORDER}) as privileges from (
      select * from aclexplode(coalesce(c.relacl, acldefault('r', c.relowner)))
      union select * from aclexplode(coalesce(a.attacl, acldefault('c', c.relowner)))) one
      where one.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
        and (one.grantee = 0 or pg_has_role(one.grantor, 'USAGE') or pg_has_role(one.grantee, 'USAGE'))) own
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'v', 'm', 'f', 'p')
      and own.privileges is not null`,
};

const ON_RELATIONS = z.array(
  z.object({
    relation_id: integer,
    grantee: text,
    privilege_type: z.enum([
      "ALL",
      "SELECT",
      "INSERT",
      "UPDATE",
      "DELETE",
      "TRUNCATE",
      "REFERENCES",
      "TRIGGER",
      "MAINTAIN",
    ]),
    is_grantable: flag.default(false),
  }),
);
const ON_COLUMNS = z.array(
  z.object({
    column_id: text.refine((id) => /^\d+\.\d+$/.test(id), 'must match pattern "^(\\d+)\\.(\\d+)$"'),
    grantee: text,
    privilege_type: z.enum(["ALL", "SELECT", "INSERT", "UPDATE", "REFERENCES"]),
    is_grantable: flag.default(false),
  }),
);

export const listTablePrivileges = (call: Call) => list(call, relations);
export const listColumnPrivileges = (call: Call) => list(call, columns);

export const grantTablePrivileges = (call: Call) => changeRelations(call, true);
export const revokeTablePrivileges = (call: Call) => changeRelations(call, false);
export const grantColumnPrivileges = (call: Call) => changeColumns(call, true);
export const revokeColumnPrivileges = (call: Call) => changeColumns(call, false);

async function changeRelations({ session, body }: Call, grant: boolean): Promise<unknown> {
  const given = parse(ON_RELATIONS, body);
  const ids = [...new Set(given.map(({ relation_id }) => relation_id))];
  const found = await session.rows<{ oid: number; name: string }>(
    "select oid, oid::regclass::text as name from pg_class where oid = any ($1)",
    [ids],
  );
  const names = new Map(found.map(({ oid, name }) => [oid, name]));
  await session.execute(
    given.map((one) => {
      const name = names.get(one.relation_id);
      if (name === undefined) throw notFound(relations.noun, String(one.relation_id));
      return statement(grant, one.privilege_type, name, one);
    }),
  );
  return session.rows(`${selectOf(relations)} and c.oid = any ($1) order by ${relations.order}`, [ids]);
}

async function changeColumns({ session, body }: Call, grant: boolean): Promise<unknown> {
  const given = parse(ON_COLUMNS, body);
  const ids = [...new Set(given.map(({ column_id }) => column_id))];
  const found = await session.rows<{ id: string; relation: string; name: string }>(
    `select attrelid || '.' || attnum as id, attrelid::regclass::text as relation, attname as name
      from pg_attribute where attrelid || '.' || attnum = any ($1) and attnum > 0 and not attisdropped`,
    [ids],
  );
  const names = new Map(found.map((column) => [column.id, column]));
  await session.execute(
    given.map((one) => {
      const column = names.get(one.column_id);
      if (!column) throw notFound(columns.noun, one.column_id);
      return statement(grant, `${one.privilege_type} (${quote(column.name)})`, column.relation, one);
    }),
  );
  return session.rows(`${selectOf(columns)} and ${columns.id} = any ($1) order by ${columns.order}`, [ids]);
}

/** @param relation a name as SQL. */
function statement(
  grant: boolean,
  privilege: string,
  relation: string,
  { grantee, is_grantable }: { grantee: string; is_grantable: boolean },
): string {
  const role = /^public$/i.test(grantee) ? "public" : roleList([grantee]);
  return grant
    ? `grant ${privilege} on table ${relation} to ${role} ${is_grantable ? "with grant option" : ""}`
    : `revoke ${privilege} on table ${relation} from ${role}`;
}
