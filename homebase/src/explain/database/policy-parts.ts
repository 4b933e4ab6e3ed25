/** Owns reading policies from the catalog, and their parts: the noun that explain, coverage and mutation share. */
import type pg from "pg";
import { quoteName } from "../../postgres/quoting.ts";
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import { type Expression, leavesOf, splitExpression } from "../expression/expression.ts";
import { Session } from "./explanation-transaction.ts";

/** A condition of a policy that is split no further. */
export interface Part {
  table: QualifiedName;
  policy: string;
  kind: "using" | "check";
  /** Its place in the condition, e.g. `2.1`; "" when it is the whole one. */
  path: string;
  /** As Postgres prints it with an empty search path. */
  text: string;
}

export type PolicyCommand = "all" | "select" | "insert" | "update" | "delete";

export interface Policy {
  table: QualifiedName;
  name: string;
  command: PolicyCommand;
  permissive: boolean;
  /** The roles that it is for; empty for all. */
  roles: string[];
  using?: Expression;
  check?: Expression;
}

/** The policies of a table, or of all tables, in the order of their names. */
export async function readPolicies(session: Session, table?: QualifiedName): Promise<Policy[]> {
  const rows = await session.known<
    Omit<Policy, "using" | "check"> & { using: string | null; check: string | null }
  >(
    `select pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname) as "table", p.polname as name,
       case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete'
         else 'all' end as command, p.polpermissive as permissive,
       array(select r.rolname::text from pg_catalog.pg_roles r where r.oid = any (p.polroles) order by 1) as roles,
       pg_catalog.pg_get_expr(p.polqual, p.polrelid) as "using",
       pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) as "check"
     from pg_catalog.pg_policy p
     join pg_catalog.pg_class c on c.oid = p.polrelid
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where $1::text is null or (n.nspname = $1 and c.relname = $2)
     order by n.nspname, c.relname, p.polname`,
    [table?.schema ?? null, table?.name ?? null],
  );
  return rows.map((row) => ({
    ...row,
    using: row.using === null ? undefined : splitExpression(row.using),
    check: row.check === null ? undefined : splitExpression(row.check),
  }));
}

/** The policies of the tables that the login may change, but extensions'. @param client a connection without a transaction. */
export async function projectPolicies(client: pg.ClientBase): Promise<Policy[]> {
  const policies = await Session.run(client, {}, (session) => readPolicies(session));
  const { rows } = await client.query<QualifiedName>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where not pg_has_role(c.relowner, 'usage') or exists (select from pg_depend d where d.objid = c.oid
       and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e')`,
  );
  const others = new Set(rows.map(quoteName));
  return policies.filter(({ table }) => !others.has(quoteName(table)));
}

/** The parts of policies, each condition from left to right. */
export function partsOf(policies: readonly Policy[]): Part[] {
  return policies.flatMap((policy) =>
    (["using", "check"] as const).flatMap((kind) => {
      const expression = policy[kind];
      return expression ? leavesOf(expression).map(({ path, text }) => partOf(policy, kind, path, text)) : [];
    }),
  );
}

export function partOf({ table, name }: Policy, kind: Part["kind"], path: string, text: string): Part {
  return { table, policy: name, kind, path, text };
}

/** E.g. `public.notes/own notes/using/2.1`, the same as long as the policy is, and as in coverage. */
export function idOf({ table, policy, kind, path }: Part): string {
  return [`${table.schema}.${table.name}`, policy, kind, ...(path === "" ? [] : [path])].join("/");
}
