/** Owns what comes before policies: the caller's privileges, and whether row security applies to the caller at all. */
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import { ExplainError, type Session } from "./explanation-transaction.ts";
import type { Policy, PolicyCommand } from "./policy-parts.ts";

export type Command = Exclude<PolicyCommand, "all">;

/** What a role may do with a table, before any policy. */
export interface Access {
  /** USAGE of the schema. */
  schema: boolean;
  /** Whether the schema's is, and the command is granted on the table or on every asked column. */
  granted: boolean;
  /** The asked columns that are not granted, when some are. */
  missingColumns: string[];
  /**
   * `on`: policies decide. `off`: the table has no row security. `bypassed`: the role has BYPASSRLS. `owner`: the
   * role owns the table, which is not forced.
   */
  rowSecurity: "on" | "off" | "bypassed" | "owner";
}

/** A table as explain needs it. */
export interface Table {
  name: QualifiedName;
  oid: number;
  kind: "table" | "view" | "other";
  /** Columns in order. */
  columns: { name: string; type: string; read: boolean; domain: boolean }[];
  /** Names of the primary key's columns; empty for none. */
  key: string[];
}

/**
 * Reads a table. A column counts as `read` when a policy's condition names it; the catalog has no whole rows.
 * @throws ExplainError when there is none.
 */
export async function readTable(session: Session, { schema, name }: QualifiedName): Promise<Table> {
  const [row] = await session.known<Omit<Table, "name">>(
    `select c.oid::int8::int as oid,
       case when c.relkind in ('r', 'p') then 'table' when c.relkind in ('v', 'm') then 'view' else 'other' end as kind,
       (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, null), 'domain', t.typtype = 'd', 'read',
           exists (select from pg_catalog.pg_depend d
             where d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass and d.refobjid = c.oid
               and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
               and d.refobjsubid = a.attnum)) order by a.attnum), '[]')
         from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       array(select a.attname::text
         from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
         where i.indrelid = c.oid and i.indisprimary order by pg_catalog.array_position(i.indkey, a.attnum)) as key
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2`,
    [schema, name],
  );
  if (!row) throw new ExplainError(`There is no table ${schema}.${name}.`);
  return { ...row, name: { schema, name } };
}

/** @param columns those that the request names; empty for any. @throws ExplainError for a role that is not there. */
export async function readAccess(
  session: Session,
  role: string,
  { oid }: Table,
  command: Command,
  columns: readonly string[] = [],
): Promise<Access> {
  const byColumn = command !== "delete";
  const [row] = await session.known<{
    usage: boolean;
    whole: boolean;
    columns: string[] | null;
    on: boolean;
    forced: boolean;
    bypass: boolean;
    owner: boolean;
  }>(
    `select pg_catalog.has_schema_privilege(r.oid, c.relnamespace, 'USAGE') as usage,
       pg_catalog.has_table_privilege(r.oid, c.oid, $3) as whole,
       ${
         byColumn
           ? `(select array_agg(a.attname::text) from pg_catalog.pg_attribute a where a.attrelid = c.oid
                and a.attnum > 0 and not a.attisdropped and pg_catalog.has_column_privilege(r.oid, c.oid, a.attnum, $3))`
           : "null::text[]"
       } as columns,
       c.relrowsecurity as "on", c.relforcerowsecurity as forced, r.rolsuper or r.rolbypassrls as bypass,
       pg_catalog.pg_has_role(r.oid, c.relowner, 'USAGE') as owner
     from pg_catalog.pg_class c, pg_catalog.pg_roles r where c.oid = $1 and r.rolname = $2`,
    [oid, role, command.toUpperCase()],
  );
  if (!row) throw new ExplainError(`There is no role ${role}.`);
  const granted = new Set(row.columns ?? []);
  const missing = row.whole ? [] : columns.filter((one) => !granted.has(one));
  return {
    schema: row.usage,
    granted: row.usage && (row.whole || (columns.length > 0 ? missing.length === 0 : granted.size > 0)),
    missingColumns: granted.size > 0 ? missing : [],
    rowSecurity: !row.on ? "off" : row.bypass ? "bypassed" : row.owner && !row.forced ? "owner" : "on",
  };
}

/** A policy that does not apply, and why. */
export interface Ignored {
  policy: string;
  because: "role" | "command";
  roles: string[];
  command: PolicyCommand;
}

/** A command's own rule: which of a policy's conditions a row has to meet. */
export interface Rule {
  command: Command;
  kind: "using" | "check";
}

/** The policies of a table for a role and a rule. The others, for the command's own rule, come with the reason. */
export async function applicable(
  session: Session,
  role: string,
  policies: readonly Policy[],
  { command }: Rule,
): Promise<{ applied: Policy[]; ignored: Ignored[] }> {
  const names = [...new Set(policies.flatMap(({ roles }) => roles))];
  const held = new Set(
    (
      await session.known<{ name: string }>(
        "select name from pg_catalog.unnest($2::text[]) name where pg_catalog.pg_has_role($1::name, name::name, 'USAGE')",
        [role, names],
      )
    ).map(({ name }) => name),
  );
  const applied: Policy[] = [];
  const ignored: Ignored[] = [];
  for (const policy of policies) {
    const forCommand = policy.command === "all" || policy.command === command;
    const forRole = policy.roles.length === 0 || policy.roles.some((one) => held.has(one));
    if (forCommand && forRole) applied.push(policy);
    else {
      const because = forCommand ? "role" : "command";
      ignored.push({ policy: policy.name, because, roles: policy.roles, command: policy.command });
    }
  }
  return { applied, ignored };
}
