/** Owns functions: their catalogue, and creating, changing and dropping them. Procedures are not among them. */
import { z } from "zod";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { transactWith } from "../../postgres/transaction.ts";
import { flag, parse, settings, text } from "../body.ts";
import {
  dropping,
  type Endpoints,
  type Listing,
  readers,
  retrieve,
  updating,
} from "../catalogue-endpoint.ts";
import { MetaError } from "../errors.ts";
import type { Row, Session } from "../session.ts";

interface Routine extends Row {
  id: number;
  schema: string;
  name: string;
  definition: string;
  complete_statement: string;
  identity_argument_types: string;
}

/** A default belongs to the last input arguments; output arguments have none. */
const functions: Listing = {
  noun: "a function with ID",
  id: "f.oid",
  schema: "n.nspname",
  order: "n.nspname, f.proname, f.oid",
  fields: `f.oid::int8 as id, n.nspname as schema, f.proname as name, l.lanname as language,
    case when l.lanname = 'internal' then '' else f.prosrc end as definition,
    case when l.lanname = 'internal' then f.prosrc else pg_get_functiondef(f.oid) end as complete_statement,
    coalesce((select json_agg(json_build_object(
        'mode', case argument.mode when 'i' then 'in' when 'o' then 'out' when 'b' then 'inout'
          when 'v' then 'variadic' else 'table' end,
        'name', argument.name, 'type_id', argument.type::int8,
        'has_default', case when argument.input then argument.inputs > f.pronargs - f.pronargdefaults end)
        order by argument.position)
      from (select one.position, one.type, coalesce(f.proargmodes[one.position], 'i') as mode,
          coalesce(f.proargnames[one.position], '') as name,
          coalesce(f.proargmodes[one.position], 'i') in ('i', 'b', 'v') as input,
          count(*) filter (where coalesce(f.proargmodes[one.position], 'i') in ('i', 'b', 'v'))
            over (order by one.position) as inputs
        from unnest(coalesce(f.proallargtypes, f.proargtypes::oid[])) with ordinality as one (type, position)
      ) argument), '[]') as args,
    pg_get_function_arguments(f.oid) as argument_types,
    pg_get_function_identity_arguments(f.oid) as identity_argument_types,
    f.prorettype::int8 as return_type_id, pg_get_function_result(f.oid) as return_type,
    nullif(r.typrelid::int8, 0) as return_type_relation_id,
    f.proretset as is_set_returning_function,
    case when f.proretset then nullif(f.prorows, 0) end as prorows,
    case f.provolatile when 'i' then 'IMMUTABLE' when 's' then 'STABLE' else 'VOLATILE' end as behavior,
    f.prosecdef as security_definer,
    (select json_object_agg(split_part(one, '=', 1), substring(one from position('=' in one) + 1))
      from unnest(f.proconfig) as one) as config_params`,
  from: `from pg_proc f join pg_namespace n on n.oid = f.pronamespace
    join pg_language l on l.oid = f.prolang join pg_type r on r.oid = f.prorettype
    where f.prokind = 'f'`,
};

/** `args`, `return_type`, `language` and values of settings are SQL. */
const NEW = z.object({
  name: text,
  schema: text.default("public"),
  args: z.array(text).nullish(),
  definition: text,
  return_type: text.default("void"),
  language: text.default("sql"),
  behavior: z.enum(["IMMUTABLE", "STABLE", "VOLATILE"]).default("VOLATILE"),
  security_definer: flag.default(false),
  config_params: settings.nullish(),
});
const CHANGES = z.object({
  name: text.optional(),
  schema: text.optional(),
  definition: text.optional(),
});

export const functionEndpoints: Endpoints = {
  ...readers(functions),

  async create({ session, body }) {
    const given = parse(NEW, body);
    const made = await transactWith(session.client, async () => {
      await session.rows(
        `create function ${quoteName(given)}(${(given.args ?? []).join(", ")}) returns ${given.return_type}
        as ${quoteLiteral(given.definition)} language ${given.language} ${given.behavior}
        called on null input ${given.security_definer ? "security definer" : "security invoker"}
        ${Object.entries(given.config_params ?? {})
          .map(setting)
          .join(" ")}`,
      );
      // Of several functions with this name it is the one that this transaction made.
      const [created] = await session.rows<{ oid: number }>(
        `select oid from pg_proc where proname = $1 and pronamespace = quote_ident($2)::regnamespace
        and xmin = pg_current_xact_id()::xid`,
        [given.name, given.schema],
      );
      return created;
    });
    return retrieve(session, functions, made?.oid ?? 0);
  },

  update: updating(functions, CHANGES, async (old: Routine, { name, schema, definition }, session) => {
    const routine = (owner: string, called: string) =>
      `function ${quoteName({ schema: owner, name: called })}(${old.identity_argument_types})`;
    return [
      definition === undefined ? "" : await withBody(session, old, definition),
      !name || name === old.name ? "" : `alter ${routine(old.schema, old.name)} rename to ${quote(name)}`,
      !schema || schema === old.schema
        ? ""
        : `alter ${routine(old.schema, name || old.name)} set schema ${quote(schema)}`,
    ];
  }),

  remove: dropping(
    functions,
    (old: Routine) => `drop function ${quoteName(old)}(${old.identity_argument_types})`,
  ),
};

/** The function's own definition with another body: strictness, cost, settings and the like stay. */
async function withBody(session: Session, old: Routine, definition: string): Promise<string> {
  const [found] = await session.rows<{ parsed: boolean }>(
    "select prosqlbody is not null as parsed from pg_proc where oid = $1",
    [old.id],
  );
  const [, tag] = /(\$\w*\$)\n$/.exec(old.complete_statement) ?? [];
  const body = `AS ${tag}${old.definition}${tag}\n`;
  if (found?.parsed || tag === undefined || !old.complete_statement.endsWith(body)) {
    throw new MetaError(400, `The body of "${old.schema}"."${old.name}" is not text: replace it by a query`);
  }
  return `${old.complete_statement.slice(0, -body.length)}AS ${quoteLiteral(definition)}`;
}

function setting([name, value]: [string, string]): string {
  const parameter = name.split(".").map(quote).join(".");
  return `set ${parameter} ${value === "FROM CURRENT" ? "from current" : `to ${value}`}`;
}
