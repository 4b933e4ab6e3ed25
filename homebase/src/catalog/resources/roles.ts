/** Owns roles: their catalogue, and creating, changing and dropping them. */
import { z } from "zod";
import { quote, quoteLiteral } from "../../postgres/quoting.ts";
import { flag, integer, parse, settings, text } from "../body.ts";
import {
  dropping,
  type Endpoints,
  find,
  type Listing,
  list,
  parametersOf,
  retrieve,
  updating,
} from "../catalogue-endpoint.ts";
import type { Row } from "../session.ts";

interface Role extends Row {
  name: string;
}

const everyRole: Listing = {
  noun: "a role with ID",
  id: "r.oid",
  order: "r.rolname",
  fields: `r.oid::int8 as id, r.rolname as name, r.rolsuper as is_superuser, r.rolcreatedb as can_create_db,
    r.rolcreaterole as can_create_role, r.rolinherit as inherit_role, r.rolcanlogin as can_login,
    r.rolreplication as is_replication_role, r.rolbypassrls as can_bypass_rls,
    (select count(*) from pg_stat_activity s where s.usename = r.rolname) as active_connections,
    case when r.rolconnlimit = -1 then current_setting('max_connections')::int8
      else r.rolconnlimit end as connection_limit,
    r.rolpassword as password, r.rolvaliduntil as valid_until,
    (select json_object_agg(split_part(one, '=', 1), substring(one from position('=' in one) + 1))
      from unnest(r.rolconfig) as one) as config`,
  from: "from pg_roles r where true",
};
/** Without Postgres's predefined roles. */
const roles: Listing = { ...everyRole, from: `${everyRole.from} and not starts_with(r.rolname, 'pg_')` };

const OPTIONS = {
  password: text.optional(),
  inherit_role: flag.optional(),
  can_login: flag.optional(),
  is_superuser: flag.optional(),
  can_create_db: flag.optional(),
  can_create_role: flag.optional(),
  is_replication_role: flag.optional(),
  can_bypass_rls: flag.optional(),
  connection_limit: integer.optional(),
  valid_until: text.optional(),
};
const NEW = z.object({
  ...OPTIONS,
  name: text,
  member_of: z.array(text).optional(),
  members: z.array(text).optional(),
  admins: z.array(text).optional(),
  config: settings.optional(),
});
const CHANGES = z.object({
  ...OPTIONS,
  name: text.optional(),
  config: z
    .array(z.object({ op: z.enum(["remove", "add", "replace"]), path: text, value: text.optional() }))
    .optional(),
});

const WORDS = {
  inherit_role: "inherit",
  can_login: "login",
  is_superuser: "superuser",
  can_create_db: "createdb",
  can_create_role: "createrole",
  is_replication_role: "replication",
  can_bypass_rls: "bypassrls",
} as const;

export const roleEndpoints: Endpoints = {
  list: (call) => list(call, parametersOf(call).include_default_roles ? everyRole : roles),

  retrieve: ({ session, id }) => retrieve(session, roles, id),

  async create({ session, body }) {
    const given = parse(NEW, body);
    const role = quote(given.name);
    const named = (clause: string, names: string[] | undefined) =>
      names?.length ? `${clause} ${names.map(quote).join(", ")}` : "";
    await session.execute([
      `create role ${role} with ${optionsOf(given)} ${named("in role", given.member_of)}
        ${named("role", given.members)} ${named("admin", given.admins)}`,
      ...Object.entries(given.config ?? {})
        .filter(([name, value]) => name !== "" && value !== "")
        .map(([name, value]) => `alter role ${role} set ${parameter(name)} = ${listOf(value)}`),
    ]);
    return find(session, roles, { "r.rolname": given.name }, `Cannot find a role named ${given.name}`);
  },

  update: updating(roles, CHANGES, (old: Role, given) => {
    const alter = `alter role ${quote(old.name)}`;
    const options = optionsOf(given);
    return [
      options === "" ? "" : `${alter} with ${options}`,
      ...(given.config ?? []).map(({ op, path, value }) =>
        op === "remove"
          ? `${alter} reset ${parameter(path)}`
          : `${alter} set ${parameter(path)} = ${value ? listOf(value) : "default"}`,
      ),
      given.name === undefined ? "" : `${alter} rename to ${quote(given.name)}`,
    ];
  }),

  remove: dropping(roles, (old: Role) => `drop role ${quote(old.name)}`, false),
};

type Options = z.infer<z.ZodObject<typeof OPTIONS>>;

/** The options that are given, as SQL. */
function optionsOf(given: Options): string {
  const switches = (Object.keys(WORDS) as (keyof typeof WORDS)[]).map((name) => {
    const wanted = given[name];
    return wanted === undefined ? "" : `${wanted ? "" : "no"}${WORDS[name]}`;
  });
  const { connection_limit: limit, password, valid_until: until } = given;
  return [
    ...switches,
    limit === undefined ? "" : `connection limit ${limit}`,
    password === undefined ? "" : `password ${quoteLiteral(password)}`,
    until === undefined ? "" : `valid until ${quoteLiteral(until)}`,
  ]
    .filter((option) => option !== "")
    .join(" ");
}

/** A setting's name; one of an extension has a prefix. */
function parameter(name: string): string {
  return name.split(".").map(quote).join(".");
}

/** The items of a list such as `search_path` are quoted one by one. */
function listOf(value: string): string {
  return value
    .split(",")
    .map((item) => quoteLiteral(item.trim()))
    .join(", ");
}
