/**
 * Owns the objects that Postgres makes by itself with another object, and that no statement may therefore repeat:
 * - The role that creates another becomes its member with ADMIN, granted by the superuser (0LP01 when repeated);
 *   pg-delta does not see who granted a membership.
 * - A domain's NOT NULL is a constraint with a name too (42710 when repeated).
 * - An extension has its comment, which only its owner may set: on a hosted project that is the platform. pg_cron is
 *   always in pg_catalog there, and refused elsewhere.
 * - An index of a partitioned table is made on its partitions too. Postgres describes it as ON ONLY, which makes it on none.
 */
import type { FactBase } from "@supabase/pg-delta";
import type pg from "pg";
import { withoutSecrets } from "./foreign-options.ts";

const ON_ONLY = /^(CREATE (?:UNIQUE )?INDEX (?:"(?:[^"]|"")+"|[^ "]+)) ON ONLY /;

type Delta = Pick<typeof import("@supabase/pg-delta"), "FactBase">;

/** The roles that `postgres` was granted by its own statement, e.g. to `set role` to them. */
export async function readOwnGrants(client: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ role: string }>(
    `select r.rolname::text as role from pg_catalog.pg_auth_members a
     join pg_catalog.pg_roles r on r.oid = a.roleid
     join pg_catalog.pg_roles m on m.oid = a.member and m.rolname = 'postgres' where a.grantor = a.member`,
  );
  return new Set(rows.map(({ role }) => role));
}

/** The rights on a table that every supported version of Postgres has. */
function withoutMaintain(payload: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const lists = ["privileges", "grantable"].flatMap((name) => {
    const { [name]: list } = payload;
    return Array.isArray(list) ? [[name, list.map(String).filter((one) => one !== "MAINTAIN")] as const] : [];
  });
  return Object.fromEntries(lists);
}

/** The objects of `base` without the implied ones and without secrets; grants of roles that `other` has too are unchanged. */
export function withoutImplied(
  { FactBase }: Delta,
  base: FactBase,
  other: FactBase,
  ownGrants: ReadonlySet<string>,
  majorVersion: number,
): FactBase {
  const facts = base.facts().flatMap((found) => {
    const fact = withoutSecrets(found);
    const { id, parent, payload } = fact;
    if (majorVersion < 17 && (id.kind === "acl" || id.kind === "defaultPrivilege"))
      return [{ ...fact, payload: { ...payload, ...withoutMaintain(payload) } }];
    if (id.kind === "comment" && id.target.kind === "extension") return [];
    if (id.kind === "extension" && id.name === "pg_cron")
      return [{ ...fact, payload: { ...payload, schema: "pg_catalog" } }];
    if (id.kind === "constraint" && parent?.kind === "domain" && payload.type === "n") return [];
    const table = id.kind === "index" && parent ? base.get(parent) : undefined;
    if (table?.payload.partitionKey) {
      return [{ ...fact, payload: { ...payload, def: String(payload.def).replace(ON_ONLY, "$1 ON ") } }];
    }
    if (id.kind !== "membership" || id.member !== "postgres") return [fact];
    if (other.has({ kind: "role", name: id.role })) return [fact];
    return ownGrants.has(id.role) ? [{ ...fact, payload: { ...payload, admin: false } }] : [];
  });
  const made = new FactBase(facts, [...base.edges], base.source, base.referenceOnly);
  made.diagnostics.push(...base.diagnostics);
  return made;
}
