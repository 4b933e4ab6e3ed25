/** Owns the rights on the sequences of identity columns, which pg-delta takes for a part of their column. */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";

export interface Right {
  schema: string;
  name: string;
  /** The table that has the column. */
  table: string;
  privilege: "SELECT" | "UPDATE" | "USAGE";
  role: string;
  grantable: boolean;
}

export async function readIdentityGrants(
  client: pg.ClientBase,
  schemas?: readonly string[],
): Promise<Map<string, Right>> {
  const { rows } = await client.query<Right>(
    `select n.nspname as schema, c.relname as name, a.privilege_type as privilege, a.is_grantable as grantable,
       (select t.relname from pg_catalog.pg_class t where t.oid = d.refobjid) as table,
       case a.grantee when 0 then '' else pg_catalog.pg_get_userbyid(a.grantee)::text end as role
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_depend d on d.objid = c.oid and d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
       and d.deptype = 'i' and d.refclassid = d.classid,
     pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('s', c.relowner))) a
     where c.relkind = 'S' and a.grantor = c.relowner and a.grantee <> c.relowner
       and pg_catalog.pg_get_userbyid(c.relowner) !~ '^supabase_'
     order by schema, name, role, privilege`,
  );
  const inside = rows.filter(({ schema }) => !schemas || schemas.includes(schema));
  return new Map(inside.map((right) => [JSON.stringify(right), right]));
}

/** The statements that make `made` equal to `wanted`, for tables that both have. */
export function changedGrants(
  made: ReadonlyMap<string, Right>,
  wanted: ReadonlyMap<string, Right>,
  tables: { has(name: string): boolean },
): string[] {
  const on = ({ schema, name, privilege }: Right) =>
    `${privilege} ON SEQUENCE ${quoteName({ schema, name })}`;
  const role = (one: Right) => (one.role === "" ? "PUBLIC" : quote(one.role));
  const lacking = (some: ReadonlyMap<string, Right>, others: ReadonlyMap<string, Right>) =>
    [...some]
      .filter(
        ([key, { schema, table }]) => !others.has(key) && tables.has(quoteName({ schema, name: table })),
      )
      .map(([, right]) => right);
  return [
    ...lacking(made, wanted).map((one) => `REVOKE ${on(one)} FROM ${role(one)};`),
    ...lacking(wanted, made).map(
      (one) => `GRANT ${on(one)} TO ${role(one)}${one.grantable ? " WITH GRANT OPTION" : ""};`,
    ),
  ];
}
