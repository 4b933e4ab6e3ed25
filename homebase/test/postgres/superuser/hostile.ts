/**
 * Owns a hostile session of role postgres: types and views of its own that are found before the server's where a
 * function does not put pg_temp last, overloads and operators in a schema of its own, and a probe that notices when one
 * of them runs as a superuser.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { packageFolder } from "../../../src/postgres/cluster/binaries.ts";
import { addedExtensions } from "../../../src/postgres/extensions/extension-files.ts";
import type { TestBackend } from "../../../src/testing/index.ts";

/** A session of role postgres with a probe. */
export interface HostileSession {
  readonly client: pg.Client;
  /** Runs a text; @returns its error, as attempts may fail. */
  attempt(sql: string): Promise<string | undefined>;
  /** Where a superuser has run the project's code since the last call: the contexts of the warnings, or a mark. */
  caught(): Promise<string[]>;
  close(): Promise<void>;
}

const MARK = "homebase probe";

/**
 * The probe is called with a word that says where. A sequence counts, because its numbers stay when a transaction is
 * rolled back.
 */
const PROBE = `
  create schema probes;
  create schema hostile;
  grant usage on schema probes, hostile to public;
  create sequence probes.superusers;
  grant all on probes.superusers to public;
  create function probes.probe(place text) returns boolean language plpgsql as $$
  begin
    if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) current_user) then
      perform pg_catalog.nextval('probes.superusers');
      raise warning '${MARK}' using detail = place;
    end if;
    return true;
  end $$;`;

/** For each type and relation of pg_catalog one of the same name in pg_temp that calls the probe. */
const TEMPORARY = `
  do $$
  declare
    one pg_catalog.record;
  begin
    for one in
      select t.typname from pg_catalog.pg_type t
      where t.typnamespace operator(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace and t.typtype in ('b', 'r', 'm')
        and t.typname !~ '^_'
    loop
      begin
        execute pg_catalog.format('create domain pg_temp.%I as pg_catalog.%1$I check (probes.probe(%L))', one.typname, 'type ' || one.typname);
      exception when others then null;
      end;
    end loop;
    for one in
      select c.relname from pg_catalog.pg_class c
      where c.relnamespace operator(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace and c.relkind in ('r', 'v')
    loop
      begin
        execute pg_catalog.format('create temp view %I as select * from pg_catalog.%1$I where probes.probe(%L)', one.relname, 'relation ' || one.relname);
      exception when others then null;
      end;
    end loop;
  end $$`;

/**
 * Overloads in a schema of the functions and operators that extensions' scripts name, for arguments that pg_catalog has
 * none for: such a call is taken to the overload wherever the schema is looked in.
 */
const overloads = (schema: string, words: readonly string[]) => `
  do $$
  declare
    one record;
    kinds constant text[] := array['text', 'name', 'oid', 'regclass', 'text[]', 'bytea', 'jsonb', 'int4', 'int8', 'float8', 'float4[]', 'float8[]'];
  begin
    for one in
      select p.proname, array[x] as a from pg_proc p, unnest(kinds) x where p.pronargs = 1 and p.pronamespace = 11 and p.proname = any (array[${words.map((word) => `'${word}'`).join(",")}])
      union select p.proname, array[x, y] from pg_proc p, unnest(array['text', 'name', 'float4[]', 'float8[]', 'bytea', 'text[]']) x, unnest(array['text', 'name', 'oid', 'regclass', 'int4']) y
      where p.pronargs = 2 and p.pronamespace = 11 and p.proname = any (array[${words.map((word) => `'${word}'`).join(",")}])
      union values
        ('format', array['text', 'text']), ('format', array['text', 'name']), ('format', array['text', 'oid']),
        ('format', array['text', 'regclass']), ('format', array['text', 'regprocedure']),
        ('format', array['text', 'text', 'text']), ('format', array['text', 'name', 'name']), ('format', array['text', 'text', 'text', 'text'])
    loop
      begin
        if to_regprocedure(format('pg_catalog.%I(%s)', one.proname, array_to_string(one.a, ','))) is null then
          execute format('create function ${schema}.%I(%s) returns text language plpgsql as %L', one.proname,
            array_to_string(one.a, ','), format('begin perform probes.probe(%L); return %L; end', 'function ' || one.proname, 'select 1'));
        end if;
      exception when others then null;
      end;
    end loop;
    for one in
      select distinct o.oprname, x as l, y as r, case o.oprname when '||' then 'text' else 'bool' end as result
      from pg_operator o, unnest(kinds) x, unnest(kinds) y
      where o.oprnamespace = 11 and o.oprname in ('||', '=', '<>', '+', '-', '~', '->>', '<', '>')
        and not exists (select from pg_operator p where p.oprname = o.oprname and p.oprleft = x::regtype and p.oprright = y::regtype)
    loop
      if to_regprocedure(format('${schema}.operator_%s(%s,%s)', one.result, one.l, one.r)) is null then
        execute format('create function ${schema}.operator_%s(%s, %s) returns %1$s language plpgsql as %4$L', one.result, one.l, one.r,
          'begin perform probes.probe(''operator''); return null; end');
      end if;
      execute format('create operator ${schema}.%s (leftarg = %s, rightarg = %s, function = ${schema}.operator_%s)', one.oprname, one.l, one.r, one.result);
    end loop;
  end $$`;

/** The words of all extensions' scripts: what they call is among them. */
function wordsOfScripts(): string[] {
  const folder = join(packageFolder(), "native", "share", "postgresql", "extension");
  const texts = [
    ...addedExtensions().files.map(({ text }) => text),
    ...readdirSync(folder)
      .filter((file) => file.endsWith(".sql"))
      .map((file) => readFileSync(join(folder, file), "utf8")),
  ];
  return [...new Set(texts.flatMap((text) => text.match(/\b[a-z_][a-z0-9_]*(?=\s*\()/g) ?? []))];
}

/** Fills a schema of role postgres with overloads. Written by the superuser, for whom no event trigger fires. */
export async function fillWithOverloads(backend: TestBackend, schema: string): Promise<void> {
  await backend.database.transaction("supabase_admin", async (client) => {
    await client.query("set local role postgres");
    await client.query(overloads(schema, wordsOfScripts()));
  });
}

export interface HostileOptions {
  /** Types and relations in pg_temp. */
  temporary?: boolean;
  /** Overloads and operators in schema `hostile`. */
  filled?: boolean;
}

/** Opens the session. The probe and the overloads are made once in a database. */
export async function hostileSession(
  backend: TestBackend,
  { temporary = false, filled = false }: HostileOptions = {},
): Promise<HostileSession> {
  const client = new pg.Client({ connectionString: backend.databaseUrl });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query("select pg_catalog.to_regnamespace('hostile') is not null as made");
  if (!rows[0].made) await client.query(PROBE);
  if (filled) await fillWithOverloads(backend, "hostile");
  if (temporary) await client.query(TEMPORARY);
  const places: string[] = [];
  client.on("notice", (notice) => {
    if (notice.message === MARK) places.push(`${notice.detail} in ${notice.where ?? "a statement"}`);
  });
  let before = 0;
  return {
    client,
    attempt: (sql) =>
      client.query(sql).then(
        () => undefined,
        async (error: Error) => {
          await client.query("rollback");
          return error.message;
        },
      ),
    async caught() {
      const [{ count }] = (
        await client.query(
          "select case when is_called then last_value else 0 end as count from probes.superusers",
        )
      ).rows;
      const unseen = Number(count) > before && places.length === 0 ? ["outside of this session"] : [];
      before = Number(count);
      return [...new Set([...places.splice(0), ...unseen])];
    },
    close: () => client.end(),
  };
}
