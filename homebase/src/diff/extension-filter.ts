/**
 * Owns which extensions a difference makes, and how: those of pg_tle never, those that chosen schemas need always, those of
 * schema pg_catalog there, which pg-delta leaves to the control file, and none that is there already.
 */
import type { Plan } from "@supabase/pg-delta";
import type pg from "pg";
import { quote } from "../postgres/quoting.ts";

type Action = Plan["actions"][number];

/**
 * Extensions from pg_tle, and their schemas: only the database that one was installed in can create it, so a dump cannot.
 */
export async function readPackages(pool: pg.Pool): Promise<{ names: string[]; schemas: string[] }> {
  const { rows: found } = await pool.query(
    "select from pg_catalog.pg_proc where oid = pg_catalog.to_regprocedure('pgtle.available_extensions()')",
  );
  if (found.length === 0) return { names: [], schemas: [] };
  const { rows } = await pool.query<{ name: string; schema: string | null }>(
    `select p.name::text, n.nspname as schema from pgtle.available_extensions() p
     left join pg_catalog.pg_extension e on e.extname = p.name
     left join pg_catalog.pg_depend d on d.refobjid = e.oid and d.deptype = 'e'
       and d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass and d.classid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
     left join pg_catalog.pg_namespace n on n.oid = d.objid`,
  );
  return {
    names: rows.map(({ name }) => name),
    schemas: rows.flatMap(({ schema }) => schema ?? []),
  };
}

/** The extensions whose types, functions and operators something in these schemas uses. */
export async function readNeededExtensions(pool: pg.Pool, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select distinct e.extname::text as name
     from pg_catalog.pg_depend m join pg_catalog.pg_extension e on e.oid = m.refobjid
     join pg_catalog.pg_depend d on d.refclassid = m.classid and d.refobjid = m.objid and d.deptype = 'n',
     pg_catalog.pg_identify_object(d.classid, d.objid, d.objsubid) i,
     pg_catalog.pg_identify_object_as_address(d.classid, d.objid, d.objsubid) a
     where m.deptype = 'e' and m.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
       and coalesce(i.schema, a.object_names[1]) = any ($1)`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

/** The extensions that the chosen schemas need are made with them. */
export function newExtensions(names: string[]) {
  return {
    match: { all: [{ kind: "extension" }, { name: names }, { verb: ["add" as const] }] },
    action: "include" as const,
  };
}

export async function readInCatalogue(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "select extname::text as name from pg_catalog.pg_extension where extnamespace = 'pg_catalog'::pg_catalog.regnamespace",
  );
  return rows.map(({ name }) => name);
}

/**
 * The actions, in which an extension is made where it is not there yet, as pg_dump writes it: a hosted project may have it
 * by its dashboard. @param placed those that are made in schema pg_catalog.
 */
export function whereMissing(actions: readonly Action[], placed: readonly string[]): Action[] {
  const inCatalogue = new Set(placed.map((name) => `CREATE EXTENSION ${quote(name)}`));
  return actions.map((action) => {
    if (!action.sql.startsWith("CREATE EXTENSION ")) return action;
    const sql = inCatalogue.has(action.sql) ? `${action.sql} SCHEMA "pg_catalog"` : action.sql;
    return { ...action, sql: sql.replace("EXTENSION", "EXTENSION IF NOT EXISTS") };
  });
}
