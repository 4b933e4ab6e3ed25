/**
 * Owns bringing the stand-in and inert extensions of an existing database up to date: their versions are hosted's, so
 * Postgres has no update for a change of ours. The functions of the script are replaced in place, and what is new belongs
 * to the extension from then on; tables, types and rights stay.
 */
import type pg from "pg";
import { splitStatements } from "../statements/split.ts";
import { extensionEntry } from "./classes.ts";
import { addedExtensions } from "./extension-files.ts";

interface Installed {
  name: string;
  version: string;
  schema: string;
}

/** A function with its schema: others are made where the script's search path leads, and are not replaced. */
const FUNCTION = /^create\s+(?:or\s+replace\s+)?function\s+(?=[\w"]+\.)/i;
/** A comment that marks another statement to be run again: it must be safe to run twice. */
const RENEWED = /--[^\n]*\bRenewed\.\s*$/m;

/** Made by blocks, without the validator of SQL functions: an upgrade's file changes them itself. */
const BY_THEMSELVES: ReadonlySet<string> = new Set(["postgis", "vector"]);

/** Replaces the functions. Run by the superuser, in a transaction, with a search path of pg_catalog and pg_temp. */
export async function renewExtensions(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<Installed>(
    `select e.extname as name, e.extversion as version, quote_ident(n.nspname) as schema
     from pg_extension e join pg_namespace n on n.oid = e.extnamespace`,
  );
  const { files, system } = addedExtensions();
  for (const { name, version, schema } of rows) {
    const kind = extensionEntry(name)?.class;
    const script = files.find((file) => file.name === `${name}--${version}.sql`);
    if (
      !script ||
      BY_THEMSELVES.has(name) ||
      system.includes(name) ||
      (kind !== "stand-in" && kind !== "inert")
    )
      continue;
    await replaceFunctions(client, name, script.text.replaceAll("@extschema@", schema));
  }
}

async function replaceFunctions(client: pg.ClientBase, extension: string, script: string): Promise<void> {
  const before = await objects(client);
  for (const { text } of splitStatements(script)) {
    const plain = text.replace(/^(?:\s|--[^\n]*\n)+/, "");
    if (FUNCTION.test(plain))
      await client.query(plain.replace(/^create\s+(?:or\s+replace\s+)?/i, "create or replace "));
    else if (RENEWED.test(text.slice(0, text.length - plain.length))) await client.query(plain);
  }
  for (const object of await objects(client))
    if (!before.has(object))
      await client.query(`alter extension ${client.escapeIdentifier(extension)} add ${object}`);
}

/** All functions and event triggers of the database, as statements name them. */
async function objects(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ object: string }>(
    `select 'function ' || p.oid::regprocedure::text as object from pg_proc p where p.oid >= 16384 and p.prokind = 'f'
     union all select 'event trigger ' || quote_ident(t.evtname) from pg_event_trigger t`,
  );
  return new Set(rows.map(({ object }) => object));
}
