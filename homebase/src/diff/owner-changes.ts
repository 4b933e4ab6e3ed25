/**
 * Owns the rights that a change of owner needs: Postgres gives an object only to a role that the giver may become, and
 * that may create objects in the object's schema. A project may have taken either right away again afterwards.
 */
import type pg from "pg";
import { splitStatements } from "../postgres/statements/split.ts";

const IDENTIFIER = String.raw`(?:"(?:[^"]|"")+"|[a-z_]\w*)`;
/** The schema, where the object is in one, and the new owner. */
const OWNER_CHANGE = new RegExp(
  String.raw`^(?:ALTER [A-Z ]+ (?:(${IDENTIFIER})\.)?${IDENTIFIER}.* OWNER TO|CREATE SCHEMA ${IDENTIFIER} AUTHORIZATION) (${IDENTIFIER})$`,
  "s",
);

/** The statements, with the rights given before each change of owner that needs them, and taken away where a database lacks them. */
export async function withRightToOwn(desired: pg.Pool, sql: string): Promise<string> {
  const known = new Map<string, Rights>();
  const becomes = new Set<string>();
  let text = "";
  let from = 0;
  for (const statement of splitStatements(sql)) {
    const [found, schema = "", role = ""] = OWNER_CHANGE.exec(statement.text) ?? [];
    if (found === undefined) continue;
    const key = `${schema} ${role}`;
    const rights = known.get(key) ?? (await readRights(desired, schema, role));
    known.set(key, rights);
    if (rights.become) becomes.add(role);
    const end = statement.offset + statement.text.length;
    // The difference grants what is to stay after the changes of owner.
    const before = rights.create === null ? "" : `GRANT CREATE ON SCHEMA ${schema} TO ${role};\n`;
    const after = rights.create === false ? `\nREVOKE CREATE ON SCHEMA ${schema} FROM ${role};` : "";
    text += `${sql.slice(from, statement.offset)}${before}${statement.text};${after}`;
    from = sql[end] === ";" ? end + 1 : end;
  }
  const roles = [...becomes];
  return [
    ...roles.map((role) => `GRANT ${role} TO "postgres";`),
    text + sql.slice(from),
    ...roles.map((role) => `REVOKE ${role} FROM "postgres";`),
  ].join("\n");
}

interface Rights {
  /** Whether the role may create objects in the schema in the end; null where no such right is needed. */
  create: boolean | null;
  /** Whether postgres has to become a member of the role for as long as the statements run. */
  become: boolean;
}

async function readRights(desired: pg.Pool, schema: string, role: string): Promise<Rights> {
  // Before Postgres 16 each member of a role may become it.
  const { rows } = await desired.query<Rights>(
    `select case when r.rolname <> 'postgres' then
         pg_catalog.has_schema_privilege(r.oid, pg_catalog.to_regnamespace($2), 'CREATE') end as create,
       pg_catalog.pg_has_role('postgres', r.oid, 'MEMBER WITH ADMIN OPTION')
         and not pg_catalog.pg_has_role('postgres', r.oid, case
           when pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 160000 then 'SET' else 'MEMBER' end) as become
     from pg_catalog.pg_roles r where r.oid = pg_catalog.to_regrole($1)`,
    [role, schema === "" ? null : schema],
  );
  return rows[0] ?? { create: null, become: false };
}
