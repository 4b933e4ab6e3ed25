/** Owns triggers: their catalogue, and creating, changing and dropping them. */
import { z } from "zod";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { parse, text } from "../body.ts";
import { dropping, type Endpoints, find, type Listing, readers, updating } from "../catalogue-endpoint.ts";
import { MetaError } from "../errors.ts";
import type { Row } from "../session.ts";

interface Trigger extends Row {
  schema: string;
  table: string;
  name: string;
}

/** Bits of `tgtype`: 1 row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate, 64 instead of. */
const triggers: Listing = {
  noun: "a trigger with ID",
  id: "t.oid",
  schema: "n.nspname",
  order: "n.nspname, c.relname, t.tgname",
  fields: `t.oid::int8 as id, c.oid::int8 as table_id,
    case t.tgenabled when 'D' then 'DISABLED' when 'O' then 'ORIGIN' when 'R' then 'REPLICA'
      when 'A' then 'ALWAYS' end as enabled_mode,
    coalesce((select json_agg(convert_from(decode(one.value, 'escape'), 'UTF8') order by one.position)
      from string_to_table(encode(t.tgargs, 'escape'), '\\000') with ordinality as one (value, position)
      where one.position <= t.tgnargs), '[]') as function_args,
    t.tgname as name, c.relname as "table", n.nspname as schema,
    substring(pg_get_triggerdef(t.oid) from ' WHEN \\((.+)\\) EXECUTE FUNCTION ') as condition,
    case when t.tgtype & 1 = 1 then 'ROW' else 'STATEMENT' end as orientation,
    case when t.tgtype & 2 = 2 then 'BEFORE' when t.tgtype & 64 = 64 then 'INSTEAD OF'
      else 'AFTER' end as activation,
    array(select event from (values (4, 'INSERT'), (8, 'DELETE'), (16, 'UPDATE'), (32, 'TRUNCATE'))
      as one (bit, event) where t.tgtype & bit = bit) as events,
    f.proname as function_name, fn.nspname as function_schema`,
  from: `from pg_trigger t join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_proc f on f.oid = t.tgfoid join pg_namespace fn on fn.oid = f.pronamespace
    where not t.tgisinternal and not pg_is_other_temp_schema(n.oid)
      and (pg_has_role(c.relowner, 'USAGE')
        or has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'))`,
};

const NEW = z.object({
  name: text,
  table: text,
  schema: text.default("public"),
  function_name: text,
  function_schema: text.default("public"),
  function_args: z.array(text).nullish(),
  activation: z.enum(["BEFORE", "AFTER", "INSTEAD OF"]),
  events: z.array(text).min(1),
  orientation: z.enum(["ROW", "STATEMENT"]).nullish(),
  condition: text.optional(),
});
const CHANGES = z.object({
  name: text.optional(),
  enabled_mode: z.enum(["ORIGIN", "REPLICA", "ALWAYS", "DISABLED"]).optional(),
});

const ENABLING = {
  ORIGIN: "enable",
  REPLICA: "enable replica",
  ALWAYS: "enable always",
  DISABLED: "disable",
} as const;

export const triggerEndpoints: Endpoints = {
  ...readers(triggers),

  async create({ session, body }) {
    const given = parse(NEW, body);
    const { name, table, schema } = given;
    const called = quoteName({ schema: given.function_schema, name: given.function_name });
    await session.execute([
      `create trigger ${quote(name)} ${given.activation} ${given.events.map(eventOf).join(" or ")}
        on ${quoteName({ schema, name: table })}
        ${given.orientation ? `for each ${given.orientation}` : ""}
        ${given.condition ? `when (${given.condition})` : ""}
        execute function ${called}(${(given.function_args ?? []).map(quoteLiteral).join(", ")})`,
    ]);
    return find(
      session,
      triggers,
      { "n.nspname": schema, "c.relname": table, "t.tgname": name },
      `Cannot find a trigger with name ${name} on table "${schema}"."${table}"`,
    );
  },

  update: updating(triggers, CHANGES, (old: Trigger, { name, enabled_mode }) => [
    enabled_mode === undefined
      ? ""
      : `alter table ${tableOf(old)} ${ENABLING[enabled_mode]} trigger ${quote(old.name)}`,
    !name || name === old.name
      ? ""
      : `alter trigger ${quote(old.name)} on ${tableOf(old)} rename to ${quote(name)}`,
  ]),

  remove: dropping(triggers, (old: Trigger) => `drop trigger ${quote(old.name)} on ${tableOf(old)}`),
};

function tableOf({ schema, table }: Trigger): string {
  return quoteName({ schema, name: table });
}

/** An event; the columns of `UPDATE OF a,b` are names. */
function eventOf(event: string): string {
  const [, plain, columns] =
    /^\s*(?:(insert|update|delete|truncate)|update\s+of\s+(.+))\s*$/is.exec(event) ?? [];
  if (plain !== undefined) return plain;
  if (columns !== undefined) return `update of ${columns}`;
  throw new MetaError(400, `${event} is no event of a trigger`);
}
