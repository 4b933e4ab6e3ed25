/**
 * Owns a hostile session of role postgres: types and views of its own that are found before the server's where a
 * function does not put pg_temp last, overloads and operators in a schema of its own, and a probe that notices when one
 * of them runs as a superuser.
 */
import pg from "pg";
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
  create schema hostile;
  grant usage on schema hostile to public;
  create sequence hostile.superusers;
  grant all on hostile.superusers to public;
  create function hostile.probe(place text) returns boolean language plpgsql as $$
  begin
    if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) current_user) then
      perform pg_catalog.nextval('hostile.superusers');
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
        execute pg_catalog.format('create domain pg_temp.%I as pg_catalog.%1$I check (hostile.probe(%L))', one.typname, 'type ' || one.typname);
      exception when others then null;
      end;
    end loop;
    for one in
      select c.relname from pg_catalog.pg_class c
      where c.relnamespace operator(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace and c.relkind in ('r', 'v')
    loop
      begin
        execute pg_catalog.format('create temp view %I as select * from pg_catalog.%1$I where hostile.probe(%L)', one.relname, 'relation ' || one.relname);
      exception when others then null;
      end;
    end loop;
  end $$`;

/**
 * Overloads in schema \`hostile\` of the functions and operators of pg_catalog, for arguments that no function of that
 * name has there: such a call is taken to the overload wherever the schema is looked in.
 */
const OVERLOADS = `
  do $$
  declare
    one record;
    kinds constant text[] := array['text', 'name', 'oid', 'regclass', 'text[]', 'name[]', 'bytea', 'jsonb', 'int4', 'int8', 'float4', 'float8', 'float4[]', 'float8[]', 'regprocedure'];
  begin
    for one in
      select distinct p.proname, f.a
      from pg_catalog.pg_proc p,
        lateral (
          select array[x] as a from unnest(kinds) x where p.pronargs = 1
          union select array[x, y] from unnest(kinds) x, unnest(kinds) y where p.pronargs = 2
            and p.proname in ('format', 'concat', 'array_to_string', 'string_agg', 'array_position', 'cardinality', 'regexp_match', 'textcat', 'nextval', 'has_schema_privilege', 'set_config', 'strpos', 'greatest', 'to_tsvector', 'generate_series')
          union select array['text', 'text'] where p.pronargs = 2
          union select array['text', 'name'] where p.pronargs = 2
          union select array['text', 'text', 'text'] where p.pronargs = 3
        ) f
      where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f' and p.oid < 16384
      union values
        ('format', array['text', 'text']), ('format', array['text', 'name']), ('format', array['text', 'oid']),
        ('format', array['text', 'regclass']), ('format', array['text', 'regprocedure']),
        ('format', array['text', 'text', 'text']), ('format', array['text', 'name', 'name']),
        ('format', array['text', 'text', 'text', 'text'])
    loop
      begin
        if to_regprocedure(format('pg_catalog.%I(%s)', one.proname, array_to_string(one.a, ','))) is null then
          execute format('create function hostile.%I(%s) returns text language plpgsql as %L', one.proname,
            array_to_string(one.a, ','), format('begin perform hostile.probe(%L); return %L; end', 'function ' || one.proname, 'select 1'));
        end if;
      exception when others then null;
      end;
    end loop;
    for one in
      select distinct o.oprname, x as l, y as r from pg_catalog.pg_operator o, unnest(kinds) x, unnest(kinds) y
      where o.oprnamespace = 'pg_catalog'::regnamespace and o.oprname in ('||', '=', '<>', '+', '-', '~', '->>', '->', '<', '>', '!~')
    loop
      begin
        if not exists (select from pg_catalog.pg_operator p where p.oprname = one.oprname and p.oprleft = one.l::regtype and p.oprright = one.r::regtype) then
          if to_regprocedure(format('hostile.operator_%s(%s,%s)', case one.oprname when '||' then 'text' else 'bool' end, one.l, one.r)) is null then
            execute format('create function hostile.operator_%s(%s, %s) returns %1$s language plpgsql as %L',
              case one.oprname when '||' then 'text' else 'bool' end, one.l, one.r, 'begin perform hostile.probe(''operator''); return null; end');
          end if;
          execute format('create operator hostile.%s (leftarg = %s, rightarg = %s, function = hostile.operator_%s)', one.oprname, one.l, one.r,
            case one.oprname when '||' then 'text' else 'bool' end);
        end if;
      exception when others then null;
      end;
    end loop;
  end $$`;

export interface HostileOptions {
  /** Types and relations in pg_temp. */
  temporary?: boolean;
  /** Overloads and operators in schema `hostile`. */
  overloads?: boolean;
}

/** Opens the session. The probe and the overloads are made once in a database. */
export async function hostileSession(
  backend: TestBackend,
  { temporary = false, overloads = false }: HostileOptions = {},
): Promise<HostileSession> {
  const client = new pg.Client({ connectionString: backend.databaseUrl });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query("select pg_catalog.to_regnamespace('hostile') is not null as made");
  if (!rows[0].made) await client.query(PROBE);
  if (overloads) await client.query(OVERLOADS);
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
        await client.query("select case when is_called then last_value else 0 end as count from hostile.superusers")
      ).rows;
      const unseen = Number(count) > before && places.length === 0 ? ["outside of this session"] : [];
      before = Number(count);
      return [...new Set([...places.splice(0), ...unseen])];
    },
    close: () => client.end(),
  };
}
