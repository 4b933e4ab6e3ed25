/**
 * Owns what Postgres grants by itself: the role that creates another becomes its member with ADMIN, granted by the
 * superuser. No statement may repeat that (0LP01), and pg-delta does not see who granted a membership.
 */
import type { FactBase } from "@supabase/pg-delta";
import type pg from "pg";

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

/** The objects of `base` without the grants that creating its roles makes; roles that `other` has too are unchanged. */
export function withoutCreatorGrants(
  { FactBase }: Delta,
  base: FactBase,
  other: FactBase,
  ownGrants: ReadonlySet<string>,
): FactBase {
  const facts = base.facts().flatMap((fact) => {
    const { id } = fact;
    if (id.kind !== "membership" || id.member !== "postgres") return [fact];
    if (other.has({ kind: "role", name: id.role })) return [fact];
    return ownGrants.has(id.role) ? [{ ...fact, payload: { ...fact.payload, admin: false } }] : [];
  });
  const made = new FactBase(facts, [...base.edges], base.source, base.referenceOnly);
  made.diagnostics.push(...base.diagnostics);
  return made;
}
