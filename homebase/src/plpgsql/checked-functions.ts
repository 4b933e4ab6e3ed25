/**
 * Owns checking the bodies of functions without running one: by the validators of their languages, and PL/pgSQL's
 * statement by statement (check.ts).
 */
import type pg from "pg";
import { type CheckedFunction, checkBody, type TriggerFacts } from "./check.ts";
import { isRefusal } from "./describe.ts";
import type { Issue } from "./findings.ts";
import { Catalog } from "./type-lookup.ts";

/** The shape that the Supabase CLI's `db lint` prints. */
export interface FunctionIssues {
  function: string;
  issues: Issue[];
}

export interface FunctionReport {
  found: FunctionIssues[];
  /** Functions whose body could not be looked at, with the reason. */
  notChecked: { function: string; reason: string }[];
}

interface FunctionRow {
  oid: string;
  name: string;
  proname: string;
  language: "plpgsql" | "sql";
  validator: string;
  source: string;
  kind: string;
  returns: string;
  isset: boolean;
  names: string[] | null;
  modes: CheckedFunction["parameters"][number]["mode"][] | null;
  types: string[];
  /** Its own search path, if it has one. */
  path: string | null;
  /** Of the tables whose triggers call it. */
  triggers: TriggerFacts[];
}

const COLUMNS = `select p.oid::text as oid, format('%I.%I', n.nspname, p.proname) as name, p.proname, l.lanname as language,
  l.lanvalidator::regproc::text as validator, p.prosrc as source, p.prokind as kind, p.prorettype::int8::text as returns,
  p.proretset as isset, p.proargnames as names, p.proargmodes::text[] as modes,
  coalesce(p.proallargtypes, p.proargtypes::oid[])::int8[]::text[] as types,
  (select substr(setting, 13) from unnest(p.proconfig) as setting where setting like 'search_path=%') as path,
  coalesce((select json_agg(distinct jsonb_build_object('rows', c.reltype::int8, 'table', format('%I.%I', cn.nspname, c.relname),
      'transitions', array_remove(array[t.tgoldtable, t.tgnewtable], null)))
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace cn on cn.oid = c.relnamespace
    where t.tgfoid = p.oid and not t.tgisinternal), '[]') as triggers
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang`;
const IN_SCHEMAS = `${COLUMNS} where n.nspname = any ($1) and l.lanname in ('plpgsql', 'sql') and p.prokind in ('f', 'p')
    and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by 2, p.oid`;
const TABLE = `select c.reltype::int8::float8 as rows, format('%I.%I', n.nspname, c.relname) as table
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = $1`;

/**
 * Checks one function in PL/pgSQL with the search path of whoever asks. @param relation the object id of a trigger's table,
 * `0` for other functions. @throws whatever the parser says of a body that Postgres accepts
 */
export async function checkFunction(
  client: pg.Client,
  oid: string,
  relation: string,
  path: string,
): Promise<Issue[]> {
  const row = (await client.query<FunctionRow>(`${COLUMNS} where p.oid = $1`, [oid])).rows[0];
  if (!row) throw new Error("The function is not there any more.");
  await client.query("select set_config('search_path', $1, false)", [row.path ?? path]);
  const refused = (await validate(client, [row], path)).get(row.oid);
  if (refused) return refused;
  const { rows: tables } = await client.query<{ rows: number; table: string }>(TABLE, [relation]);
  const triggers = tables.map((one) => ({
    ...one,
    transitions: row.triggers
      .filter(({ rows }) => rows === one.rows)
      .flatMap(({ transitions }) => transitions),
  }));
  return checkRow(client, new Catalog(client), { ...row, triggers });
}

/**
 * Checks every function of the schemas whose language is plpgsql or sql. Leaves nothing in the database.
 * @param path the search path of callers, for functions without one of their own.
 */
export async function checkFunctions(
  client: pg.Client,
  schemas: readonly string[],
  path: string,
): Promise<FunctionReport> {
  const { rows } = await client.query<FunctionRow>(IN_SCHEMAS, [schemas]);
  const report: FunctionReport = { found: [], notChecked: [] };
  const catalog = new Catalog(client);
  const { rows: before } = await client.query<{ path: string }>(
    "select current_setting('search_path') as path",
  );
  const refused = await validate(client, rows, path);
  try {
    for (const row of rows) {
      const issues = refused.get(row.oid) ?? [];
      if (issues.length === 0 && row.language === "plpgsql") {
        await client.query("select set_config('search_path', $1, false)", [row.path ?? path]);
        try {
          issues.push(...(await checkRow(client, catalog, row)));
        } catch (error) {
          // The parser's grammar is of Postgres 18 and knows no catalog; the server has accepted the body.
          report.notChecked.push({ function: row.name, reason: (error as Error).message });
        }
      }
      if (issues.length > 0) report.found.push({ function: row.name, issues });
    }
  } finally {
    await client.query("select set_config('search_path', $1, false)", [before[0]?.path]);
  }
  return report;
}

/** What the validators say, by the function's oid: of PL/pgSQL the syntax, of SQL also names and types. */
async function validate(
  client: pg.Client,
  rows: readonly FunctionRow[],
  usual: string,
): Promise<Map<string, Issue[]>> {
  const refused = new Map<string, Issue[]>();
  await client.query("begin; set local check_function_bodies = on");
  try {
    for (const { oid, validator, path } of rows) {
      await client.query("savepoint one");
      try {
        await client.query("select set_config('search_path', $1, true)", [path ?? usual]);
        await client.query(`select ${validator}($1::oid)`, [oid]);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const { message, code, hint, detail, internalPosition, internalQuery, position } = error;
        const at = internalPosition ?? position;
        refused.set(oid, [
          {
            level: "error",
            message,
            ...(code ? { sqlState: code } : {}),
            ...(hint ? { hint } : {}),
            ...(detail ? { detail } : {}),
            ...(at ? { query: { position: at, text: internalQuery ?? "" } } : {}),
          },
        ]);
      }
      await client.query("rollback to savepoint one");
    }
  } finally {
    await client.query("rollback");
  }
  return refused;
}

async function checkRow(client: pg.Client, catalog: Catalog, row: FunctionRow): Promise<Issue[]> {
  const checked: CheckedFunction = {
    name: row.proname,
    source: row.source,
    isProcedure: row.kind === "p",
    returnType: Number(row.returns),
    isSet: row.isset,
    parameters: row.types.map((type, index) => ({
      name: row.names?.[index] ?? "",
      mode: row.modes?.[index] ?? "i",
      type: Number(type),
    })),
  };
  const [first, ...others] = row.triggers;
  const found = await checkBody(client, catalog, checked, first);
  // With several tables, a body that asks which one it is for may have statements for one of them alone.
  const asks = /\btg_(?:table_name|relname|relid|table_schema|argv|nargs|name)\b/i.test(row.source);
  let all = new Map(found.map((issue) => [JSON.stringify(issue), issue]));
  for (const trigger of others) {
    const more = new Map(
      (await checkBody(client, catalog, checked, trigger)).map((issue) => [JSON.stringify(issue), issue]),
    );
    all = asks ? new Map([...all].filter(([text]) => more.has(text))) : new Map([...all, ...more]);
  }
  return [...all.values()];
}
