/**
 * Owns the right that a change of owner needs: Postgres gives an object only to a role that may create objects in its
 * schema, and a project may have taken that right away again afterwards.
 */
import type pg from "pg";

const IDENTIFIER = String.raw`(?:"(?:[^"]|"")+"|[a-z_]\w*)`;
const OWNER_CHANGE = new RegExp(
  `^ALTER [A-Z ]+ (${IDENTIFIER})\\.${IDENTIFIER}.* OWNER TO (${IDENTIFIER});$`,
  "gm",
);

/** The statements, with the right given before each change of owner that needs it, and taken away after it. */
export async function withRightToOwn(client: pg.Pool, sql: string): Promise<string> {
  const pairs = new Map<string, boolean>();
  for (const [, schema = "", role = ""] of sql.matchAll(OWNER_CHANGE)) {
    const key = `${schema} ${role}`;
    if (pairs.has(key)) continue;
    const { rows } = await client.query<{ lacks: boolean }>(
      `select not pg_catalog.has_schema_privilege(pg_catalog.to_regrole($1), pg_catalog.to_regnamespace($2), 'CREATE') as lacks`,
      [role, schema],
    );
    pairs.set(key, rows[0]?.lacks === true);
  }
  return sql.replace(OWNER_CHANGE, (statement, schema: string, role: string) =>
    pairs.get(`${schema} ${role}`)
      ? `GRANT CREATE ON SCHEMA ${schema} TO ${role};\n${statement}\nREVOKE CREATE ON SCHEMA ${schema} FROM ${role};`
      : statement,
  );
}
