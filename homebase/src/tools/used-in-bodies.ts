/** Owns finding the objects that only bodies of functions use and no file makes: a start does not fail by them. */
import type pg from "pg";
import { checkFunctions } from "../plpgsql/checked-functions.ts";
import { connected } from "../postgres/connected.ts";
import type { Database } from "../postgres/database.ts";
import { madeByNoFile } from "../postgres/files/breakage.ts";
import type { FileProblem } from "../postgres/files/errors.ts";
import { mentionsIn } from "../postgres/files/objects.ts";
import type { SqlFile } from "../postgres/files/sql-file.ts";
import { masked } from "../postgres/statements/lexer.ts";
import { NOT_PLATFORM } from "./platform-schemas.ts";

/** An object that is missing, and the function that uses it. */
export interface UsedInBody {
  object: NonNullable<FileProblem["object"]>;
  /** With its schema. */
  function: string;
  /** Where the function is made. */
  file?: string;
  line?: number;
}

interface FunctionText {
  name: string;
  source: string;
  /** The tables whose triggers call it. */
  tables: string[];
}

/** SQLSTATEs of an object that is not there: column, table, function, type, schema. */
const MISSING = new Set(["42703", "42P01", "42883", "42704", "3F000"]);

/** @param files all that run, of which one may have failed: what it makes is not missing */
export function usedInBodies(database: Database, files: readonly SqlFile[]): Promise<UsedInBody[]> {
  return connected({ ...database.connection("postgres") }, async (client) => {
    const { rows: schemas } = await client.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname ${NOT_PLATFORM}`,
    );
    const names = schemas.map(({ name }) => name);
    const { rows: paths } = await client.query<{ path: string }>(
      "select reset_val as path from pg_settings where name = 'search_path'",
    );
    const { found } = await checkFunctions(client, names, paths[0]?.path ?? "");
    const { rows: functions } = await client.query<FunctionText>(FUNCTIONS, [names]);
    const used: UsedInBody[] = [];
    const add = (name: string, object: UsedInBody["object"] | undefined) => {
      if (!object || used.some((one) => JSON.stringify(one.object) === JSON.stringify(object))) return;
      used.push({ object, function: name, ...placeOf(files, name) });
    };
    for (const { function: name, issues } of found) {
      const own = functions.filter((one) => one.name === name);
      for (const { level, message, sqlState = "", hint, query } of issues) {
        if (level !== "error" || !MISSING.has(sqlState)) continue;
        const error = inTable(message, own) ?? { message, statement: query?.text ?? own[0]?.source ?? "" };
        add(name, await madeByNoFile(client, { ...error, hint }, files));
      }
    }
    for (const { name, source } of functions)
      for (const role of await missingRoles(client, source, files)) add(name, { kind: "role", name: role });
    return used;
  });
}

const FUNCTIONS = `select format('%I.%I', n.nspname, p.proname) as name, p.prosrc as source,
  array(select distinct c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgfoid = p.oid and not t.tgisinternal)::text[] as tables
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
  where n.nspname = any ($1) and l.lanname in ('plpgsql', 'sql')
    and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by 1, p.oid`;

function placeOf(files: readonly SqlFile[], name: string): { file?: string; line?: number } {
  const own = name.replaceAll('"', "").split(".").at(-1);
  const made = mentionsIn(
    files,
    (one) => one.kind === "function" && one.change === "create" && one.name === own,
  ).at(-1);
  return made ? { file: made.file, line: made.line } : {};
}

/** A missing field of a trigger's row, or of a variable with a table's type, as the missing column of that table. */
function inTable(
  message: string,
  functions: readonly FunctionText[],
): { message: string; statement: string } | undefined {
  const [, record = "", field] = /^record "(.+)" has no field "(.+)"$/.exec(message) ?? [];
  if (field === undefined) return undefined;
  const tables =
    record === "new" || record === "old"
      ? functions.flatMap((one) => one.tables)
      : functions.flatMap(({ source }) => {
          const declared = new RegExp(
            `\\b${record.replace(/\W/g, "\\$&")}\\s+(?:\\w+\\.)?(\\w+)(?:%rowtype)?\\s*;`,
            "i",
          );
          return declared.exec(source)?.[1] ?? [];
        });
  return { message: `column "${field}" does not exist`, statement: tables.join(" ") };
}

/** SET ROLE as a statement of its own: a column may be called `role`, too. */
const ROLES = [
  /(?:^|;|\b(?:begin|then|else|loop))\s*set\s+(?:(?:local|session)\s+)?role\s+(?:to\s+|=\s*)?'?"?([a-z_]\w*)/gi,
  /\bset_config\s*\(\s*'role'\s*,\s*'([^']+)'/gi,
  /\bpg_has_role\s*\(\s*(?:[^,()']+,\s*)?'([^']+)'\s*,/gi,
];

/** Roles that a body takes on or asks for, and that neither the server has nor a file makes. */
async function missingRoles(client: pg.Client, source: string, files: readonly SqlFile[]): Promise<string[]> {
  const named = [
    ...new Set(
      ROLES.flatMap((pattern) =>
        [...masked(source, ["comment"]).matchAll(pattern)].map(([, name = ""]) => name),
      ),
    ),
  ];
  if (named.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(
    "select name from unnest($1::text[]) as name where name not in (select rolname from pg_roles) and name <> 'none'",
    [named],
  );
  return rows
    .map(({ name }) => name)
    .filter(
      (name) =>
        mentionsIn(files, (one) => one.kind === "role" && one.change === "create" && one.name === name)
          .length === 0,
    );
}
