/**
 * Owns statements of a dump that take a superuser and that hosted's `supautils` lets `postgres` run: event triggers,
 * publications of all tables or of schemas, foreign data wrappers, comments on extensions. `psql` on a Homebase project is refused them, so there the
 * function does it that the project's files are run with (docs/decisions/0021-powers-of-postgres.md). It gives `postgres` no
 * right that it has not; elsewhere there is no such function, and the refusal stays what it is.
 */
import { withPowers } from "../../postgres/files/powers.ts";
import { splitStatements } from "../../postgres/statements/split.ts";

/** The statements, each of these with what to do where it is refused. */
export function withOtherWay(sql: string): string {
  let changed = "";
  let done = 0;
  for (const { text, offset } of splitStatements(sql)) {
    const found = otherWay(text);
    if (found === undefined) continue;
    changed += sql.slice(done, offset) + found;
    done = offset + text.length;
  }
  return changed + sql.slice(done);
}

const PLACE = { database: "postgres", rolesMayExist: false };
const PARAMETERS: Readonly<Record<string, string>> = {
  create_event_trigger: "text, text, text[], regprocedure",
  create_publication: "text, text[], text[]",
  alter_publication_schemas: "text, text, text[]",
  create_foreign_data_wrapper: "text, regproc, regproc, text[]",
  comment_on_extension: "text, text",
};

function otherWay(statement: string): string | undefined {
  const replaced = withPowers(statement, PLACE)?.sql;
  const name = Object.keys(PARAMETERS).find((one) => replaced?.includes(`extensions.${one}(`));
  if (replaced === undefined || name === undefined) return undefined;
  return `DO $other_way$ BEGIN
${inBlock(statement)};
EXCEPTION WHEN insufficient_privilege THEN
IF to_regprocedure('extensions.${name}(${PARAMETERS[name]})') IS NULL THEN RAISE; END IF;
${inBlock(replaced)};
END $other_way$`;
}

/** A statement, a block or a call as a statement of PL/pgSQL. */
function inBlock(sql: string): string {
  const [, , body] = /^do\s+(\$\w*\$)([\s\S]*)\1$/i.exec(sql) ?? [];
  return (body ?? sql.replace(/^select /, "PERFORM ")).trim().replace(/;$/, "");
}
