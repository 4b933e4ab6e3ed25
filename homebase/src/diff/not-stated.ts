/**
 * Owns the names of what a difference does not state although a database has it: pg-delta leaves it to the platform, or
 * a statement of it would hold a secret. Commands print them, so that nothing is lost silently.
 */
import type pg from "pg";
import { REFERENCE, SECRET } from "./foreign-options.ts";

export interface NotStated {
  kind: "extension" | "queue" | "setting" | "secret";
  /** With its name, e.g. "the setting app.mode of the database". */
  text: string;
  /** Makes it, where pg-delta leaves an extension to the platform that any project may make: pg_graphql of earlier years. */
  create?: string | null;
}

/** The platform's own settings of a database begin so. */
const PLATFORM_SETTINGS = "^(app[.]settings[.]|homebase[.])";

export async function readNotStated(client: pg.ClientBase): Promise<NotStated[]> {
  const { rows } = await client.query<NotStated>(
    `select 'extension' as kind, pg_catalog.format('the extension %s', e.extname) as text,
       case when a.name is not null then pg_catalog.format('CREATE EXTENSION IF NOT EXISTS %I WITH SCHEMA %I;', e.extname, n.nspname) end as create
     from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
       left join pg_catalog.pg_available_extensions a on a.name = e.extname
     union all
     select 'queue', pg_catalog.format('the queue %s of pgmq', pg_catalog.substr(c.relname, 3)), null
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'pgmq'
     where c.relkind in ('r', 'p') and c.relname ~ '^q_' and not exists (
       select 1 from pg_catalog.pg_inherits i where i.inhrelid = c.oid)
     union all
     select 'setting', pg_catalog.format('the setting %s of %s', pg_catalog.split_part(s.setting, '=', 1), case d.setrole
       when 0 then 'the database' else pg_catalog.format('the role %s in the database', d.setrole::pg_catalog.regrole) end), null
     from pg_catalog.pg_db_role_setting d, pg_catalog.unnest(d.setconfig) s(setting)
     where d.setdatabase = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
       and s.setting !~ '${PLATFORM_SETTINGS}'
     union all
     select 'secret', pg_catalog.format('the option %s of %s', o.option_name, one.name), null
     from (select pg_catalog.format('the server %s', s.srvname) as name, s.srvoptions as options from pg_catalog.pg_foreign_server s
       union all select pg_catalog.format('the user mapping of %s for the server %s', u.usename, u.srvname), u.umoptions
       from pg_catalog.pg_user_mappings u
       union all select pg_catalog.format('the foreign table %s', f.ftrelid::pg_catalog.regclass), f.ftoptions
       from pg_catalog.pg_foreign_table f) one, pg_catalog.pg_options_to_table(one.options) o
     where o.option_name ~* '${SECRET}' and o.option_name !~* '${REFERENCE}' and o.option_value !~ '^__OPTION_'
     order by 1, 2`,
  );
  return rows;
}

/** The lines of `wanted` that `made` lacks. */
export function lacking(made: readonly NotStated[], wanted: readonly NotStated[]): NotStated[] {
  const known = new Set(made.map(({ text }) => text));
  return wanted.filter(({ text }) => !known.has(text));
}
