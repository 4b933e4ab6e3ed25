/** Owns the names that a reader may look for: tables, functions and users. */
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { listFunctions } from "../../../src/functions/project-functions.ts";
import type { Names } from "./api.ts";
import { inDatabase } from "./owner-connections.ts";

/** Of each kind. */
const MOST = 500;

const NAMES = `select
  array(select c.relname::text from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and c.relkind in ('r', 'p', 'v', 'm', 'f') order by 1 limit ${MOST}) as tables,
  array(select distinct p.proname::text from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any($1) and p.prorettype <> 'trigger'::pg_catalog.regtype order by 1 limit ${MOST}) as routines,
  array(select u.email::text from auth.users u where u.email <> ''
    order by u.last_sign_in_at desc nulls last, u.email limit ${MOST}) as users`;

export async function names(start: DeveloperStart): Promise<Names> {
  const { config } = start.backend;
  const { rows } = await inDatabase(start, (client) =>
    client.query<{ tables: string[]; routines: string[]; users: string[] }>(NAMES, [config.api.schemas]),
  );
  const { tables = [], routines = [], users = [] } = rows[0] ?? {};
  const functions = [...new Set([...listFunctions(config), ...routines])];
  return { tables, functions, users };
}
