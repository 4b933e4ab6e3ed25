/** Owns policies of row level security: their catalogue, and creating, changing and dropping them. */
import { z } from "zod";
import { quote, quoteName } from "../../postgres/quoting.ts";
import { parse, text } from "../body.ts";
import { dropping, type Endpoints, find, type Listing, readers, updating } from "../catalogue-endpoint.ts";
import type { Row } from "../session.ts";

interface Policy extends Row {
  schema: string;
  table: string;
  name: string;
}

const policies: Listing = {
  noun: "a policy with ID",
  id: "p.oid",
  schema: "n.nspname",
  order: "n.nspname, c.relname, p.polname",
  fields: `p.oid::int8 as id, n.nspname as schema, c.relname as "table", c.oid::int8 as table_id,
    p.polname as name, case when p.polpermissive then 'PERMISSIVE' else 'RESTRICTIVE' end as action,
    case when p.polroles = '{0}' then '["public"]'::json
      else (select coalesce(json_agg(r.rolname order by r.rolname), '[]') from pg_roles r
        where r.oid = any (p.polroles)) end as roles,
    case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE'
      when 'd' then 'DELETE' when '*' then 'ALL' end as command,
    pg_get_expr(p.polqual, p.polrelid) as definition,
    pg_get_expr(p.polwithcheck, p.polrelid) as "check"`,
  from: `from pg_policy p join pg_class c on c.oid = p.polrelid
    join pg_namespace n on n.oid = c.relnamespace where true`,
};

/** SQL; null is the same as none. */
const expression = z.union([z.null(), text]).optional();
const NEW = z.object({
  name: text,
  table: text,
  schema: text.default("public"),
  definition: expression,
  check: expression,
  action: z.enum(["PERMISSIVE", "RESTRICTIVE"]).default("PERMISSIVE"),
  command: z.enum(["SELECT", "INSERT", "UPDATE", "DELETE", "ALL"]).default("ALL"),
  roles: z.array(text).default(["public"]),
});
const CHANGES = z.object({
  name: text.optional(),
  definition: expression,
  check: expression,
  roles: z.array(text).optional(),
});

export const policyEndpoints: Endpoints = {
  ...readers(policies),

  async create({ session, body }) {
    const given = parse(NEW, body);
    const { name, table, schema, definition, check } = given;
    await session.execute([
      `create policy ${quote(name)} on ${quoteName({ schema, name: table })} as ${given.action}
        for ${given.command} to ${roleList(given.roles)}
        ${definition == null ? "" : `using (${definition})`}
        ${check == null ? "" : `with check (${check})`}`,
    ]);
    return find(
      session,
      policies,
      { "n.nspname": schema, "c.relname": table, "p.polname": name },
      `Cannot find a policy named ${name} for table ${schema}.${table}`,
    );
  },

  update: updating(policies, CHANGES, (old: Policy, { name, definition, check, roles }) => {
    const alter = `alter policy ${onTable(old)}`;
    return [
      definition == null ? "" : `${alter} using (${definition})`,
      check == null ? "" : `${alter} with check (${check})`,
      roles === undefined ? "" : `${alter} to ${roleList(roles)}`,
      name === undefined ? "" : `${alter} rename to ${quote(name)}`,
    ];
  }),

  remove: dropping(policies, (old: Policy) => `drop policy ${onTable(old)}`, false),
};

function onTable({ name, schema, table }: Policy): string {
  return `${quote(name)} on ${quoteName({ schema, name: table })}`;
}

/** Roles as SQL; `public` is every role. */
export function roleList(roles: readonly string[]): string {
  return roles.map((role) => (KEYWORDS.has(role) ? role : quote(role))).join(", ");
}

/** Words that stand for roles; quoted, they would be names. */
const KEYWORDS = new Set(["public", "current_user", "session_user", "current_role"]);
